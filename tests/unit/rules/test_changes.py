"""What may change of a pod that runs, and what is remembered about it."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec
from liqo.rules.changes import (
    Changeable,
    Made,
    changeable,
    digest,
    end_of,
    is_like,
    is_liqos,
    made_in,
    made_of,
)

SPEC: JSON = {
    "containers": [{"name": "web", "image": "web:1", "resources": {"claims": [], "limits": {}}}],
    "initContainers": [{"name": "proxy", "image": "proxy:1", "env": []}],
    "tolerations": [{"key": "x"}],
    "activeDeadlineSeconds": 9,
    "ephemeralContainers": [{"name": "look", "image": "tools"}],
    "restartPolicy": "Always",
}


def raw(content: JSON) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def a_shadow(generation: int = 1, annotations: dict[str, str] | None = None) -> ShadowPod:
    marks = {"app": "web", labels.ORIGIN: "rome"}
    metadata = Meta(generation=generation, labels=marks, annotations=annotations or {})
    return ShadowPod(metadata=metadata, spec=ShadowPodSpec(raw_pod=raw(SPEC)))


def a_pod(made: str | None) -> Pod:
    return Pod(metadata=Meta(annotations={} if made is None else {labels.MADE_OF: made}))


def test_only_what_may_change_is_read() -> None:
    read = changeable(raw(SPEC))
    assert read.images == {"web": "web:1", "proxy": "proxy:1"}
    assert read.sizes == {"web": {"limits": {}}, "proxy": {}}
    assert read.debuggers == {"look"}
    assert changeable(msgspec.Raw(b"null")) == Changeable()


def test_what_a_pod_is_made_of_is_written_on_it_and_read_again() -> None:
    made = made_of(a_shadow(annotations={"note": "mine"}), ["look"])
    assert made == Made(
        generation=1,
        labels=["app"],
        annotations=["note"],
        images={"web": digest("web:1"), "proxy": digest("proxy:1")},
        sizes={"web": digest({"limits": {}})},
        past=["look"],
    )
    assert made_in(a_pod(str(made))) == made


@pytest.mark.parametrize("told", [None, "", "{", "[]", '{"images": 3}'])
def test_a_pod_that_does_not_say_what_it_was_made_of_is_of_others_making(told: str | None) -> None:
    assert made_in(a_pod(told)) is None
    assert is_like(a_shadow(generation=7), a_pod(told))


def test_a_pod_is_like_its_shadow_pod_until_that_changes() -> None:
    pod = a_pod(str(made_of(a_shadow(), ())))
    assert is_like(a_shadow(), pod)
    assert not is_like(a_shadow(generation=2), pod)


def test_the_same_value_has_the_same_digest_in_whichever_order() -> None:
    assert digest({"a": "1", "b": "2"}) == digest({"b": "2", "a": "1"})
    assert digest({"a": "1"}) != digest({"a": "2"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("app", False),
        ("liqo.io", False),
        ("liqo.io/creator-user", True),
        ("offloading.liqo.io/origin", True),
        ("notliqo.io/a", False),
        ("example.org/liqo.io", False),
    ],
)
def test_keys_of_ours_are_known_by_their_domain(name: str, expected: bool) -> None:
    assert is_liqos(name) is expected


@pytest.mark.parametrize(("told", "expected"), [("5", 5), ("0", 0), ("-1", None), ("soon", None)])
def test_a_shadow_pod_may_ask_for_an_end(told: str, expected: int | None) -> None:
    assert end_of(a_shadow(annotations={labels.END_WITHIN: told})) == expected
    assert end_of(a_shadow()) is None
