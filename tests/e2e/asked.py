"""A control plane that asks our webhook: replicas as processes of their own, users with rights."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import uuid4

import yaml

from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import (
    ClusterRole,
    ClusterRoleBinding,
    CustomResourceDefinition,
    Namespace,
    RoleBinding,
)
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import Quota
from liqo.api.values import ResourceList
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound, ServerFault
from liqo.kube.http import Request
from liqo.rules import names
from liqo.webhooks.configuration import DEFAULT, NAME, Choices, configurations
from tests.e2e.account import may
from tests.e2e.control_plane import ControlPlane, Service
from tests.e2e.eventually import eventually

CRDS = Path(__file__).parents[2] / "deploy/crds"
GROUPS = ("authentication", "core", "offloading", "ipam")
LIQO = "liqo"
WEBHOOK = {"kind": "User", "name": "webhook"}
CONFIGURATIONS = (MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
READ = ("get", "list", "watch")
ALL = ("create", "delete", "get", "list", "patch", "update", "watch")


def rule(group: str, resources: str, verbs: Sequence[str]) -> JSON:
    return {"apiGroups": [group], "resources": resources.split(), "verbs": list(verbs)}


# No more than it has in a cluster, there partly limited to names: what it may not do would show.
WEBHOOK_RULES = [
    rule("", "namespaces nodes", READ),
    rule("", "namespaces", ("patch",)),
    rule("offloading.liqo.io", "namespaceoffloadings", (*READ, "create")),
    rule("authentication.liqo.io", "resourceslices tenants", READ),
    rule("offloading.liqo.io", "vkoptionstemplates", READ),
    rule("offloading.liqo.io", "quotas shadowpods", ("list", "watch")),
    rule("ipam.liqo.io", "networks", READ),
    rule(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        (*READ, "patch"),
    ),
]
SECRET_RULES = [rule("", "secrets", (*READ, "create", "patch"))]
LEASE_RULES = [rule("coordination.k8s.io", "leases", ("create", "get", "patch"))]
COPIES = "resourceslices resourceslices/status renews renews/status"
PEER_RULES = [
    rule("authentication.liqo.io", f"{COPIES} tenants", (*ALL, "deletecollection")),
    rule("offloading.liqo.io", "namespacemaps namespacemaps/status", (*ALL, "deletecollection")),
    rule("", "secrets", ALL),
]
KUBELET_RULES = [rule("offloading.liqo.io", "shadowpods", ALL)]
ROLES: Mapping[str, list[JSON]] = {
    "webhook": WEBHOOK_RULES,
    "webhook-secrets": SECRET_RULES,
    "webhook-leases": LEASE_RULES,
    "peers": PEER_RULES,
    "kubelets": KUBELET_RULES,
}


@dataclass
class Asked:
    plane: ControlPlane
    admin: Cluster
    replicas: list[Service] = field(default_factory=list)

    async def start(self, port: int, *flags: str) -> Service:
        """One more replica, reached as `localhost`: that is the name of its service."""
        folder = self.plane.folder
        kubeconfig = folder / "webhook.kubeconfig"
        kubeconfig.write_text(a_kubeconfig(self.plane.access("webhook")))
        arguments = [
            "--cluster-id=milan",
            "--service-name=localhost",
            f"--kubeconfig={kubeconfig}",
            f"--port={port}",
            *flags,
        ]
        program = [sys.executable, "-m", "liqo.programs.webhook", *arguments]
        service = Service(program, folder / f"webhook-{port}.log")
        self.replicas.append(service)
        await service.start()
        return service

    async def ask_at(self, port: int) -> None:
        """The API server asks there, from the moment that this returns."""
        await self.configure(port)
        await eventually(self._is_asking)

    async def configure(self, port: int, choices: Choices = DEFAULT) -> None:
        for body in configurations(LIQO, choices=choices):
            entries = [at_url(entry, port) for entry in body["webhooks"]]
            model = next(each for each in CONFIGURATIONS if each.KIND.name == body["kind"])
            await self.put(model.KIND, {**body, "webhooks": entries})

    async def put(self, kind: Kind, body: JSON) -> JSON:
        metadata = body["metadata"]
        key = Key(metadata.get("namespace", ""), metadata["name"])
        whole = {"apiVersion": kind.api_version, "kind": kind.name, **body}
        return await self.admin.apply(whole, kind=kind, key=key, manager="tests")

    async def tenant_namespace(self, peer: str, *, bound: bool = True) -> str:
        """Of a peer whose control plane, and whose people, may write there."""
        name = names.tenant_namespace(peer)
        marks = {"liqo.io/remote-cluster-id": peer, "liqo.io/tenant-namespace": "true"}
        await self.put(Namespace.KIND, {"metadata": {"name": name, "labels": marks}})
        await self.bind("peers", name, {"kind": "Group", "name": names.CONTROL_PLANES})
        if bound:
            await self.bind("webhook-secrets", name, WEBHOOK)
        return name

    async def offloaded_namespace(self, consumer: str) -> str:
        """Of a consumer whose kubelets may write there."""
        name = unique("shop")
        marks = {"liqo.io/remote-cluster-id": consumer}
        await self.put(Namespace.KIND, {"metadata": {"name": name, "labels": marks}})
        await self.bind("kubelets", name, {"kind": "Group", "name": consumer})
        return name

    async def quota(self, user: str, resources: ResourceList, **more: object) -> None:
        """What a user may take in all; in the words of its spec."""
        name = user.replace(":", "-")
        spec = {"user": user, "resources": resources, **more}
        await self.put(Quota.KIND, {"metadata": {"name": name, "namespace": LIQO}, "spec": spec})

    async def bind(self, role: str, namespace: str, subject: JSON) -> None:
        """In one namespace; an empty one is the whole cluster. Counts when this returns."""
        group = {"apiGroup": ClusterRole.KIND.group}
        body: JSON = {
            "metadata": {"name": role, **({"namespace": namespace} if namespace else {})},
            "roleRef": {"kind": "ClusterRole", "name": role, **group},
            "subjects": [{**subject, **group}],
        }
        await self.put(RoleBinding.KIND if namespace else ClusterRoleBinding.KIND, body)
        right = ROLES[role][0]
        asked = {
            "namespace": namespace,
            "group": right["apiGroups"][0],
            "resource": right["resources"][0],
            "verb": right["verbs"][0],
        }
        who = {"user": subject["name"], "groups": [subject["name"]]}
        await eventually(partial(may, self.admin, {**who, "resourceAttributes": asked}))

    @asynccontextmanager
    async def user(self, name: str, *groups: str) -> AsyncIterator[Cluster]:
        async with Cluster(self.plane.access(name, *groups), name="milan") as cluster:
            yield cluster

    async def install(self) -> None:
        files = [file for group in GROUPS for file in sorted(CRDS.glob(f"{group}.liqo.io_*.yaml"))]
        definitions = [yaml.safe_load(file.read_text()) for file in files]
        for each in definitions:
            await self.put(CustomResourceDefinition.KIND, each)
        await self.put(Namespace.KIND, {"metadata": {"name": LIQO}})
        for name, rules in ROLES.items():
            await self.put(ClusterRole.KIND, {"metadata": {"name": name}, "rules": rules})
        await self.bind("webhook", "", WEBHOOK)
        await self.bind("webhook-secrets", LIQO, WEBHOOK)
        await self.bind("webhook-leases", LIQO, WEBHOOK)
        for each in definitions:
            await eventually(partial(self._is_served, each["spec"]))

    async def remove_configurations(self) -> None:
        for model in CONFIGURATIONS:
            with suppress(NotFound):
                await self.admin.delete(model.KIND, Key("", NAME))

    async def _is_served(self, defined: JSON) -> bool:
        """Each kind for itself: that one is known says nothing of the next."""
        [version] = [each["name"] for each in defined["versions"] if each["storage"]]
        path = f"/apis/{defined['group']}/{version}/{defined['names']['plural']}?limit=1"
        return bool(await self.admin.request(Request("GET", path)))

    async def _is_asking(self) -> bool:
        """A name that is too long, and that nobody but us refuses."""
        body = a_slice("liqo", "x" * 51)
        try:
            await self.admin.create(body, kind=ResourceSlice.KIND, namespace="liqo")
        except ServerFault:
            return False  # it asks, and nobody answers yet
        except Exception as refusal:
            return "characters" in str(refusal)
        await self.admin.delete(ResourceSlice.KIND, Key("liqo", "x" * 51))
        return False


@asynccontextmanager
async def asked(folder: Path) -> AsyncIterator[Asked]:
    """Without any replica yet."""
    async with AsyncExitStack() as stack:
        plane = await stack.enter_async_context(ControlPlane(folder))
        access = plane.access("admin", "system:masters")
        made = Asked(plane, await stack.enter_async_context(Cluster(access, name="milan")))
        await made.install()
        try:
            yield made
        finally:
            for service in made.replicas:
                await service.kill()


def at_url(entry: JSON, port: int) -> JSON:
    path = entry["clientConfig"]["service"]["path"]
    return {**entry, "clientConfig": {"url": f"https://localhost:{port}{path}"}}


def a_kubeconfig(access: Access) -> str:
    authority = b64encode(access.authority.read().encode()).decode()
    cluster = {"server": access.server, "certificate-authority-data": authority}
    user = {
        "client-certificate": access.user.certificate.file,
        "client-key": access.user.key.file,
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "only",
            "clusters": [{"name": "only", "cluster": cluster}],
            "users": [{"name": "only", "user": user}],
            "contexts": [{"name": "only", "context": {"cluster": "only", "user": "only"}}],
        }
    )


def a_slice(namespace: str, name: str, spec: Mapping[str, object] | None = None) -> JSON:
    return {
        "apiVersion": ResourceSlice.KIND.api_version,
        "kind": "ResourceSlice",
        "metadata": {"name": name, "namespace": namespace},
        "spec": dict(spec or {}),
    }


def unique(word: str) -> str:
    return f"{word}-{uuid4().hex[:6]}"
