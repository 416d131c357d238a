"""What of a Secret travels, and which stay."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.kubelet.reflect.around import Around
from liqo.kubelet.reflect.secrets import (
    LONG_LIVED_TOKEN,
    SECRETS,
    content,
    controller,
    is_one,
    judge,
    why_it_stays,
)
from tests.unit.kubelet.pods.things import SITE, raw
from tests.unit.kubelet.reflect.things import OURS, a_secret, caches, followed, token_marks

TOKEN = a_secret(fields={"type": LONG_LIVED_TOKEN}, annotations={labels.ALLOW_REFLECTION: "true"})


@pytest.mark.parametrize("kind", ["Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson"])
def test_its_type_and_all_of_its_content_travel(kind: str) -> None:
    secret = a_secret(fields={"type": kind, "immutable": True})
    assert content(secret) == {"data": {"a": "Yg=="}, "type": kind, "immutable": True}


def test_what_it_does_not_have_is_not_written() -> None:
    assert content(a_secret(fields={"raw_data": raw({})})) == {"type": "Opaque"}


def test_a_long_lived_token_never_leaves() -> None:
    assert judge(TOKEN, "DenyList") == judge(TOKEN, "AllowList") == "stays"
    assert why_it_stays(TOKEN, "DenyList") == "secrets holding service account tokens"


def test_P_SEC3_a_secret_may_be_kept_unless_a_pod_that_goes_out_mentions_it() -> None:
    assert judge(a_secret(), "OnlyReferenced") == "stays"
    assert judge(a_secret(), "OnlyReferenced", Around(is_mentioned=True)) == "goes"


def test_any_other_goes_by_the_policy() -> None:
    assert judge(a_secret(), "DenyList") == "goes"
    assert judge(a_secret(), "AllowList") == "stays"
    assert why_it_stays(a_secret(), "AllowList") == 'the current object (policy: "AllowList")'


def test_the_tokens_of_pods_are_made_elsewhere() -> None:
    assert not is_one(Meta(**token_marks()))
    assert is_one(Meta(labels=OURS))


def test_secrets_are_followed_on_both_sides() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE)
    assert made.name == SECRETS.name
    assert followed(made) == [
        "Secret",
        "atlas",
        "Secret",
        "arrivals",
        "arrivals",
        "Pod",
        "ShadowPod",
    ]
