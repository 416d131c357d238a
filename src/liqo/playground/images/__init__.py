"""Container images as archives, made without Docker and without a registry."""

from liqo.playground.images.addons import (
    COREDNS,
    DEMO,
    HELPER,
    LOCAL_PATH,
    METRICS_SERVER,
    PAUSE,
    addons,
)
from liqo.playground.images.archive import names
from liqo.playground.images.product import product

__all__ = [
    "COREDNS",
    "DEMO",
    "HELPER",
    "LOCAL_PATH",
    "METRICS_SERVER",
    "PAUSE",
    "addons",
    "names",
    "product",
]
