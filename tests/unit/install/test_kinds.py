"""Kinds by their manifests."""

from liqo.api.kubernetes import CustomResourceDefinition, Deployment, Namespace
from liqo.api.meta import Key
from liqo.install.kinds import ORDER, WEBHOOKS, key_of, kind_of, manifest


def test_a_manifest_tells_its_kind_and_key() -> None:
    made = manifest(Deployment.KIND, "web", {"a": "b"}, "liqo")
    assert kind_of(made) == Deployment.KIND
    assert key_of(made) == Key("liqo", "web")


def test_what_belongs_to_the_cluster_has_no_namespace() -> None:
    assert key_of(manifest(Namespace.KIND, "liqo", {})) == Key("", "liqo")


def test_definitions_come_before_their_objects_and_what_calls_us_last() -> None:
    assert ORDER[:2] == (Namespace.KIND, CustomResourceDefinition.KIND)
    assert ORDER[-2:] == WEBHOOKS
