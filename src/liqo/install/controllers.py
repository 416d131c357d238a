"""The controllers. Their Deployment is also where clients read the version and some flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from liqo.api.meta import JSON
from liqo.install.offloading import runtime_class_name
from liqo.install.program import HEALTH_PORT, Program, deployment
from liqo.install.settings import Settings
from liqo.provider.grant import DEFAULTS

NAME = "controller-manager"
MODULE = "liqo.programs.controllers"
REQUESTS = {"cpu": "50m", "memory": "128Mi"}


def manifests(settings: Settings) -> list[JSON]:
    program = Program(
        NAME,
        MODULE,
        list(arguments(settings)),
        REQUESTS,
        replicas=settings["controllerManager.replicas"],
    )
    return [deployment(settings, program)]


def arguments(settings: Settings) -> Iterator[str]:
    """Always in the form --flag=value: that is how clients read them."""
    yield f"--liqo-namespace={settings.namespace}"
    yield f"--health-port={HEALTH_PORT}"
    yield from said("--api-server-address-override", settings["apiServer.address"])
    yield from said("--ca-override", settings["apiServer.ca"])
    yield f"--trusted-ca={_word(settings['apiServer.trustedCA'])}"
    for module in ("authentication", "offloading"):
        yield f"--{module}-enabled={_word(settings[f'{module}.enabled'])}"
    yield "--networking-enabled=false"  # there is no such module yet
    yield f"--global-labels={pairs(settings['common.globalLabels'])}"
    yield from said("--global-annotations", pairs(settings["common.globalAnnotations"]))
    yield f"--tls-compatibility-mode={_word(settings['authentication.tlsCompatibilityMode'])}"
    yield from said("--cluster-labels", pairs(settings.labels))
    yield from terms(settings)
    yield f"--runtime-class-name={runtime_class_name(settings)}"
    lost_nodes = settings["controllerManager.config.enableNodeFailureController"]
    yield f"--enable-node-failure-controller={_word(lost_nodes)}"
    plugin = settings["controllerManager.config.resourcePluginAddress"]
    yield from said("--resource-plugin-address", plugin)


def terms(settings: Settings) -> Iterator[str]:
    """What is lent, and to whom under which conditions."""
    granted = {name: settings[f"offloading.defaultNodeResources.{name}"] for name in DEFAULTS}
    yield f"--default-node-resources={pairs(granted)}"
    default_class = settings["authentication.defaultResourceSliceClassEnabled"]
    yield f"--default-resource-slice-class-enabled={_word(default_class)}"
    share_class = settings["authentication.shareResourceSliceClassEnabled"]
    yield f"--share-resource-slice-class-enabled={_word(share_class)}"
    enforcement = settings["controllerManager.config.defaultLimitsEnforcement"]
    yield f"--default-limits-enforcement={enforcement}"
    yield f"--pod-security={settings['offloading.podSecurity']}"
    yield from said("--namespace-labels", pairs(settings["offloading.remoteNamespaces.labels"]))
    of_peers = settings["offloading.remoteNamespaces.labelsOfPeers"]
    yield from said(
        "--peer-namespace-labels",
        ";".join(f"{peer}:{told}" for peer, told in of_peers.items()),
    )
    ingress = settings["offloading.reflection.ingress.ingressClasses"]
    yield from said("--ingress-classes", classes(ingress))
    balancers = settings["offloading.reflection.service.loadBalancerClasses"]
    yield from said("--load-balancer-classes", classes(balancers))


def said(flag: str, value: str) -> Iterable[str]:
    return (f"{flag}={value}",) if value else ()


def pairs(values: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())


def classes(given: Iterable[Any]) -> str:
    """`[{name: nginx, default: true}, traefik]` is `nginx;default,traefik`."""
    known = [each if isinstance(each, dict) else {"name": each} for each in given]
    return ",".join(
        f"{each['name']};default" if each.get("default") else str(each["name"]) for each in known
    )


def _word(switch: bool) -> str:
    return str(switch).lower()
