"""Serving certificates: a virtual kubelet may show that it is the node it stands for.

Runs on   consumer
Watches   CertificateSigningRequest (of kubelets), VirtualNode, Pod (kubelet), Namespace (tenant)
Writes    the approval of a signing request
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import CertificateSigningRequest, Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace
from liqo.kube.paths import Scope
from liqo.peering.foreigncluster.peer import KUBELETS
from liqo.rules import certificates
from liqo.runtime.approvals import approve, is_decided
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Plan, do
from liqo.runtime.tenants import tenant_namespaces

SIGNER = "kubernetes.io/kubelet-serving"
REQUESTS = Scope(fields=f"spec.signerName={SIGNER}")
USAGES = {"digital signature", "key encipherment", "server auth"}
ACCOUNT = re.compile(r"system:serviceaccount:([^:]+):([^:]+)")
NOBODY = Key("", "")


@dataclass(frozen=True)
class State:
    signing: CertificateSigningRequest
    in_tenant_namespace: bool  # is whoever asks
    addresses: frozenset[str]  # of the kubelets of the VirtualNode that is called like its account


def controller(here: Caches) -> Controller[State]:
    undecided = partial(_undecided, here)
    return Controller(
        name="peering/servingcertificates",
        watches={
            here.of(CertificateSigningRequest, REQUESTS): itself,
            here.of(VirtualNode): undecided,
            here.of(Pod, KUBELETS): undecided,
            tenant_namespaces(here): undecided,
        },
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    signing = here.of(CertificateSigningRequest, REQUESTS).get(key)
    if signing is None:
        return None
    account = requester(signing)
    is_tenants = tenant_namespaces(here).get(Key("", account.namespace)) is not None
    return State(signing, is_tenants, _addresses(here, account))


def plan(state: State) -> Plan:
    """S6: what is not surely a kubelet of ours is left to others, not denied.

    The account of a kubelet is called like its VirtualNode, and that like its Node.

    signing request                                         | what is done
    --------------------------------------------------------+-------------
    decided already, by whomever                            | nothing
    for another signer, or to be more than a server         | nothing
    not of a service account in a tenant namespace          | nothing
    for more or less than one node, or with other names     | nothing
    for a node that its account is not called like          | nothing
    for a node that is no VirtualNode of that namespace     | nothing
    for an address that no kubelet of that node has (yet)   | nothing
    else                                                    | approve
    """
    if is_decided(state.signing) or not _is_for_serving(state.signing):
        return NOTHING
    if not state.in_tenant_namespace or not _is_of_its_node(state):
        return NOTHING
    return do(approve(state.signing, "LiqoApproval", "This CSR was approved by Liqo"))


def requester(signing: CertificateSigningRequest) -> Key:
    """The service account that asks."""
    found = ACCOUNT.fullmatch(signing.spec.get("username", ""))
    return Key(found[1], found[2]) if found else NOBODY


def _is_for_serving(signing: CertificateSigningRequest) -> bool:
    usages = set(signing.spec.get("usages", ()))
    return signing.spec.get("signerName") == SIGNER and "server auth" in usages <= USAGES


def _is_of_its_node(state: State) -> bool:
    try:
        asked = certificates.serving_request(b64decode(state.signing.spec.get("request", "")))
    except ValueError:
        return False
    return asked.node == requester(state.signing).name and asked.addresses <= state.addresses


def _addresses(here: Caches, node: Key) -> frozenset[str]:
    """None, where there is no such VirtualNode."""
    if here.of(VirtualNode).get(node) is None:
        return frozenset()
    pods = here.of(Pod, KUBELETS).by(namespace, node.namespace)
    its = [pod for pod in pods if pod.metadata.labels.get(labels.VIRTUAL_NODE) == node.name]
    return frozenset(each["ip"] for pod in its for each in pod.status.get("podIPs", ()))


def _undecided(here: Caches, _: Resource) -> Iterable[Key]:
    requests = here.of(CertificateSigningRequest, REQUESTS)
    return [signing.key for signing in requests if not is_decided(signing)]
