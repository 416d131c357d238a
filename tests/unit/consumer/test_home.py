"""Our key pair and the tenant namespaces are found where the wire has them."""

from liqo.api.meta import Key
from liqo.consumer.home import key_pair, keys, namespaces_of
from liqo.kube.reading import Metadata
from liqo.runtime.tenants import tenant_namespaces
from tests.unit.consumer import things


def test_the_key_pair_is_read_from_its_secret_and_from_no_other() -> None:
    here, pair = things.caches(), things.key_pair()
    assert key_pair(here, things.HOME) is None
    keys(here, things.HOME).take(things.the_keys(pair))
    assert key_pair(here, things.HOME) == pair
    assert str(keys(here, things.HOME).scope) == "liqo,metadata.name=authentication-keys"


def test_half_a_key_pair_is_none() -> None:
    here = things.caches()
    keys(here, things.HOME).take(
        things.a_secret("authentication-keys", {"privateKey": b"x"}, namespace="liqo")
    )
    assert key_pair(here, things.HOME) is None


def test_a_tenant_namespace_is_found_by_its_labels_whatever_its_name() -> None:
    here = things.caches()
    made = things.a_namespace("handmade")
    tenant_namespaces(here).take(Metadata(metadata=made.metadata))
    assert namespaces_of(here, "milan") == ["handmade"]
    assert namespaces_of(here, "naples") == []
    assert tenant_namespaces(here).get(Key("", "handmade")) is not None
