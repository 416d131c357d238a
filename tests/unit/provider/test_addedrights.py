"""Where on milan a role is added for rome."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import Key, Meta, Resource
from liqo.kube.reading import Metadata
from liqo.provider.addedrights import BASE, controller, observe, places
from liqo.runtime.addedrights import State, binding
from liqo.runtime.sights import NAMESPACES
from liqo.runtime.tenants import OF_PEERS
from tests.unit.provider.maps import NAME, a_binding, a_namespace
from tests.unit.provider.things import holding

ROLE = ClusterRole(
    metadata=Meta(
        name="reflect-widgets", uid="r", resource_version="1", labels={labels.ADDED_TO: BASE}
    )
)


def test_it_is_added_in_namespaces_of_consumers_for_all_their_users() -> None:
    here = holding()
    here.of(NAMESPACES).take(a_namespace())
    here.of(RoleBinding, OF_PEERS).take(a_binding())
    here.of(ClusterRole).take(ROLE)
    [place] = places(here)
    assert (place.namespace, place.binding) == (NAME, "liqo-tenant-rome")
    assert (place.subject["kind"], place.subject["name"]) == ("Group", "rome")
    made = binding("reflect-widgets", "virtual-kubelet-remote", place)
    assert observe(here, ROLE.key) == State(ROLE, (made,), ())


@pytest.mark.parametrize(
    ("namespace", "given"),
    [
        pytest.param(a_namespace(), None, id="no rights yet, or no more"),
        pytest.param(a_namespace(going=True), a_binding(), id="it goes"),
        pytest.param(a_namespace(managed_by=""), a_binding(), id="of somebody else"),
        pytest.param(a_namespace(managed_by="other/milan"), a_binding(), id="of another map"),
        pytest.param(
            a_namespace(),
            msgspec.structs.replace(
                a_binding(), metadata=msgspec.structs.replace(a_binding().metadata, annotations={})
            ),
            id="a binding of somebody else",
        ),
    ],
)
def test_elsewhere_it_is_not_added(namespace: Metadata, given: RoleBinding | None) -> None:
    here = holding()
    here.of(NAMESPACES).take(namespace)
    if given is not None:
        here.of(RoleBinding, OF_PEERS).take(given)
    assert list(places(here)) == []


def test_what_concerns_a_role() -> None:
    here = holding()
    here.of(ClusterRole).take(ROLE)
    watches = controller(here).watches

    def concerned(changed: Resource, copy: object) -> list[Key]:
        return list(watches[copy](changed))

    bindings = here.of(RoleBinding, OF_PEERS)
    assert concerned(ROLE, here.of(ClusterRole)) == [ROLE.key]
    assert concerned(a_namespace(), here.of(NAMESPACES)) == [ROLE.key]
    assert concerned(Metadata(metadata=Meta(name="shop")), here.of(NAMESPACES)) == []
    assert concerned(a_binding(), bindings) == [ROLE.key]
    assert concerned(RoleBinding(metadata=Meta(name="x", namespace="shop")), bindings) == []
