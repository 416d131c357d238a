"""What can go wrong with a playground, in one sentence with the next step."""

from liqo.errors import LiqoError


class PlaygroundError(LiqoError):
    """This machine cannot do it, or what was asked for is impossible."""
