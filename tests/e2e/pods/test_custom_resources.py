"""A kind of somebody else's follows the pods, where both administrators want it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import change, kubelets, own_options, rolled_out
from tests.e2e.offloaded import TENANT, condition, read
from tests.e2e.workloads import Shop

GROUP_OF_ROLES = "rbac.authorization.k8s.io"
RBAC = f"{GROUP_OF_ROLES}/v1"
GROUP, WIDGETS = "example.org", "widgets.example.org"
OPEN: JSON = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
CRD: JSON = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": WIDGETS},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": OPEN, "status": OPEN},
                    }
                },
            }
        ],
    },
}
NAMED = {"group": GROUP, "version": "v1", "kind": "Widget", "resource": "widgets"}


NAME = "reflect-widgets"
CONTROLLERS = {
    "kind": "ServiceAccount",
    "name": "liqo-controller-manager",
    "namespace": "liqo",
}


def a_role(name: str, *rules: JSON, **marks: str) -> JSON:
    return {
        "apiVersion": RBAC,
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": marks},
        "rules": [*rules],
    }


def added(base: str, *rules: JSON) -> JSON:
    return a_role(NAME, *rules, **{"offloading.liqo.io/added-to": base})


MAY_BIND: JSON = {
    "apiGroups": [GROUP_OF_ROLES],
    "resources": ["clusterroles"],
    "verbs": ["bind"],
    "resourceNames": [NAME],
}
HANDED_OUT = (
    a_role(f"bind-{NAME}", MAY_BIND),
    {
        "apiVersion": RBAC,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"bind-{NAME}"},
        "roleRef": {"apiGroup": GROUP_OF_ROLES, "kind": "ClusterRole", "name": f"bind-{NAME}"},
        "subjects": [CONTROLLERS],
    },
)


def rule(resource: str, verbs: str) -> JSON:
    return {"apiGroups": [GROUP], "resources": [resource], "verbs": verbs.split()}


AT_HOME = added(
    "virtual-kubelet-namespace", rule("widgets", "list watch"), rule("widgets/status", "patch")
)
ABROAD = added("virtual-kubelet-remote", rule("widgets", "create delete get list patch watch"))


@pytest.fixture
async def defined(peered: dict[str, Site]) -> AsyncIterator[None]:
    sites = {"rome": AT_HOME, "milan": ABROAD}
    for name, role in sites.items():
        things = {"apiVersion": "v1", "kind": "List", "items": [CRD, *HANDED_OUT, role]}
        await peered[name].kubectl("apply", "-f", "-", text=json.dumps(things))
        established = partial(condition, peered[name], f"crd/{WIDGETS}", "Established")
        await eventually(established, is_="True")
    try:
        yield
    finally:
        for name in sites:
            roles = (f"clusterrole/{NAME}", f"clusterrole/bind-{NAME}")
            given = f"clusterrolebinding/bind-{NAME}"
            await peered[name].kubectl("delete", f"crd/{WIDGETS}", *roles, given)


@pytest.fixture
async def options(peered: dict[str, Site], defined: None) -> AsyncIterator[str]:
    async with own_options(peered["rome"]) as name:
        yield name


async def named(rome: Site, options: str, *kinds: JSON) -> None:
    """These kinds are reflected, by a kubelet that started anew."""
    before = await kubelets(rome)
    await change(rome, options, {"customResources": [*kinds]})
    await eventually(lambda: kubelets(rome), lambda now: bool(now.keys() - before.keys()))
    await rolled_out(rome)


async def value(site: Site, thing: str, where: tuple[str, str], part: str) -> object:
    return (await read(site, thing, *where)).get(part)


async def test_its_spec_goes_out_its_status_comes_back_and_it_goes_with_its_like_at_home(
    trade: Shop, options: str
) -> None:
    rome, milan, thing = trade.rome, trade.milan, f"{WIDGETS}/a"
    await named(rome, options, NAMED)
    widget = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    await trade.put({**widget, "spec": {"size": 1}})
    there = partial(value, milan, thing, trade.there)
    await eventually(lambda: there("spec"), is_={"size": 1})
    merge = ("--type=merge", "-p")
    ready = json.dumps({"status": {"ready": True}})
    await milan.kubectl("patch", thing, *trade.there, "--subresource=status", *merge, ready)
    await eventually(partial(value, rome, thing, trade.here, "status"), is_={"ready": True})
    await milan.kubectl("patch", thing, *trade.there, *merge, json.dumps({"spec": {"size": 2}}))
    await eventually(lambda: there("spec"), is_={"size": 1})
    await rome.kubectl("delete", thing, *trade.here)
    gone = ("get", thing, *trade.there, "--ignore-not-found")
    await eventually(lambda: milan.kubectl(*gone), is_="")


async def test_a_kind_that_the_provider_does_not_serve_is_told_and_hinders_nobody(
    trade: Shop, options: str
) -> None:
    rome = trade.rome
    await named(rome, options, {**NAMED, "kind": "Gadget", "resource": "gadgets"})
    about = "involvedObject.kind=VirtualNode,reason=CustomResourceNotServed"
    told = ("-n", TENANT, "--field-selector", about, "-o", "jsonpath={.items[*].message}")
    unserved = "does not serve gadgets.example.org/v1"
    await eventually(lambda: rome.kubectl("get", "events", *told), lambda said: unserved in said)
    await trade.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}})
    await eventually(partial(trade.theirs, "configmap/settings"), bool)
