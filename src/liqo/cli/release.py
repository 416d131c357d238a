"""What an installation says about itself: its version, and the flags of its controllers."""

from __future__ import annotations

from collections.abc import Sequence

from liqo.api import labels
from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON
from liqo.errors import LiqoError

NAME = "controller-manager"  # of the container, and in the labels of its Deployment
MARKS = {labels.APP_NAME: NAME, labels.APP_COMPONENT: NAME}
SELECTOR = ",".join(f"{label}={value}" for label, value in MARKS.items())


def controllers(deployments: Sequence[Deployment]) -> JSON:
    """The container of the controllers, among all Deployments of the installation."""
    found = [each for each in deployments if MARKS.items() <= each.metadata.labels.items()]
    if not found:
        raise LiqoError(f'there is no Deployment with the labels "{SELECTOR}"')
    if len(found) > 1:
        several = ", ".join(str(each.key) for each in found)
        raise LiqoError(f'several Deployments have the labels "{SELECTOR}": {several}')
    template = found[0].spec.get("template", {}).get("spec", {})
    for container in template.get("containers", ()):
        if container["name"] == NAME:
            return dict(container)
    raise LiqoError(f'the Deployment "{found[0].key}" has no container "{NAME}"')


def version(container: JSON) -> str:
    """The tag of its image; a registry has colons, too, and so does a digest."""
    image: str = container.get("image", "")
    _, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    if not tag:
        raise LiqoError(f'missing version in container image "{image}"')
    return tag


def flag(container: JSON, name: str) -> str:
    """What `--name=…` says; "true" where it is given alone, empty where it is not given."""
    for argument in container.get("args", ()):
        given, equals, value = argument.partition("=")
        if given == f"--{name}":
            return value if equals else "true"
    return ""


def cluster_labels(container: JSON) -> dict[str, str]:
    pairs = filter(None, flag(container, "cluster-labels").split(","))
    return {key: value for key, _, value in (pair.partition("=") for pair in pairs)}
