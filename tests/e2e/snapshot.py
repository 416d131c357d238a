"""All that is in a cluster, to be compared with what is in it later."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

import orjson

from liqo.api.meta import JSON
from liqo.kube.cluster import Cluster
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from tests.e2e.eventually import ENDING, eventually

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
# What changes by itself, or is kept as a record of what happened.
PASSING = (
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "certificatesigningrequests.certificates.k8s.io",
    "apiservices.apiregistration.k8s.io",  # ours is there while somebody answers
    "componentstatuses",
    "nodes",
    "pods",
    "replicasets.apps",  # a Deployment has one, named after what is in it
    "ipaddresses.networking.k8s.io",
    "nodes.metrics.k8s.io",
    "pods.metrics.k8s.io",
)
VOLATILE = ("resourceVersion", "generation", "managedFields")
ADDRESSES = ("Endpoints", "EndpointSlice")  # they follow pods, which come and go
OF_ONE_LIFE = ("uid", "creationTimestamp")
HELD_BY = "finalizers"  # those who use an object hold it, a moment after it was made
# What is new in every peering: keys and signatures, and where nonces are kept.
SECRETS = ("csr", "signature", "authParams")
QUIET = 3  # looks in a row that see the same


async def snapshot(site: Site) -> dict[str, JSON]:
    """Every object with what was asked of it: not what became of it, nor when it was written.

    Without kubectl, which takes a second of the machine for that; some tests look all the time.
    """
    async with Cluster(from_kubeconfig(str(site.kubeconfig)), name=site.cluster.name) as cluster:
        found: dict[str, JSON] = {}
        for path, kind in (await _kinds(cluster)).items():
            listed = orjson.loads(await cluster.request(Request("GET", path)))["items"]
            found |= {_name(kind, item): _wanted(kind, item) for item in listed}
        return found


async def settled(site: Site) -> dict[str, JSON]:
    """The same, once all that is on its way has come or gone."""
    looks: list[dict[str, JSON]] = []

    async def restless() -> set[str]:
        """What was not the same in the last looks, and what is leaving."""
        looks.append(await snapshot(site))
        last, others = looks[-1], looks[-QUIET:-1]
        changing = {name for other in others for name in differences(other, last)}
        leaving = {name for name, item in last.items() if "deletionTimestamp" in item["metadata"]}
        return changing | leaving | ({"too few looks"} if len(looks) < QUIET else set())

    await eventually(restless, is_=set(), within=ENDING)
    return looks[-1]


async def is_again(sites: Iterable[Site], before: Iterable[dict[str, JSON]]) -> None:
    """All that was there is there, and no more; what nobody needs goes a moment later."""

    async def changed(site: Site, was: dict[str, JSON]) -> JSON:
        return differences(was, await snapshot(site))

    for site, was in zip(sites, before, strict=True):
        await eventually(partial(changed, site, was), is_={}, within=ENDING)


def differences(before: dict[str, JSON], after: dict[str, JSON]) -> JSON:
    """Of each object that came, went or changed: what it was, and what it is."""
    return {
        name: (before.get(name), after.get(name))
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    }


async def _kinds(cluster: Cluster) -> dict[str, str]:
    """The path of each kind that can be listed, in the version that its group prefers."""
    seen: set[str] = set()
    found = {}
    for root in ("/api", "/apis"):
        answer = orjson.loads(await cluster.request(Request("GET", root, accept=DISCOVERY)))
        for group in answer["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                for each in version.get("resources", ()):
                    full = f"{each['resource']}.{name}".rstrip(".")
                    if full in seen or full in PASSING or "list" not in (each["verbs"] or ()):
                        continue
                    seen.add(full)
                    parts = (root, name, version["version"], each["resource"])
                    found["/".join(filter(None, parts))] = each["responseKind"]["kind"]
    return found


def _name(kind: str, item: JSON) -> str:
    metadata = item["metadata"]
    return f"{kind} {metadata.get('namespace', '')}/{metadata['name']}"


def _wanted(kind: str, item: JSON) -> JSON:
    metadata = without(VOLATILE, item["metadata"])
    if kind in ADDRESSES:
        return {"metadata": {"name": metadata["name"]}}
    return {**item, "metadata": metadata, "status": None}


def without(keys: Collection[str], found: JSON) -> JSON:
    return {key: value for key, value in found.items() if key not in keys}


def alike(item: JSON) -> JSON:
    """What is the same in two objects that were made for the same reason at different times."""
    metadata = without((*OF_ONE_LIFE, HELD_BY), item["metadata"])
    owners = [without(OF_ONE_LIFE, owner) for owner in metadata.pop("ownerReferences", ())]
    return {
        **item,
        "metadata": {**metadata, "ownerReferences": owners},
        "spec": without(SECRETS, item.get("spec") or {}),
        "data": sorted(item.get("data") or ()),
    }
