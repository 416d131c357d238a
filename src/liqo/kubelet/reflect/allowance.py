"""How much of what went well may be told: in a rush nobody reads it, and it costs too much."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from liqo.api.kubernetes import Event
from liqo.runtime.clock import Clock

AT_ONCE = 20  # as much as five pods have to tell …
A_SECOND = 2.0  # … and then so many
GRANTED = 4096  # Events of which is remembered that they may be told


@dataclass
class Allowance:
    """So many at once, and so many a second."""

    clock: Clock
    _left: float = AT_ONCE
    _at: datetime | None = None
    _granted: dict[str, None] = field(default_factory=dict)

    def grant(self, event: Event) -> bool:
        """What was granted once stays so: whether it was told is known elsewhere."""
        uid = event.metadata.uid
        if uid in self._granted:
            return True
        now = self.clock()
        gained = (now - self._at).total_seconds() * A_SECOND if self._at is not None else 0.0
        self._left, self._at = min(AT_ONCE, self._left + max(gained, 0.0)), now
        if self._left < 1:
            return False
        self._left -= 1
        self._granted[uid] = None
        if len(self._granted) > GRANTED:
            del self._granted[next(iter(self._granted))]
        return True
