"""Every key that --set and --values know, with its default; whatever else is given is an error.

The keys are those of Liqo's own chart, so that a values file for it can be used here, and a few
more: `offloading.stripManagedFields`, those of `offloading.remoteNamespaces`, and those of shares,
of which older charts had one. A key of a part that does not exist here is known as well: it is
accepted, and said to be without effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.errors import LiqoError
from liqo.provider.grant import DEFAULTS, Terms
from liqo.rules.capacity import Sharing

Values: TypeAlias = Mapping[str, Any]
"""By the whole key: {"webhook.port": 9443}. The type of a value is that of its default."""

WORKERS = {
    "pod": 10,
    "service": 3,
    "endpointslice": 10,
    "ingress": 3,
    "configmap": 3,
    "secret": 3,
    "serviceaccount": 3,
    "persistentvolumeclaim": 3,
    "event": 3,
}  # by what is reflected: how many at once
CHOOSABLE = ("service", "ingress", "configmap", "secret", "event")  # DenyList or AllowList

# Written by controllers of one cloud about itself: in another cluster they mislead.
NOT_REFLECTED = [
    "cloud.google.com/neg",
    "cloud.google.com/neg-status",
    "kubernetes.digitalocean.com/load-balancer-id",
    "ingress.kubernetes.io/backends",
    "ingress.kubernetes.io/forwarding-rule",
    "ingress.kubernetes.io/target-proxy",
    "ingress.kubernetes.io/url-map",
    "metallb.universe.tf/address-pool",
    "metallb.universe.tf/ip-allocated-from-pool",
    "metallb.universe.tf/loadBalancerIPs",
    "loadbalancer.openstack.org/load-balancer-id",
]

EFFECTIVE: Values = {
    "image.name": "localhost/liqo/liqo",
    "tag": "",  # the version of liqoctl
    "pullPolicy": "IfNotPresent",
    "apiServer.address": "",
    "apiServer.ca": "",
    "apiServer.trustedCA": False,
    "authentication.enabled": True,
    "authentication.tlsCompatibilityMode": False,
    "authentication.defaultResourceSliceClassEnabled": True,
    "authentication.shareResourceSliceClassEnabled": True,
    "common.globalAnnotations": {},
    "common.globalLabels": {labels.MANAGED: "true"},
    "controllerManager.replicas": 1,
    "controllerManager.config.defaultLimitsEnforcement": "None",
    "controllerManager.config.enableNodeFailureController": False,
    "controllerManager.config.enableResourceEnforcement": True,
    "controllerManager.config.resourcePluginAddress": "",
    "controllerManager.config.resourceSharingPercentage": Sharing().percentage,
    "controllerManager.config.sharingPercentageOfPeers": {},  # cluster ID: percentage
    "controllerManager.config.sharingRounding": Sharing().rounding,
    "discovery.config.clusterID": "",
    "discovery.config.clusterLabels": {},
    "ipam.podCIDRs": [],
    "ipam.podCIDR": "",
    "ipam.serviceCIDR": "",
    "ipam.externalCIDR": "",
    "ipam.internalCIDR": "",
    "ipam.reservedSubnets": [],
    "metricAgent.enabled": True,
    "metrics.enabled": False,
    "metrics.prometheusOperator.enabled": False,
    "networking.reflectIPs": True,
    **{f"offloading.defaultNodeResources.{name}": amount for name, amount in DEFAULTS.items()},
    "offloading.enabled": True,
    "offloading.podSecurity": Terms().pod_security,
    "offloading.remoteNamespaces.labels": {},
    "offloading.remoteNamespaces.labelsOfPeers": {},  # cluster ID: "key=value,key=value"
    "offloading.createNode": True,
    "offloading.disableNetworkCheck": False,
    "offloading.stripManagedFields": True,
    "offloading.runtimeClass.enabled": True,
    "offloading.runtimeClass.name": "liqo",
    "offloading.runtimeClass.handler": "liqo",
    "offloading.runtimeClass.nodeSelector": {labels.TYPE: "virtual-node"},
    "offloading.runtimeClass.tolerations": [
        {"key": labels.NOT_ALLOWED_TAINT, "operator": "Exists", "effect": "NoExecute"}
    ],
    "offloading.reflection.skip.labels": [],
    "offloading.reflection.skip.annotations": NOT_REFLECTED,
    **{f"offloading.reflection.{kind}.workers": count for kind, count in WORKERS.items()},
    **{f"offloading.reflection.{kind}.type": "DenyList" for kind in CHOOSABLE},
    "offloading.reflection.ingress.ingressClasses": [],
    "offloading.reflection.service.loadBalancerClasses": [],
    "virtualKubelet.replicas": 1,
    "virtualKubelet.extra.args": [],
    "virtualKubelet.virtualNode.extra.labels": {},
    "virtualKubelet.virtualNode.extra.annotations": {},
    "virtualKubelet.metrics.port": 5872,
    "virtualKubelet.metrics.podMonitor.interval": "",
    "virtualKubelet.metrics.podMonitor.scrapeTimeout": "",
    "virtualKubelet.metrics.podMonitor.labels": {},
    "webhook.replicas": 2,  # while one is restarted, the other answers
    "webhook.port": 9443,
    "webhook.failurePolicy": "Fail",
}

WITHOUT_EFFECT: Values = {
    "authentication.awsConfig": {},
    # What is worth telling of a share is decided for all resources alike (docs/adr/0027).
    "controllerManager.config.offerUpdateThresholdPercentage": "",
    "ipam.external": {},
    "ipam.internal": {},
    "ipam.pools": [],
    "liqo-crds.crdUpgrade.enabled": False,
    "metricAgent.config": {},
    "networking.apiServerAccessThroughEndpointSlices": False,
    "networking.clientResources": [],
    "networking.denyDirectConnections": False,
    "networking.enabled": False,
    "networking.fabric": {},
    "networking.gateway": {},
    "networking.gatewayTemplates": {},
    "networking.genevePort": 6091,
    "networking.notrack.enabled": False,
    "networking.serverResources": [],
    "openshiftConfig": {},
    "proxy": {},
    "requirements.kernel": {},
    "storage": {},
    "telemetry": {},
}

KNOWN: Values = {**EFFECTIVE, **WITHOUT_EFFECT}


def flattened(tree: JSON, source: str, above: str = "") -> dict[str, Any]:
    """The values of a tree of keys, as YAML has them. What is null is as good as not there."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        key = f"{above}{name}"
        if value is None:
            continue
        if key in KNOWN:
            found[key] = checked(key, value, source)
        elif isinstance(value, dict) and any(known.startswith(f"{key}.") for known in KNOWN):
            found |= flattened(value, source, f"{key}.")
        else:
            raise LiqoError(unknown(key, source))
    return found


def unknown(key: str, source: str) -> str:
    nearest = get_close_matches(key, KNOWN, n=1, cutoff=0.0)[0]
    return f'{source}: there is no value "{key}"; the nearest is "{nearest}"'


def checked(key: str, value: Any, source: str) -> Any:
    """Numbers are texts where a text is wanted: a quantity is often written as one."""
    wanted = type(KNOWN[key])
    if wanted is dict and isinstance(value, dict) and key in EFFECTIVE:  # of labels, and alike
        return {str(name): _text(inner) for name, inner in value.items()}
    if wanted is str and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if type(value) is wanted:
        return value
    kinds = {bool: "true or false", int: "a number", str: "a text", list: "a list", dict: "a map"}
    raise LiqoError(f'{source}: the value "{key}" must be {kinds[wanted]}, and is {value!r}')


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


def combined(lowest: Values, *higher: Values) -> dict[str, Any]:
    """All in one, the last word wins; maps are merged and lists joined."""
    result = dict(lowest)
    for layer in higher:
        result |= {key: _joined(result.get(key), value) for key, value in layer.items()}
    return result


def _joined(below: Any, above: Any) -> Any:
    if isinstance(above, dict) and isinstance(below, dict):
        return {**below, **above}
    if isinstance(above, list) and isinstance(below, list):
        return [*above, *(item for item in below if item not in above)]
    return above


def overridden(below: Values, above: Values) -> dict[str, Any]:
    """What is said with --set stands: its lists replace, its maps are merged."""
    maps = {
        key: {**below.get(key, {}), **value}
        for key, value in above.items()
        if isinstance(value, dict)
    }
    return {**below, **above, **maps}


def complete(given: Values) -> Values:
    """With the defaults of all that was not given."""
    return {**KNOWN, **given}


def idle(given: Values) -> list[str]:
    """Keys that were set and change nothing; to turn off what does not exist is fine."""
    return [key for key, value in given.items() if key in WITHOUT_EFFECT and not _is_off(value)]


def _is_off(value: Any) -> bool:
    return value is False or value in ("", {}, {"enabled": False})


def tree(given: Values) -> JSON:
    """The opposite of `flattened`: as a values file has them."""
    grown: JSON = {}
    for key, value in given.items():
        *path, last = key.split(".")
        place = grown
        for name in path:
            place = place.setdefault(name, {})
        place[last] = value
    return grown
