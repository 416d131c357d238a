"""The API `metrics.liqo.io`: by it a consumer asks its provider what its pods there use."""

from __future__ import annotations

GROUP, VERSION = "metrics.liqo.io", "v1beta1"
REGISTRATION = f"{VERSION}.{GROUP}"  # the name of its APIService
ROOT = f"/apis/{GROUP}/{VERSION}"
SCRAPE = f"{ROOT}/scrape/"  # behind it: the ID of the consumer, and a path of its kubelets
