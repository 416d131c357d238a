"""The labels by which an installation is recognised, by people, by programs and by `uninstall`."""

from __future__ import annotations

from liqo.api import labels
from liqo.install.settings import Settings

PART_OF = "app.kubernetes.io/part-of"
INSTANCE = "app.kubernetes.io/instance"
VERSION = "app.kubernetes.io/version"
INSTALLER = "liqoctl"
OURS = f"{PART_OF}=liqo,{labels.APP_MANAGED_BY}={INSTALLER}"  # everything that `install` made


def chosen(name: str, component: str = "") -> dict[str, str]:
    """What never changes, so that a Deployment may select its pods by it."""
    return {
        labels.APP_NAME: name,
        INSTANCE: f"liqo-{name}",
        labels.APP_COMPONENT: component or name,
        PART_OF: "liqo",
    }


def marks(settings: Settings, name: str, component: str = "") -> dict[str, str]:
    return {
        **chosen(name, component),
        labels.APP_MANAGED_BY: INSTALLER,
        VERSION: settings.tag[:63],
    }
