"""What is shared: the ConfigMap that the controllers follow, so that a change restarts nobody."""

from __future__ import annotations

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import JSON
from liqo.install.kinds import manifest
from liqo.install.marks import marks
from liqo.install.settings import Settings
from liqo.rules import names
from liqo.rules.capacity import OF_PEER, PERCENTAGE, ROUNDING


def manifests(settings: Settings) -> list[JSON]:
    begun = manifest(ConfigMap.KIND, names.SHARING, marks(settings, "sharing"), settings.namespace)
    of_peers = settings["controllerManager.config.sharingPercentageOfPeers"]
    written = {
        PERCENTAGE: str(settings["controllerManager.config.resourceSharingPercentage"]),
        ROUNDING: settings["controllerManager.config.sharingRounding"],
        **{f"{OF_PEER}{peer}": percentage for peer, percentage in of_peers.items()},
    }
    return [{**begun, "data": written}]
