"""Who this cluster is: the ConfigMap by which everybody finds its ID."""

from __future__ import annotations

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import JSON
from liqo.install.kinds import manifest
from liqo.install.marks import marks
from liqo.install.settings import Settings

CONFIG_MAP = "liqo-clusterid-configmap"
LABEL = "clusterid-configmap"  # clients look for this, whatever the name
KEY = "CLUSTER_ID"


def manifests(settings: Settings) -> list[JSON]:
    begun = manifest(ConfigMap.KIND, CONFIG_MAP, marks(settings, LABEL), settings.namespace)
    return [{**begun, "data": {KEY: settings.cluster_id}}]
