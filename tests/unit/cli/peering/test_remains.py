"""What stays with a provider that was not told, as far as its consumer knows."""

from __future__ import annotations

from liqo.cli.peering.remains import Remains, farewell, remains
from tests.unit.cli.peering.pairs import HERE, an_object, scene
from tests.unit.kube.scripted import a_list, refuses, says

NONE = a_list(version="1")


async def test_the_consumer_knows_its_slices_its_namespaces_and_where_they_are() -> None:
    notes = {"annotations": {"liqo.io/remote-tenant-namespace": "lent-to-rome"}}
    mapping = {"spec": {"desiredMapping": {"web": "web-rome", "app": "app-rome"}}}
    answers = [
        says(an_object("kubeconfig-controlplane-milan", HERE, metadata=notes)),
        a_list(an_object("mypool", HERE), an_object("milan", HERE), version="1"),
        says(an_object("milan", HERE, **mapping)),
    ]
    async with scene(rome=answers) as world:
        assert await remains(world.loan, HERE) == Remains(
            "rome", "milan", "lent-to-rome", ("milan", "mypool"), ("app-rome", "web-rome")
        )


async def test_who_forgot_everything_knows_the_usual_place() -> None:
    expected = Remains("rome", "milan", "liqo-tenant-rome")
    async with scene(rome=[NONE, refuses(404), NONE, refuses(404)]) as world:
        assert await remains(world.loan, "") == expected
        assert await remains(world.loan, HERE) == expected


def test_each_thing_that_stays_is_told_and_how_it_goes() -> None:
    left = Remains("rome", "milan", "liqo-tenant-rome", ("milan",), ("web-rome",))
    assert farewell(left, is_buried=True) == (
        'the provider "milan" was not told: there stay the namespace "liqo-tenant-rome" with the '
        'Tenant "rome", its ResourceSlices (milan) and Quotas (milan-a8a4c692b93b), the namespaces '
        "of its pods (web-rome); this cluster takes them back when it answers again, or its "
        "administrator takes them back with: liqoctl drain tenant rome"
    )


def test_who_has_no_credential_any_more_promises_nothing() -> None:
    told = farewell(Remains("rome", "milan", "liqo-tenant-rome"), is_buried=False)
    assert told == (
        'the provider "milan" was not told: there stay the namespace "liqo-tenant-rome" with the '
        'Tenant "rome"; its administrator takes them back with: liqoctl drain tenant rome'
    )
