"""All our kinds, and the files in which `deploy/crds` gives them to kubectl and Helm."""

from __future__ import annotations

from typing import Any

import yaml

from liqo.api import authentication, core, ipam, networking, offloading
from liqo.api.crds.render import manifest

CRDS = (
    *authentication.CRDS,
    *core.CRDS,
    *ipam.CRDS,
    *networking.CRDS,
    *offloading.CRDS,
)


class Dumper(yaml.CSafeDumper):
    """Writes what occurs twice twice: an anchor saves bytes and costs whoever reads."""

    def ignore_aliases(self, _: Any) -> bool:
        return True


def files() -> dict[str, str]:
    manifests = map(manifest, CRDS)
    return {
        f"{each['spec']['group']}_{each['spec']['names']['plural']}.yaml": yaml.dump(
            each, Dumper=Dumper, width=1000
        )
        for each in manifests
    }
