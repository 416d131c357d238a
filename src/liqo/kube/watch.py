"""The stream of a watch: one line of JSON for each event, in chunks that end anywhere."""

from __future__ import annotations


class Lines:
    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes."""
        first, *others = chunk.split(b"\n")
        self._rest.append(first)
        if not others:
            return []
        lines = [b"".join(self._rest), *others]
        self._rest = [lines.pop()]
        return [line for line in lines if line]
