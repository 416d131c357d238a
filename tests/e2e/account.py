"""The ServiceAccount of the controllers, with the rights that an installation gives it."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from liqo.api.meta import JSON, Key, Kind
from liqo.install import roles
from liqo.install.settings import NAMESPACE, Settings
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.eventually import eventually

REVIEW = Kind(
    "authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", namespaced=False
)


async def narrow(site: Site, cluster: Cluster) -> Path:
    """A kubeconfig of that account, where the namespace of the installation is there."""
    made = list(roles.manifests(Settings(site.cluster.name, version="tests")))
    items = {"apiVersion": "v1", "kind": "List", "items": made}
    await site.kubectl("apply", "--server-side", "-f", "-", text=json.dumps(items))
    for resource, namespace in (("secrets", NAMESPACE), ("pods", "")):
        await eventually(partial(may_list, cluster, resource, namespace))
    token = await cluster.token(Key(NAMESPACE, names.CONTROLLER_MANAGER))
    admin = from_kubeconfig(str(site.kubeconfig))
    where = {
        "server": admin.server,
        "certificate-authority-data": b64encode(admin.authority.read().encode()).decode(),
    }
    if admin.server_name:
        where["tls-server-name"] = admin.server_name
    config: JSON = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "it", "cluster": where}],
        "users": [{"name": "me", "user": {"token": token.value}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "me"}}],
        "current-context": "it",
    }
    path = Path(mkdtemp()) / site.cluster.name
    path.write_text(json.dumps(config))
    return path


async def may_list(cluster: Cluster, resource: str, namespace: str) -> bool:
    """Whether that account may, as the API server sees it; in all namespaces, if none is said."""
    user = f"system:serviceaccount:{NAMESPACE}:{names.CONTROLLER_MANAGER}"
    asked = {"namespace": namespace, "verb": "list", "resource": resource}
    return await may(cluster, {"user": user, "resourceAttributes": asked})


async def may(cluster: Cluster, spec: JSON) -> bool:
    """As the API server sees it: it learns of rights a moment after they were written."""
    review: JSON = {"apiVersion": REVIEW.api_version, "kind": REVIEW.name, "spec": spec}
    answer = await cluster.create(review, kind=REVIEW)
    allowed: bool = answer["status"]["allowed"]
    return allowed
