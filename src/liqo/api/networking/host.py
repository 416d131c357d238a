"""What one machine says about a configuration that many machines apply."""

from __future__ import annotations

from liqo.api.meta import Model
from liqo.api.values import Time


class HostCondition(Model, frozen=True):
    host: str
    type: str
    status: str
    last_transition_time: Time | None = None
