"""Why a program holds back or ends, where an API server is not the reason.

LiqoError
├── NotLeading   nothing was sent: our lease is about to end
└── LeaseLost    another may lead now
"""

from liqo.errors import LiqoError


class NotLeading(LiqoError):
    """The key is tried again: by us with a renewed lease, or by the next leader."""


class LeaseLost(LiqoError):
    """The process ends, and starts again as a candidate."""
