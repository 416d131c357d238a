"""One peering for all journeys of pods: making and ending one takes longer than most of them."""

from tests.e2e import offloaded, workloads

peered, shop, trade = offloaded.peered, offloaded.shop, workloads.trade
