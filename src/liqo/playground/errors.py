"""What can go wrong with a playground, in one sentence with the next step."""

from liqo.errors import LiqoError

DEFAULT = "default"  # the playground that is meant where none is named


class PlaygroundError(LiqoError):
    """This machine cannot do it, or what was asked for is impossible."""


def next_step(playground: str, *words: str) -> str:
    """A command of that playground, whole, so that it can be copied."""
    which = () if playground == DEFAULT else ("-p", playground)
    return " ".join(("liqoctl playground", *words, *which))
