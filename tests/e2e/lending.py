"""A provider at work on a cluster of the playground: our kinds, the roles, the controllers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import yaml

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually

CRDS = Path(__file__).parents[2] / "deploy" / "crds"
ALL = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
CONTROL_PLANE_RULES: list[JSON] = [
    {
        "apiGroups": ["authentication.liqo.io"],
        "resources": ["renews", "renews/status", "resourceslices", "resourceslices/status"],
        "verbs": ALL,
    },
    {
        "apiGroups": ["offloading.liqo.io"],
        "resources": ["namespacemaps", "namespacemaps/status"],
        "verbs": ALL,
    },
]
USERS_RULES: list[JSON] = [
    {
        "apiGroups": ["metrics.liqo.io"],
        "resources": ["scrape/metrics"],
        "verbs": ["get", "list", "watch"],
    }
]


def a_role(name: str, rules: list[JSON]) -> JSON:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"liqo-{name}", "labels": {"app.kubernetes.io/name": name}},
        "rules": rules,
    }


def installation(namespace: str) -> str:
    """What an installation makes that these controllers need."""
    return yaml.safe_dump_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            a_role("remote-controlplane", CONTROL_PLANE_RULES),
            a_role("virtual-kubelet-remote-clusterwide", USERS_RULES),
        ]
    )


@asynccontextmanager
async def lending(site: Site, namespace: str, logs: Path) -> AsyncIterator[None]:
    """The controllers run as a process of their own, outside of the cluster."""
    await site.kubectl("apply", "--server-side", f"--filename={CRDS}")
    # kubectl fails, and does not wait, where one of them has no conditions at all yet.
    established = ("wait", "--for=condition=Established", f"--filename={CRDS}")
    await eventually(partial(site.kubectl, *established), bool)
    made = installation(namespace)
    await site.kubectl("apply", "--filename=-", text=made)
    with logs.open("wb") as log:
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "liqo.programs.controllers",
            "--cluster-id=milan",
            f"--liqo-namespace={namespace}",
            f"--kubeconfig={site.kubeconfig}",
            "--cluster-labels=region=B",
            stderr=log,
        )
    try:
        yield
    finally:
        program.terminate()
        assert await program.wait() == 0, logs.read_text()
        await site.kubectl("delete", "--ignore-not-found", "--filename=-", text=made)
