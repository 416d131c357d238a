"""Two peerings for all journeys of namespaces: Rome borrows from Milan and from Turin."""

from tests.e2e import provinces

province = provinces.province
