"""Several namespaces in one call: one that fails does not keep the others."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from liqo.errors import LiqoError


class Failures:
    def __init__(self, doing: str, namespaces: int) -> None:
        self._doing = doing  # "offloading"
        self._namespaces = namespaces
        self._errors: dict[str, LiqoError] = {}

    async def kept(self, namespace: str, work: Coroutine[Any, Any, object]) -> bool:
        """Whether it was done."""
        try:
            await work
        except LiqoError as wrong:
            self._errors[namespace] = wrong
            return False
        return True

    def told(self) -> None:
        """One in its own words; several in one sentence."""
        errors = list(self._errors.values())
        if len(errors) == 1:
            raise errors[0]
        if errors:
            details = ", ".join(map(str, errors))
            raise LiqoError(
                f"encountered {len(errors)} errors during {self._doing}, error details: [{details}]"
            )

    def completed(self, namespace: str) -> str:
        """Of several, which one."""
        which = f' of namespace "{namespace}"' if self._namespaces > 1 else ""
        return f"{self._doing.capitalize()}{which} completed successfully"
