"""All manifests of an installation, in the order in which they are applied."""

from __future__ import annotations

from liqo.api.crds.files import CRDS
from liqo.api.crds.render import manifest as definition
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON
from liqo.install import (
    controllers,
    identity,
    metricagent,
    networks,
    offloading,
    roles,
    sharing,
    webhook,
)
from liqo.install.kinds import ORDER, kind_of, manifest
from liqo.install.settings import Settings

PARTS = (roles, identity, sharing, offloading, networks, controllers, webhook, metricagent)


def render(settings: Settings) -> list[JSON]:
    made = [
        namespace(settings),
        *map(definition, CRDS),
        *(each for part in PARTS for each in part.manifests(settings)),
    ]
    return sorted(made, key=lambda each: ORDER.index(kind_of(each)))


def namespace(settings: Settings) -> JSON:
    """Without the label by which things are removed: it may hold what is not ours."""
    return manifest(Namespace.KIND, settings.namespace, {})
