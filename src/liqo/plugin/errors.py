"""Why a resource plugin is not heard.

LiqoError
└── Silent   no answer, or none that can be read
"""

from liqo.errors import LiqoError


class Silent(LiqoError):
    """Its text completes a sentence about the plugin: "it refuses the connection"."""
