"""What is failing now: said once in the log, and shown in /metrics until it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from liqo.api.meta import Key
from liqo.kube.errors import KubeError, Throttled, Unauthorized, Unreachable

OF_ALL = (Throttled, Unauthorized, Unreachable)
"""Not the object's fault: five thousand keys fail with them at once, and one line says it."""


class Failures:
    """The keys of one controller that failed when they were last tried, and why."""

    def __init__(self) -> None:
        self._reasons: dict[Key, str] = {}
        self._keys: Counter[str] = Counter()  # how many have this reason

    def note(self, key: Key, error: Exception) -> bool:
        """True if this is news: repetitions are not worth a line in the log."""
        reason = reason_of(error)
        if self._reasons.get(key) == reason:
            return False
        self.clear(key)
        self._reasons[key] = reason
        self._keys[reason] += 1
        return self._keys[reason] == 1 or not isinstance(error, OF_ALL)

    def clear(self, key: Key) -> bool:
        """True if the key was failing."""
        reason = self._reasons.pop(key, None)
        if reason is None:
            return False
        self._keys[reason] -= 1
        if not self._keys[reason]:
            del self._keys[reason]
        return True

    def __iter__(self) -> Iterator[tuple[Key, str]]:
        return iter(self._reasons.items())

    def __len__(self) -> int:
        return len(self._reasons)


def reason_of(error: Exception) -> str:
    """The same word for the same failure, however its sentence varies in numbers and names."""
    if isinstance(error, KubeError):
        return error.reason or type(error).__name__
    return f"{type(error).__name__}: {error}"
