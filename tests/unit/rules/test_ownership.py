"""Owner references."""

import pytest

from liqo.api.authentication import Tenant
from liqo.api.kubernetes import Pod
from liqo.api.meta import Meta, OwnerReference
from liqo.rules.ownership import controller_of, may_be_replaced, owned_by, used_by


def test_what_is_owned_names_its_owner_and_holds_it() -> None:
    assert owned_by(Tenant(metadata=Meta(name="rome", uid="1"))) == OwnerReference(
        api_version="authentication.liqo.io/v1beta1",
        kind="Tenant",
        name="rome",
        uid="1",
        controller=True,
        block_owner_deletion=True,
    )


def test_what_is_used_stays_for_its_user_and_is_controlled_by_another() -> None:
    assert used_by(Tenant(metadata=Meta(name="rome", uid="1"))) == OwnerReference(
        api_version="authentication.liqo.io/v1beta1", kind="Tenant", name="rome", uid="1"
    )


def a_pod(*owners: OwnerReference) -> Pod:
    return Pod(metadata=Meta(name="web", owner_references=owners))


def owner(kind: str, *, controller: bool | None = True) -> OwnerReference:
    return OwnerReference(
        api_version="apps/v1", kind=kind, name="web", uid="1", controller=controller
    )


@pytest.mark.parametrize(
    ("pod", "kind", "is_replaced"),
    [
        (a_pod(), "", False),
        (a_pod(owner("ReplicaSet", controller=None)), "", False),
        (a_pod(owner("Backup", controller=None), owner("ReplicaSet")), "ReplicaSet", True),
        (a_pod(owner("Job")), "Job", False),
    ],
)
def test_only_what_controls_a_pod_makes_another(pod: Pod, kind: str, is_replaced: bool) -> None:
    assert (controller_of(pod), may_be_replaced(pod)) == (kind, is_replaced)
