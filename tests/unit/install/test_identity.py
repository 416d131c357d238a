"""The ConfigMap by which a cluster is known."""

from liqo.install.identity import manifests
from tests.unit.install.settled import settings


def test_the_cluster_id_is_found_by_its_label() -> None:
    [made] = manifests(settings())
    assert made["data"] == {"CLUSTER_ID": "rome"}
    assert made["metadata"]["labels"]["app.kubernetes.io/name"] == "clusterid-configmap"
    assert made["metadata"]["namespace"] == "liqo"
