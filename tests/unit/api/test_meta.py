"""What every object has."""

from __future__ import annotations

import msgspec

from liqo.api.meta import Key, Kind, Meta, OwnerReference


def test_a_key_reads_as_people_write_it() -> None:
    assert str(Key("shop", "web")) == "shop/web"
    assert str(Key("", "milan")) == "milan"


def test_a_kind_knows_its_api_version() -> None:
    quota = Kind("offloading.liqo.io", "v1beta1", "Quota", "quotas")
    assert quota.api_version == "offloading.liqo.io/v1beta1"
    assert str(quota) == "Quota.offloading.liqo.io"
    assert Kind("", "v1", "Pod", "pods").api_version == "v1"
    assert str(Kind("", "v1", "Pod", "pods")) == "Pod"


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
