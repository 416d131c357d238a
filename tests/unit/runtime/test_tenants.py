"""Which Secrets are read: one watch for each tenant, whoever asks."""

from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Meta
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.reading import Metadata
from liqo.runtime.tenants import secrets, tenant_namespaces


def test_secrets_are_followed_in_tenant_namespaces_and_nowhere_else() -> None:
    here = Caches(Cluster(Access("")))
    stray = Secret(metadata=Meta(name="a", namespace="shop", resource_version="2"))
    secrets(here).take(stray)
    assert secrets(here).get(Key("shop", "a")) is None
    tenant_namespaces(here).take(Metadata(metadata=Meta(name="shop", resource_version="1")))
    secrets(here).take(stray)
    assert secrets(here).get(Key("shop", "a")) == stray


def test_all_who_ask_share_one_copy() -> None:
    here = Caches(Cluster(Access("")))
    assert secrets(here) is secrets(here)
    assert str(secrets(here)) == (
        "Secret (liqo.io/remote-cluster-id) in each Namespace (liqo.io/tenant-namespace)"
    )
    assert len(list(here)) == 2
