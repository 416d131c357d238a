"""Which keys a change concerns."""

import msgspec

from liqo.api import labels
from liqo.api.authentication import Identity
from liqo.api.kubernetes import Secret
from liqo.api.meta import Meta
from liqo.provider.watched import (
    every_slice,
    every_tenant,
    holds_our_credentials,
    peer_of,
    slices_of_its_peer,
    tenant_of,
    tenants_of_its_peer,
)
from tests.unit.provider.things import HOME, a_home, a_nonce, a_renew, a_slice, a_tenant, holding

TENANT, SLICE = a_tenant(), a_slice()
HERE = holding(TENANT, SLICE)
STRANGER = a_nonce(consumer="paris")


def test_what_is_of_a_consumer_concerns_its_tenant_and_its_slices() -> None:
    assert tenants_of_its_peer(HERE)(a_home()) == [TENANT.key]
    assert slices_of_its_peer(HERE)(a_home()) == [SLICE.key]


def test_what_is_of_another_or_of_nobody_does_not() -> None:
    for stranger in (STRANGER, a_nonce(consumer="")):
        assert tenants_of_its_peer(HERE)(stranger) == []
        assert slices_of_its_peer(HERE)(stranger) == []


def test_a_tenant_is_known_by_its_spec_whatever_its_labels() -> None:
    bare = msgspec.structs.replace(TENANT, metadata=Meta(name="rome"))
    assert peer_of(bare) == "rome"


def test_what_concerns_all_concerns_all() -> None:
    own = msgspec.structs.replace(SLICE, metadata=Meta(name="own", resource_version="1"))
    assert every_tenant(HERE)(STRANGER) == [TENANT.key]
    assert every_slice(holding(SLICE, own))(STRANGER) == [SLICE.key]


def test_the_tenant_of_a_request_stands_beside_it_and_for_the_same_consumer() -> None:
    assert tenant_of(HERE, SLICE) == tenant_of(HERE, a_renew()) == TENANT
    assert tenant_of(HERE, a_slice(consumer_cluster_id="paris")) is None
    assert tenant_of(holding(SLICE), SLICE) is None


def test_a_namespace_holds_our_credentials_where_we_borrow_too() -> None:
    where = Meta(name="any", namespace=HOME, resource_version="1")
    marks = {labels.REMOTE_CLUSTER_ID: "rome", labels.IDENTITY_TYPE: "ControlPlane"}
    by_hand = Secret(metadata=msgspec.structs.replace(where, labels=marks))
    assert holds_our_credentials(holding(Identity(metadata=where)), HOME)
    assert holds_our_credentials(holding(by_hand), HOME)
    assert not holds_our_credentials(holding(a_nonce(), a_tenant()), HOME)
    assert not holds_our_credentials(holding(by_hand), "liqo-tenant-paris")
