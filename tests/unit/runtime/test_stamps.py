"""What an administrator wants on our objects, and on which it is put."""

from __future__ import annotations

from liqo.api.authentication import Renew
from liqo.api.kubernetes import RoleBinding, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import Quota, QuotaSpec
from liqo.runtime.controller import Controller
from liqo.runtime.plan import Action, Apply, Create, Delete, Manifest, Part, Plan, do
from liqo.runtime.stamps import Stamp, put_on, stamped

OURS = {"liqo.io/managed": "true"}
STAMP = Stamp(
    {"team": "borrowers", "of": "${kind}.${group}"}, {"where": "${namespace}/${name}", "own": "no"}
)


def a_secret(**metadata: JSON) -> Manifest:
    place = {"name": "a", "namespace": "shop", **metadata}
    return Manifest(Secret.KIND, {"metadata": place, "data": {"x": "y"}})


def a_quota(marks: dict[str, str]) -> Quota:
    return Quota(
        metadata=Meta(name="a", namespace="shop", labels=marks),
        spec=QuotaSpec(user="a", resources={}),
    )


def test_what_is_marked_as_ours_is_stamped_and_keeps_what_it_says_itself() -> None:
    said = a_secret(labels={**OURS, "peer": "milan"}, annotations={"own": "yes"})
    wanted = a_secret(
        labels={"team": "borrowers", "of": "Secret.", "peer": "milan"},
        annotations={"where": "shop/a", "own": "yes"},
    )
    assert put_on(Create(said), STAMP) == Create(wanted)
    assert put_on(Apply(said), STAMP) == Apply(wanted)


def test_kinds_of_our_own_are_stamped_too() -> None:
    stamp = put_on(Apply(a_quota(OURS)), STAMP)
    assert isinstance(stamp, Apply)
    assert isinstance(stamp.object, Quota)
    assert stamp.object.metadata.labels == {"team": "borrowers", "of": "Quota.offloading.liqo.io"}
    assert stamp.object.metadata.annotations == {"where": "shop/a", "own": "no"}


def test_in_bindings_nothing_is_filled_in() -> None:
    binding = Manifest(RoleBinding.KIND, {"metadata": {"name": "b", "labels": OURS}})
    stamp = put_on(Create(binding), STAMP)
    assert isinstance(stamp, Create)
    assert isinstance(stamp.object, Manifest)
    assert stamp.object.body["metadata"]["labels"]["of"] == "${kind}.${group}"


def test_what_is_not_ours_and_what_is_no_object_is_left_alone() -> None:
    renew = Renew(metadata=Meta(name="a", namespace="shop", labels={"peer": "milan"}))
    untouched: tuple[Action, ...] = (
        Apply(renew),
        Apply(a_secret()),
        Apply(a_quota({}), subresource="status"),
        Delete(a_quota(OURS)),
    )
    for action in untouched:
        assert put_on(action, STAMP) == action


def test_a_controller_decides_as_before_and_its_plan_is_stamped() -> None:
    def plan(_: Key) -> Plan:
        wanted = Create(a_secret(labels=OURS))
        return do(wanted, wake_after=3.0, parts=[Part("a", (wanted,))])

    plain = Controller[Key]("tests/stamp", {}, lambda key: key, plan)
    decided, wanted = stamped(plain, STAMP).plan(Key("shop", "a")), Create(a_secret(labels=OURS))
    put = put_on(wanted, STAMP)
    assert decided == do(put, wake_after=3.0, parts=[Part("a", (put,))])
    assert stamped(plain, Stamp()) is plain
