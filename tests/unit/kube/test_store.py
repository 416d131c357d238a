"""Objects by key and by index."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta
from liqo.kube import indexes
from liqo.kube.indexes import Label
from liqo.kube.store import Store, is_newer, version

APP = Label("app")


def a_pod(name: str, app: str = "", version: str = "1") -> Pod:
    labels = {"app": app} if app else {}
    return Pod(metadata=Meta(name=name, namespace="shop", labels=labels, resource_version=version))


def test_put_and_remove_give_back_what_was_there() -> None:
    store: Store[Pod] = Store()
    first, second = a_pod("web"), a_pod("web", "shop")
    assert store.put(first.key, first) is None
    assert store.put(second.key, second) is first
    assert store.remove(second.key) is second
    assert store.remove(second.key) is None
    assert len(store) == 0


def test_an_index_made_late_knows_what_came_early() -> None:
    store: Store[Pod] = Store()
    pod = a_pod("web", "shop")
    store.put(pod.key, pod)
    assert store.by(APP, "shop") == [pod]
    assert store.by(indexes.namespace, "shop") == [pod]
    assert store.by(APP, "bank") == []


def test_an_alarm_is_told_and_names_no_object() -> None:
    store: Store[Pod] = Store()
    told: list[tuple[Pod | None, Pod | None]] = []
    store.subscribe(lambda old, new: told.append((old, new)))
    store.alarm()
    assert told == [(None, None)]


steps = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", "", "gone"])))


@given(steps)
def test_an_index_always_agrees_with_the_objects(steps: list[tuple[str, str]]) -> None:
    store: Store[Pod] = Store()
    store.by(APP, "x")
    for name, app in steps:
        if app == "gone":
            store.remove(Key("shop", name))
        else:
            store.put(Key("shop", name), a_pod(name, app))
    for app in ("x", "y"):
        by_hand = {pod.key for pod in store if pod.metadata.labels.get("app") == app}
        assert {pod.key for pod in store.by(APP, app)} == by_hand


def test_versions_are_compared_as_numbers() -> None:
    assert is_newer(a_pod("web", version="10"), a_pod("web", version="9"))
    assert not is_newer(a_pod("web", version="9"), a_pod("web", version="9"))
    assert is_newer(a_pod("web", version="1"), None)
    assert version(msgspec.structs.replace(a_pod("web"), metadata=Meta())) == 0
