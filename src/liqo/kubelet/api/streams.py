"""Which streams of a process one wants: the words of a kubelet in those of an API server."""

from __future__ import annotations

from urllib.parse import parse_qsl

WORDS = {"input": "stdin", "output": "stdout", "error": "stderr", "tty": "tty"}
NOTHING = "you must specify at least 1 of stdin, stdout, stderr"

Query = list[tuple[str, str]]


def translated(query: str) -> Query:
    """A terminal has no error stream of its own. ValueError where nothing is wanted."""
    asked = dict(parse_qsl(query))
    wanted = {ours for theirs, ours in WORDS.items() if asked.get(theirs) == "1"}
    if "tty" in wanted:
        wanted.discard("stderr")
    if not wanted - {"tty"}:
        raise ValueError(NOTHING)
    return [(word, "true") for word in WORDS.values() if word in wanted]
