"""Owner references."""

from liqo.api.authentication import Tenant
from liqo.api.meta import Meta, OwnerReference
from liqo.rules.ownership import owned_by


def test_what_is_owned_names_its_owner_and_holds_it() -> None:
    assert owned_by(Tenant(metadata=Meta(name="rome", uid="1"))) == OwnerReference(
        api_version="authentication.liqo.io/v1beta1",
        kind="Tenant",
        name="rome",
        uid="1",
        controller=True,
        block_owner_deletion=True,
    )
