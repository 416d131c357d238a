"""A peering user: a kubeconfig for whoever peers on behalf of a consumer."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from liqo.api import labels
from liqo.api.authentication import Identity
from liqo.api.kubernetes import CertificateSigningRequest, Deployment, RoleBinding, Secret
from liqo.api.meta import JSON
from liqo.cli import apiserver, peering_users, release
from liqo.cli.call import Call, Deadline
from liqo.cli.peering import namespaces
from liqo.cli.peering.sides import Side, alone
from liqo.errors import LiqoError
from liqo.kube import signing
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.rules import certificates, keys, names
from liqo.rules.kubeconfig import Login, kubeconfig

ADDRESS = "api-server-address-override"
COMPATIBLE = "tls-compatibility-mode"
WARNINGS = (
    "A peering user cannot be made on EKS: it signs no certificates of clients.",
    "Keep the kubeconfig: it is printed once, and stored nowhere.",
    'The kubeconfig is of use only for peering from the cluster with ID "{consumer}".',
)
SHARED = (
    'This cluster borrows from "{consumer}": its credentials are in the namespace "{place}", and '
    "a peering user may read them there, and replace them."
)


async def generate(call: Call, consumer: str, said: Mapping[str, Any]) -> None:
    liqo_namespace, out = said["liqo_namespace"], call.out
    async with call.cluster() as cluster:
        provider = alone(call, cluster)
        await free(cluster, consumer)
        if place := await our_credentials(cluster, consumer):
            out.warning(SHARED.format(consumer=consumer, place=place))
            out.confirm("generate peering-user", skip=call.settings.skip_confirm)
        for warning in WARNINGS:
            out.warning(warning.format(consumer=consumer))
        with out.step("Generating user", "User generated successfully"):
            controllers = await installed(cluster, liqo_namespace)
            user = new_user(consumer, compatible=is_compatible(said["compatible"], controllers))
            deadline = Deadline(said["timeout"])
            async with deadline.waiting(f'the end of an earlier namespace of "{consumer}"'):
                home = await namespaces.ensure(provider, consumer)
            async with all_or_nothing(cluster, consumer, deadline):
                certificate = await certified(provider, user)
                await bind(provider, user, (liqo_namespace, home))
            told = release.flag(controllers, ADDRESS)
            server = await apiserver.url(cluster, told) or cluster.access.server
        login = Login(
            cluster=consumer,
            server=server,
            user=f"{consumer}-user",
            certificate=certificate,
            key=user.key,
            authority=cluster.access.authority.read().encode(),
            namespace=home,
        )
    out.text(kubeconfig(login).decode())


@dataclass(frozen=True)
class User:
    consumer: str
    common_name: str  # never the same twice: who was deleted does not come back
    key: bytes


def new_user(consumer: str, *, compatible: bool) -> User:
    key = keys.private_pem(keys.new_key(tls_compatible=compatible))
    return User(consumer, f"{names.peering_user(consumer)}-{secrets.token_hex(16)}", key)


async def free(cluster: Cluster, consumer: str) -> None:
    """R20: found by its label, before anything is made."""
    if await peering_users.parts(cluster, consumer):
        raise LiqoError(
            f'there is a peering user for cluster with ID "{consumer}" already, and its kubeconfig '
            "is stored nowhere; for a new one, delete it first: "
            f"liqoctl delete peering-user --consumer-cluster-id {consumer}"
        )


async def our_credentials(cluster: Cluster, consumer: str) -> str:
    """The tenant namespace, if it holds what is ours: we borrow from that cluster as well."""
    home = await namespaces.find_name(cluster, consumer)
    if not home:
        return ""
    for kind, marked in ((Identity, ""), (Secret, labels.IDENTITY_TYPE)):
        found = await cluster.list(metadata(kind), scope=Scope(home, marked), resource_version="")
        if found.items:
            return home
    return ""


async def installed(cluster: Cluster, liqo_namespace: str) -> JSON:
    """The container of the controllers; an empty one where they run elsewhere."""
    scope = Scope(liqo_namespace, release.SELECTOR)
    found = (await cluster.list(Deployment, scope=scope, resource_version="")).items
    return release.controllers(found) if found else {}


def is_compatible(mode: str, controllers: JSON) -> bool:
    if mode != "auto":
        return mode == "true"
    return release.flag(controllers, COMPATIBLE) == "true"


@asynccontextmanager
async def all_or_nothing(
    cluster: Cluster, consumer: str, deadline: Deadline
) -> AsyncIterator[None]:
    """Also when the time is over, which is a failure only outside of the deadline."""
    try:
        async with deadline.waiting("the certificate of the user, which nobody signs"):
            yield
    except LiqoError:
        await peering_users.remove(cluster, consumer)
        raise


async def certified(provider: Side, user: User) -> bytes:
    request = certificates.request(user.key, names.CONTROL_PLANES, user.common_name)
    wanted = peering_users.signing_request(user.consumer, request)
    await provider.put(wanted, CertificateSigningRequest)
    name = names.peering_user(user.consumer)
    await signing.approve(provider.cluster, name, **peering_users.APPROVAL)
    return (await signing.issued(provider.cluster, name)).encode()


async def bind(provider: Side, user: User, places: tuple[str, str]) -> None:
    bound = await peering_users.roles(provider.cluster, places[0])
    for each in peering_users.bindings(user.consumer, user.common_name, places, bound):
        await provider.put(each, RoleBinding)
