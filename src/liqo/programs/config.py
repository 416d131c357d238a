"""What the controllers of a cluster are told when they start: flags, spelt as on the wire."""

from __future__ import annotations

import argparse
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from liqo.api.offloading import Enforcement
from liqo.api.values import IngressClass, LoadBalancerClass
from liqo.errors import LiqoError
from liqo.provider.access import Access
from liqo.provider.grant import DEFAULTS, Terms
from liqo.rules import names

T = TypeVar("T")
SWITCH = {"true": True, "false": False}
ENFORCEMENTS: dict[str, Enforcement] = {"none": "None", "soft": "Soft", "hard": "Hard"}


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

    def access(self, own_ca: str) -> Access:
        return Access(self.address, own_ca.encode() if self.ca is None else self.ca)


def read(arguments: Sequence[str]) -> Config:
    told = _parser().parse_args(arguments)
    if problem := names.check_cluster_id(told.cluster_id):
        raise LiqoError(problem)
    terms = Terms(
        default_class=told.default_resource_slice_class_enabled,
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
    )
    return Config(
        cluster_id=told.cluster_id,
        namespace=told.liqo_namespace,
        kubeconfig=told.kubeconfig,
        address=told.api_server_address_override,
        ca=b"" if told.trusted_ca else told.ca_override,
        tls_compatible=told.tls_compatibility_mode,
        terms=terms,
        health_port=told.health_port or None,
    )


def _switch(text: str) -> bool:
    return _word(SWITCH, text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="controllers", description=__doc__)
    parser.add_argument("--cluster-id", required=True)
    for flag, parse, default in FLAGS:
        if parse is _switch:
            parser.add_argument(flag, type=parse, default=default, nargs="?", const=True)
        else:
            parser.add_argument(flag, type=parse, default=default)
    return parser


def _pairs(text: str) -> dict[str, str]:
    """`k1=v1,k2=v2`; a value may hold further equals signs."""
    return dict(item.split("=", 1) for item in text.split(",") if item)


def _classes(text: str) -> tuple[tuple[str, bool], ...]:
    """`name;default,name2`"""
    items = [item.partition(";") for item in text.split(",") if item]
    return tuple((name, mark == "default") for name, _, mark in items)


def _enforcement(text: str) -> Enforcement:
    """R21: in whatever case it is written."""
    return _word(ENFORCEMENTS, text)


def _word(words: Mapping[str, T], text: str) -> T:
    """argparse makes a sentence of a ValueError."""
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def _ca(text: str) -> bytes:
    """R22: nothing but the PEM, whatever a buffer left behind it."""
    return b64decode(text).rstrip(b"\0") if text else b""


FLAGS: tuple[tuple[str, Callable[[str], object], object], ...] = (
    ("--liqo-namespace", str, "liqo"),
    ("--kubeconfig", str, ""),
    ("--api-server-address-override", str, ""),
    ("--ca-override", _ca, None),
    ("--trusted-ca", _switch, False),
    ("--tls-compatibility-mode", _switch, False),
    ("--cluster-labels", _pairs, {}),
    ("--default-node-resources", _pairs, {}),
    ("--default-resource-slice-class-enabled", _switch, True),
    ("--default-limits-enforcement", _enforcement, "None"),
    ("--ingress-classes", _classes, ()),
    ("--load-balancer-classes", _classes, ()),
    ("--health-port", int, 0),
)
