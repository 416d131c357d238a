"""Settings as tests need them: an ordinary installation, with what the test sets."""

from __future__ import annotations

from typing import Any

from liqo.install.settings import Settings
from liqo.install.values import complete

ORDINARY = {"ipam.podCIDRs": ["10.128.0.0/16"], "ipam.serviceCIDR": "10.192.0.0/16"}


def settings(**given: Any) -> Settings:
    """By the last part of a key, or by the whole of it, as `**{"webhook.port": 1}`."""
    return Settings("rome", "1.2.3", values=complete({**ORDINARY, **given}))
