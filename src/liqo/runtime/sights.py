"""What several controllers look at, under one name, so that one copy serves them all."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata

NAMESPACES = metadata(Namespace)
VIRTUAL_NODES = Scope(labels=f"{labels.TYPE}=virtual-node")
