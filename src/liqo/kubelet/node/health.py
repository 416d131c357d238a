"""Whether the provider's API server answers, as a value: one failure is none, several are."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Patience:
    """How often it is asked, in seconds, how long it may take, and when we give it up."""

    every: float = 10.0  # 0: never, and it counts as reachable
    within: float = 1.0
    failures: int = 3  # in a row


@dataclass(frozen=True)
class Health:
    provider: str
    patience: Patience = Patience()
    failures: int = 0  # in a row
    reason: str = ""  # of the last one
    is_asked: bool = True  # by this process

    @property
    def is_lost(self) -> bool:
        return self.failures >= self.patience.failures

    @property
    def is_open(self) -> bool:
        """Nobody can tell: it was not asked yet, or did not answer, but not often enough."""
        is_answered = self.is_asked and self.failures == 0
        return self.patience.every > 0 and not is_answered and not self.is_lost

    @property
    def sentence(self) -> str:
        return (
            f"the API server of cluster {self.provider} did not answer {self.failures} times in a "
            f"row: {self.reason}"
        )


def answered(health: Health) -> Health:
    return replace(health, failures=0, reason="", is_asked=True)


def failed(health: Health, reason: str) -> Health:
    """Counted up to the limit: what is lost cannot be lost more."""
    count = min(health.failures + 1, health.patience.failures)
    return replace(health, failures=count, reason=reason, is_asked=True)
