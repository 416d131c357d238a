"""What the pods of a node ask for, as they come and go."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.api.sizes import size_of
from liqo.kubelet.node.demand import Demand
from liqo.kubelet.pods.status import is_finished
from liqo.rules.fit import Bound, in_all
from liqo.rules.usage import amounts, taken
from tests.unit.kubelet.pods.things import a_pod, asking, running

OVER: JSON = {"phase": "Succeeded"}


def pod(name: str, cpu: str, status: JSON | None = None, **metadata: Any) -> Pod:
    return a_pod(status or running(), asking(cpu), name=name, **{"uid": name, **metadata})


def test_pods_count_from_when_they_come_until_they_go_or_have_finished() -> None:
    demand, web, task = Demand(), pod("web", "2"), pod("task", "500m", creation_timestamp="now")
    demand.follow(None, web)
    demand.follow(None, task)
    assert demand.total() == amounts({"cpu": "2500m", "pods": 2})
    assert demand.each()[1] == Bound(task.key, "now", amounts({"cpu": "500m", "pods": 1}))
    demand.follow(task, pod("task", "500m", OVER))
    assert [each.key for each in demand.each()] == [web.key]
    demand.follow(pod("task", "500m", OVER), None)
    demand.follow(web, None)
    assert (demand.each(), set(demand.total().values())) == ((), {0})


def test_what_is_no_change_of_an_object_changes_nothing() -> None:
    demand = Demand()
    demand.follow(None, None)
    assert (demand.each(), demand.total()) == ((), {})


def test_a_pod_that_is_resized_counts_with_its_new_size() -> None:
    demand = Demand()
    demand.follow(None, pod("web", "2"))
    demand.follow(pod("web", "2"), pod("web", "3"))
    assert demand.total() == amounts({"cpu": 3, "pods": 1})


def test_one_in_the_place_of_another_is_as_old_as_itself() -> None:
    demand, first = Demand(), pod("web", "2", uid="1", creation_timestamp="10:00")
    demand.follow(None, first)
    demand.follow(first, pod("web", "2", uid="2", creation_timestamp="10:01"))
    assert [each.since for each in demand.each()] == ["10:01"]


a_change = st.tuples(
    st.sampled_from("abc"), st.sampled_from(("1", "250m")), st.sampled_from((None, OVER, {}))
)


@given(st.lists(a_change))
def test_whatever_happens_it_is_the_sum_of_what_is_there(
    changes: list[tuple[str, str, JSON | None]],
) -> None:
    demand, there = Demand(), dict[Key, Pod]()
    for name, cpu, status in changes:
        key = Key("shop", name)
        old = there.pop(key, None)
        if status is not None:
            there[key] = pod(name, cpu, status)
        demand.follow(old, there.get(key))
    live = [each for each in there.values() if not is_finished(each)]
    sizes = [Bound(each.key, "", taken(size_of(each.raw_spec))) for each in live]
    assert sorted(demand.each(), key=lambda each: each.key) == sorted(
        sizes, key=lambda each: each.key
    )
    found = {name: nano for name, nano in demand.total().items() if nano}
    assert found == in_all(sizes)
