"""What a virtual kubelet is told when it starts: every flag of the wire, also those without effect.

Its Deployment may have been made by another implementation, so an unknown flag is no error.
"""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from liqo.api.meta import Key, Kind
from liqo.errors import LiqoError
from liqo.kubelet.api.server import FOUR_HOURS
from liqo.kubelet.node.health import Patience
from liqo.kubelet.reflect.policy import LISTS, MENTIONED, Policy, Told, policy_of
from liqo.programs.flags import Flag, add, duration, pairs, switch, word
from liqo.rules import customs, names
from liqo.rules.kubelets import CHOSEN, REFLECTED
from liqo.runtime.leader import Candidacy


@dataclass(frozen=True)
class Config:
    home: str  # cluster ID of the consumer
    provider: str  # cluster ID of the provider
    node: str
    namespace: str  # of its VirtualNode, and of its credential
    credential: str  # the name of a Secret
    kubeconfig: str  # empty: the cluster we run in
    node_ip: str
    port: int  # of the kubelet's API
    signs_itself: bool  # the certificate of that API; else somebody at home does
    idle: float  # seconds that an exec or a port-forward may be without a word
    creates_node: bool
    checks_network: bool
    shows_ips: bool
    refuses_too_large: bool  # pods that fit on no node of the provider: they wait at home
    supports_api_server: bool
    api_server: tuple[str, str]  # host and port, as told; empty: found out
    lease: int  # of the Node, in seconds
    patience: Patience
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    metrics: tuple[str, int] | None  # host and port; without a host, on every address
    candidacy: Candidacy  # for being this node's kubelet
    reflecting: Candidacy | None  # for reflecting; None: without an election
    reflected: frozenset[str]  # kinds, in small letters
    policies: Told
    ingress_class: str  # of the provider; empty: it offers none
    load_balancer_class: str
    customs: tuple[Kind, ...]  # further kinds to reflect
    unknown: tuple[str, ...]  # flags that are not ours, or say what we cannot do


def read(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Config:
    told, unknown = _parser().parse_known_args(arguments)
    for flag in ("foreign_cluster_id", "home_cluster_id", "foreign_kubeconfig_secret_name"):
        if not getattr(told, flag):
            raise LiqoError(f"a virtual kubelet must be told --{flag.replace('_', '-')}")
    me = environment.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}"
    own = Candidacy(Key(told.tenant_namespace, told.nodename), me, told.vk_lease_duration)
    shared = replace(own, lease=Key(told.tenant_namespace, names.REFLECTION_LEASE))
    reflected = frozenset(kind for kind in REFLECTED if getattr(told, f"{kind}_reflection_workers"))
    hidden = {"endpointslice"} if told.disable_ip_reflection else set()
    return Config(
        home=told.home_cluster_id,
        provider=told.foreign_cluster_id,
        node=told.nodename,
        namespace=told.tenant_namespace,
        credential=told.foreign_kubeconfig_secret_name,
        kubeconfig=told.home_kubeconfig,
        node_ip=told.node_ip,
        port=told.listen_port,
        signs_itself=told.certificate_type == "self-signed",
        idle=told.streaming_connection_idle_timeout,
        creates_node=told.create_node,
        checks_network=told.node_check_network,
        shows_ips=not told.disable_ip_reflection,
        refuses_too_large=told.refuse_too_large_pods,
        supports_api_server=told.enable_apiserver_support,
        api_server=(told.home_api_server_host, told.home_api_server_port),
        lease=int(told.node_lease_duration),
        patience=Patience(told.node_ping_interval, told.node_ping_timeout, told.node_ping_failures),
        labels=told.node_extra_labels,
        annotations=told.node_extra_annotations,
        metrics=_address(told.metrics_address) if told.metrics_enabled else None,
        candidacy=own,
        reflecting=shared if told.vk_lease_enabled else None,
        reflected=reflected,
        policies=Told(
            told.liqo_namespace,
            {kind: getattr(told, f"{kind}_reflection_type") for kind in CHOSEN},
            off=frozenset(REFLECTED) - reflected | hidden,
        ),
        ingress_class=_class(told, "ingress"),
        load_balancer_class=_class(told, "load_balancer"),
        customs=told.custom_resources,
        unknown=(*unknown, *_unmet(told)),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="virtual-kubelet", description=__doc__, allow_abbrev=False
    )
    add(parser, (*FLAGS, *VOID))
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit():
        raise LiqoError(f"--metrics-address={text} has no port; write it like :8082")
    return host.strip("[]"), int(port)


def _unmet(told: argparse.Namespace) -> Iterator[str]:
    """Nobody here approves what the signer of AWS is asked for: the usual one is asked."""
    if told.certificate_type == "aws":
        yield "--certificate-type=aws"


def _class(told: argparse.Namespace, what: str) -> str:
    """The one that the provider offers and prefers."""
    named: str = getattr(told, f"remote_real_{what}_class_name")
    return named if getattr(told, f"enable_{what}") else ""


def policy(kind: str, text: str) -> Policy:
    """However it is spelled."""
    spelled = word({each.lower(): each for each in (*LISTS, MENTIONED)}, text)
    if (chosen := policy_of(kind, spelled)) is None:
        raise ValueError(text)
    return chosen


CERTIFICATES = ("kubelet", "aws", "self-signed")  # who signs
OFFERED = ("ingress", "load-balancer")

FLAGS: tuple[Flag, ...] = (
    ("--home-kubeconfig", str, ""),
    ("--foreign-kubeconfig-secret-name", str, ""),
    ("--nodename", str, "virtual-kubelet"),
    ("--tenant-namespace", str, "default"),
    ("--liqo-namespace", str, "liqo"),
    ("--home-cluster-id", str, ""),
    ("--foreign-cluster-id", str, ""),
    ("--disable-ip-reflection", switch, False),
    ("--node-ip", str, ""),
    ("--listen-port", int, 10250),
    ("--certificate-type", partial(word, {each: each for each in CERTIFICATES}), CERTIFICATES[0]),
    ("--streaming-connection-idle-timeout", duration, FOUR_HOURS),  # ours; a kubelet's name for it
    ("--node-lease-duration", duration, 40.0),
    ("--node-ping-interval", duration, Patience().every),
    ("--node-ping-timeout", duration, Patience().within),
    ("--node-ping-failures", int, Patience().failures),  # ours
    ("--node-check-network", switch, True),
    ("--node-extra-annotations", pairs, {}),
    ("--node-extra-labels", pairs, {}),
    ("--enable-apiserver-support", switch, False),
    ("--metrics-enabled", switch, False),
    ("--metrics-address", str, ":8082"),
    ("--home-api-server-host", str, ""),
    ("--home-api-server-port", str, ""),
    ("--create-node", switch, True),
    ("--vk-lease-duration", duration, 15.0),
    ("--vk-lease-enabled", switch, True),
    *((f"--{kind}-reflection-workers", int, 1) for kind in REFLECTED),  # 0: not reflected
    *((f"--{kind}-reflection-type", partial(policy, kind), "DenyList") for kind in CHOSEN),
    ("--custom-resources", customs.kinds, ()),  # ours
    ("--refuse-too-large-pods", switch, False),  # ours; until one node has room for them
    *((f"--enable-{part}", switch, False) for part in OFFERED),
    *((f"--remote-real-{part}-class-name", str, "") for part in OFFERED),
)

# Understood, and without effect: we have no clients to slow down; storage and networks come with
# what they belong to.
VOID: tuple[Flag, ...] = (
    *((f"--{kind}-reflection-type", str, "") for kind in REFLECTED if kind not in CHOSEN),
    *((f"--{name}", str, "") for name in ("local-podcidr", "resync-period")),
    *(
        (f"--remote-{net}-cidr{end}", str, "")
        for net in ("pod", "external")
        for end in ("", "-remap")
    ),
    ("--enable-storage", switch, False),
    ("--remote-real-storage-class-name", str, ""),
    ("--virtual-storage-class-name", str, "liqo"),
    ("--enable-profiling", switch, False),
    ("--vk-lease-renew-interval", duration, 10.0),
    ("--vk-lease-retry-period", duration, 5.0),
    ("--client-qps", float, 0.0),
    ("--client-max-burst", int, 0),
    ("--client-timeout", duration, 0.0),
)
