"""The table of reviews and the configuration of the API server are two ends of one thing."""

from __future__ import annotations

from typing import Any

from liqo.rules.kubelets import Surroundings
from liqo.webhooks.configuration import WEBHOOKS, of_namespaces
from liqo.webhooks.review import Request
from liqo.webhooks.reviews.table import Acts, Copies, reviews


async def nothing_first(_: Request[Any]) -> None:
    """Before an answer."""


def test_whatever_the_api_server_asks_is_answered_and_nothing_else() -> None:
    known = Copies(lambda _: None, lambda _: None)
    table = reviews(Surroundings("rome", "liqo"), known, Acts(nothing_first), "liqo")
    asked = {webhook.path: webhook.kind for webhook in (*WEBHOOKS, *of_namespaces("liqo"))}
    assert {path: review.kind.KIND for path, review in table.items()} == asked


def test_what_must_be_done_first_is_done_where_it_belongs() -> None:
    known = Copies(lambda _: None, lambda _: None)
    for admission in (None, nothing_first):
        acts = Acts(nothing_first, admission)
        table = reviews(Surroundings("rome", "liqo"), known, acts, "liqo")
        assert {path: review.first for path, review in table.items() if review.first} == {
            "/validate/namespace-offloading": nothing_first,
            **({"/validate/shadowpods": admission} if admission else {}),
        }
