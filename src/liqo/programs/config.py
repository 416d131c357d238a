"""What the controllers of a cluster are told when they start: flags, spelt as on the wire."""

from __future__ import annotations

import argparse
import os
import socket
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from liqo.api.meta import Key
from liqo.api.offloading import Enforcement
from liqo.api.values import IngressClass, LoadBalancerClass
from liqo.errors import LiqoError
from liqo.plugin import address
from liqo.plugin.address import Address
from liqo.programs.flags import Flag, duration, of_a_cluster, pairs, switch, word
from liqo.provider.access import Access
from liqo.provider.grant import DEFAULTS, PodSecurity, Terms
from liqo.rules import names
from liqo.rules.amounts import check_amount
from liqo.runtime.leader import Candidacy
from liqo.runtime.remotes import Checking
from liqo.runtime.stamps import Stamp

LEASE = "66cf253f.ctrlmgr.liqo.io"
LEVELS: dict[str, PodSecurity] = {
    "": "",
    "privileged": "privileged",
    "baseline": "baseline",
    "restricted": "restricted",
}
ENFORCEMENTS: dict[str, Enforcement] = {"none": "None", "soft": "Soft", "hard": "Hard"}


@dataclass(frozen=True)
class Modules:
    """Which parts of the product this cluster has."""

    authentication: bool = True
    offloading: bool = True
    networking: bool = True


@dataclass(frozen=True)
class Config:
    cluster_id: str
    namespace: str  # of the installation
    kubeconfig: str  # empty: the cluster we run in
    address: str  # of the API server, as consumers should see it; empty: found out
    ca: bytes | None  # None: the one we trust ourselves
    tls_compatible: bool
    terms: Terms
    health_port: int | None  # None: nobody asks
    modules: Modules
    runtime_class: str  # whose pods go out by themselves; empty: there is none
    gives_up_nodes: bool  # that do not answer, with the pods of consumers on them
    resource_plugin: Address | None  # that says what consumers get; None: a share of what is free
    stamp: Stamp
    checking: Checking  # of the API servers of providers
    candidacy: Candidacy | None  # None: there is no other copy of this program

    def access(self, own_ca: str) -> Access:
        return Access(self.address, own_ca.encode() if self.ca is None else self.ca)


def read(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Config:
    told = of_a_cluster("controllers", __doc__, FLAGS).parse_args(arguments)
    if problem := names.check_cluster_id(told.cluster_id):
        raise LiqoError(problem)
    return Config(
        cluster_id=told.cluster_id,
        namespace=told.liqo_namespace,
        kubeconfig=told.kubeconfig,
        address=told.api_server_address_override,
        ca=b"" if told.trusted_ca else told.ca_override,
        tls_compatible=told.tls_compatibility_mode,
        terms=_terms(told),
        health_port=told.health_port or None,
        modules=Modules(
            told.authentication_enabled, told.offloading_enabled, told.networking_enabled
        ),
        runtime_class=told.runtime_class_name,
        gives_up_nodes=told.enable_node_failure_controller,
        resource_plugin=_plugin(told.resource_plugin_address),
        stamp=Stamp(told.global_labels, told.global_annotations),
        checking=Checking(told.foreign_cluster_ping_interval, told.foreign_cluster_ping_timeout),
        candidacy=_candidacy(told, environment),
    )


def _candidacy(told: argparse.Namespace, environment: Mapping[str, str]) -> Candidacy | None:
    """Outside of the cluster a person starts us, and one copy."""
    inside = not told.kubeconfig and "KUBERNETES_SERVICE_HOST" in environment
    if not (inside if told.leader_election is None else told.leader_election):
        return None
    me = environment.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}"
    return Candidacy(Key(told.liqo_namespace, LEASE), me)


def _terms(told: argparse.Namespace) -> Terms:
    return Terms(
        default_class=told.default_resource_slice_class_enabled,
        share_class=told.share_resource_slice_class_enabled,
        defaults={**DEFAULTS, **told.default_node_resources},
        cluster_labels=told.cluster_labels,
        ingress_classes=tuple(
            IngressClass(ingress_class_name=name, default=first)
            for name, first in told.ingress_classes
        ),
        load_balancer_classes=tuple(
            LoadBalancerClass(load_balancer_class_name=name, default=first)
            for name, first in told.load_balancer_classes
        ),
        enforcement=told.default_limits_enforcement,
        pod_security=told.pod_security,
        labels=told.namespace_labels,
        labels_of_peers=told.peer_namespace_labels,
    )


def _plugin(text: str) -> Address | None:
    return address.parse(text) if text else None


def _classes(text: str) -> tuple[tuple[str, bool], ...]:
    """`name;default,name2`"""
    items = [item.partition(";") for item in text.split(",") if item]
    return tuple((name, mark == "default") for name, _, mark in items)


def _of_peers(text: str) -> dict[str, dict[str, str]]:
    """`rome:team=a,tier=b;turin:team=c`"""
    items = [item.partition(":") for item in text.split(";") if item]
    return {peer: pairs(told) for peer, _, told in items}


def _amounts(text: str) -> dict[str, str]:
    """Of what cannot be, argparse makes a sentence."""
    told = pairs(text)
    for name, amount in told.items():
        if wrong := check_amount(name, amount):
            raise argparse.ArgumentTypeError(wrong)
    return told


def _enforcement(text: str) -> Enforcement:
    """R21: in whatever case it is written."""
    return word(ENFORCEMENTS, text)


def _ca(text: str) -> bytes:
    """R22: nothing but the PEM, whatever a buffer left behind it."""
    return b64decode(text).rstrip(b"\0") if text else b""


FLAGS: tuple[Flag, ...] = (
    ("--liqo-namespace", str, "liqo"),
    ("--kubeconfig", str, ""),
    ("--api-server-address-override", str, ""),
    ("--ca-override", _ca, None),
    ("--trusted-ca", switch, False),
    ("--tls-compatibility-mode", switch, False),
    ("--cluster-labels", pairs, {}),
    ("--default-node-resources", _amounts, {}),
    ("--default-resource-slice-class-enabled", switch, True),
    ("--share-resource-slice-class-enabled", switch, True),
    ("--default-limits-enforcement", _enforcement, "None"),
    ("--pod-security", partial(word, LEVELS), Terms().pod_security),
    ("--namespace-labels", pairs, {}),
    ("--peer-namespace-labels", _of_peers, {}),
    ("--ingress-classes", _classes, ()),
    ("--load-balancer-classes", _classes, ()),
    ("--health-port", int, 0),
    ("--authentication-enabled", switch, True),
    ("--offloading-enabled", switch, True),
    ("--networking-enabled", switch, True),
    ("--runtime-class-name", str, "liqo"),
    ("--enable-node-failure-controller", switch, False),
    ("--resource-plugin-address", str, ""),
    ("--global-labels", pairs, Stamp().labels),
    ("--global-annotations", pairs, {}),
    ("--foreign-cluster-ping-interval", duration, Checking().every),
    ("--foreign-cluster-ping-timeout", duration, Checking().within),
    ("--leader-election", switch, None),
)
