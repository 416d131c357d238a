"""What kinds of networking.liqo.io share."""

from __future__ import annotations

from liqo.api.meta import Model
from liqo.api.values import Time

GROUP = "networking.liqo.io"
VERSION = "v1beta1"


class HostCondition(Model, frozen=True):
    """What one machine says about a configuration that many machines apply."""

    host: str
    type: str
    status: str
    last_transition_time: Time | None = None
