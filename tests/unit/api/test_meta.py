"""What every object has: a kind, a key, and names on the wire."""

import msgspec
import pytest

from liqo.api.meta import Key, Kind, Meta, OwnerReference, wire_name
from tests.builders import a_slice


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("uid", "uid"),
        ("cluster_id", "clusterID"),
        ("aws_access_key_id", "awsAccessKeyID"),
        ("aws_user_arn", "awsUserArn"),
        ("signed_crt", "signedCRT"),
        ("remote_cidrs", "remoteCIDRs"),
        ("api_version", "apiVersion"),
        ("class_", "class"),
    ],
)
def test_a_field_has_the_name_that_the_wire_gives_it(field: str, name: str) -> None:
    assert wire_name(field) == name


def test_a_key_reads_as_kubectl_writes_it() -> None:
    assert str(Key("shop", "web")) == "shop/web"
    assert str(Key("", "milan")) == "milan"


def test_a_resource_knows_its_key() -> None:
    assert a_slice().key == Key("liqo-tenant-milan", "mypool")


def test_a_kind_of_the_core_has_no_group() -> None:
    pod = Kind("", "v1", "Pod", "pods")
    assert (pod.api_version, str(pod)) == ("v1", "Pod")


def test_a_kind_of_ours_has_one() -> None:
    tenant = Kind("authentication.liqo.io", "v1beta1", "Tenant", "tenants")
    assert tenant.api_version == "authentication.liqo.io/v1beta1"
    assert str(tenant) == "Tenant.authentication.liqo.io"


def test_metadata_leaves_out_what_says_nothing() -> None:
    assert msgspec.json.encode(Meta(name="web")) == b'{"name":"web"}'


def test_metadata_forgets_who_manages_which_field() -> None:
    text = b'{"name":"web","managedFields":[{"manager":"kubectl"}],"creationTimestamp":null}'
    assert msgspec.json.decode(text, type=Meta) == Meta(name="web")


def test_an_owner_is_written_as_kubernetes_names_it() -> None:
    owner = OwnerReference(api_version="v1", kind="Node", name="a", uid="b", controller=True)
    assert msgspec.json.decode(msgspec.json.encode(owner)) == {
        "apiVersion": "v1",
        "kind": "Node",
        "name": "a",
        "uid": "b",
        "controller": True,
    }
