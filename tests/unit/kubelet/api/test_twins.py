"""A pod of ours, and the one that stands for it."""

from __future__ import annotations

from liqo.api.meta import Key
from tests.unit.kubelet.api.things import a_pod, known


def test_a_pod_of_our_node_has_a_twin_of_its_name() -> None:
    assert known(a_pod("web")).of(Key("shop", "web")) == Key("shop-rome", "web")


def test_a_pod_of_another_node_is_none_of_ours() -> None:
    assert known().of(Key("shop", "web")) is None


def test_a_pod_whose_namespace_stays_has_no_twin() -> None:
    assert known(a_pod("web", "bank")).of(Key("bank", "web")) is None


def test_namespaces_have_the_names_that_they_have_at_home() -> None:
    told = known().as_at_home
    assert told("no container in pod web_shop-rome") == "no container in pod web_shop"
    assert (
        told("shop-rome-2 and my-shop-rome are others") == "shop-rome-2 and my-shop-rome are others"
    )
