"""Which request every action becomes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec
from liqo.kube.cluster import Token
from liqo.runtime.plan import (
    Apply,
    Create,
    Delete,
    Evict,
    Manifest,
    MintToken,
    Patch,
    PatchStatus,
    WantedToken,
    identity,
)
from liqo.runtime.requests import Request, Write, body_of, request_for, surplus, with_tokens
from tests.unit.runtime.things import KEY, Spec, Thing, a_pod, a_thing

POD = a_pod(resource_version="7")
WHAT = {"apiVersion": "test.liqo.io/v1", "kind": "Thing"}
NAMED = {"name": "web", "namespace": "rome"}
MANIFEST = Manifest(Pod.KIND, {"metadata": NAMED, "spec": {"nodeName": "milan"}})


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        pytest.param(
            Apply(a_thing(size=3)),
            Request(
                "apply", "local", Thing.KIND, KEY, {**WHAT, "metadata": NAMED, "spec": {"size": 3}}
            ),
            id="an apply sends the fields we mean and no others",
        ),
        pytest.param(
            Apply(Thing(metadata=identity(POD), spec=Spec(size=3)), subresource="scale"),
            Request(
                "apply",
                "local",
                Thing.KIND,
                KEY,
                {**WHAT, "metadata": {**NAMED, "uid": "pod-1"}, "spec": {"size": 3}},
                "scale",
                uid="pod-1",
            ),
            id="an apply to an identity names the uid, and its subresource",
        ),
        pytest.param(
            Create(MANIFEST, on="remote"),
            Request(
                "create",
                "remote",
                Pod.KIND,
                KEY,
                {"apiVersion": "v1", "kind": "Pod", **MANIFEST.body},
            ),
            id="a manifest is sent as it is, with its kind",
        ),
        pytest.param(
            Create(MANIFEST, or_apply=True),
            Request(
                "create",
                "local",
                Pod.KIND,
                KEY,
                {"apiVersion": "v1", "kind": "Pod", **MANIFEST.body},
                or_apply=True,
            ),
            id="what may have the name already is put right",
        ),
        pytest.param(
            Create(Manifest(Pod.KIND, {"metadata": {"generateName": "web-"}})),
            Request(
                "create",
                "local",
                Pod.KIND,
                Key("", ""),
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "web-"}},
            ),
            id="the API server may choose the name",
        ),
        pytest.param(
            Patch(POD, {"metadata": {"labels": {"a": None}}, "spec": {}}, form="strategic"),
            Request(
                "patch",
                "local",
                Pod.KIND,
                KEY,
                {"metadata": {"labels": {"a": None}, "uid": "pod-1"}, "spec": {}},
                form="strategic",
                uid="pod-1",
            ),
            id="a patch means the object that was observed",
        ),
        pytest.param(
            Patch(POD, {"spec": {}}, subresource="resize"),
            Request(
                "patch",
                "local",
                Pod.KIND,
                KEY,
                {"spec": {}, "metadata": {"uid": "pod-1"}},
                "resize",
                uid="pod-1",
            ),
            id="a patch of what has a path of its own",
        ),
        pytest.param(
            Patch(a_pod(uid=""), {"spec": {}}),
            Request("patch", "local", Pod.KIND, KEY, {"spec": {}, "metadata": {}}),
            id="a patch of an object of which only the name is known",
        ),
        pytest.param(
            PatchStatus(POD, {"phase": "Running"}),
            Request(
                "patch",
                "local",
                Pod.KIND,
                KEY,
                {"metadata": {"uid": "pod-1"}, "status": {"phase": "Running"}},
                "status",
                uid="pod-1",
            ),
            id="a status goes to its subresource",
        ),
        pytest.param(
            PatchStatus(
                POD,
                {},
                only_if_unchanged=True,
                labels=(("a", "b"),),
                annotations=(("c", "d"),),
            ),
            Request(
                "patch",
                "local",
                Pod.KIND,
                KEY,
                {
                    "metadata": {
                        "uid": "pod-1",
                        "resourceVersion": "7",
                        "labels": {"a": "b"},
                        "annotations": {"c": "d"},
                    },
                    "status": {},
                },
                "status",
                uid="pod-1",
            ),
            id="a status may insist on what was observed, and carry labels and annotations",
        ),
        pytest.param(
            Delete(POD, grace=0, propagation="Foreground"),
            Request(
                "delete",
                "local",
                Pod.KIND,
                KEY,
                uid="pod-1",
                grace=0,
                propagation="Foreground",
            ),
            id="a deletion means the object that was observed",
        ),
        pytest.param(
            Delete(POD, only_if_unchanged=True),
            Request("delete", "local", Pod.KIND, KEY, uid="pod-1", version="7"),
            id="and may insist on what was observed of it",
        ),
        pytest.param(
            Evict(POD, on="remote", grace=5),
            Request("evict", "remote", Pod.KIND, KEY, uid="pod-1", grace=5),
            id="so does an eviction",
        ),
    ],
)
def test_an_action_becomes_one_request(action: Write, request_: Request) -> None:
    assert request_for(action) == request_


EXPIRES = "liqo.io/expires"


def minting(metadata: JSON, **body: JSON) -> MintToken:
    return MintToken(
        service_account=Key("rome", "default"),
        bound_to=POD,
        wanted=(WantedToken("one"), WantedToken("two", audience="vault", seconds=600)),
        into=Manifest(Secret.KIND, {"metadata": metadata, **body}),
        expiry_annotation=EXPIRES,
    )


ISSUED = (Token("t1", "2026-01-01T02:00:00Z"), Token("t2", "2026-01-01T01:00:00Z"))


def test_issued_tokens_are_put_into_the_secret_with_the_first_expiry() -> None:
    action = minting(NAMED)
    body = {
        "metadata": {**NAMED, "annotations": {EXPIRES: "2026-01-01T01:00:00Z"}},
        "stringData": {"one": "t1", "two": "t2"},
    }
    assert with_tokens(action, ISSUED) == Apply(Manifest(Secret.KIND, body), on="remote")


def test_tokens_that_the_secret_holds_already_stay_and_may_expire_first() -> None:
    kept = {**NAMED, "annotations": {EXPIRES: "2026-01-01T00:30:00Z", "a": "b"}}
    secret = with_tokens(minting(kept, stringData={"old": "t0"}), ISSUED).object
    assert isinstance(secret, Manifest)
    assert secret.body["metadata"]["annotations"] == {EXPIRES: "2026-01-01T00:30:00Z", "a": "b"}
    assert secret.body["stringData"] == {"old": "t0", "one": "t1", "two": "t2"}


def test_the_key_of_an_object_is_that_of_its_metadata() -> None:
    assert request_for(Create(Thing(metadata=Meta(name="node")))).key == Key("", "node")


def test_what_is_undecoded_in_an_object_is_sent_as_it_is() -> None:
    shadow = ShadowPod(spec=ShadowPodSpec(raw_pod=Raw(b'{"containers":[]}')))
    assert body_of(shadow)["spec"] == {"pod": {"containers": []}}


@pytest.mark.parametrize(
    ("whole", "there", "expected"),
    [
        ((), {"data": {"more": "x"}}, None),
        (("data.*",), {}, None),
        (("data.*",), {"data": None}, None),
        (("data.*",), {"data": {"colour": "red"}}, None),
        (("data.*",), {"data": {"colour": "blue", "more": "x"}}, {"data": {"more": None}}),
        (("spec.tls",), {"spec": {"tls": [], "class": "x"}}, {"spec": {"tls": None}}),
        (
            ("spec.tls", "spec.rules", "spec.said"),
            {"spec": {"tls": [], "rules": [], "said": 1}},
            {"spec": {"tls": None, "rules": None}},
        ),
        (("spec.template.ports",), {"spec": {"template": {}}}, None),
    ],
)
def test_what_others_said_is_taken_away(
    whole: tuple[str, ...], there: JSON, expected: JSON | None
) -> None:
    said: JSON = {"metadata": NAMED, "data": {"colour": "red"}, "spec": {"said": 1}}
    request = request_for(Apply(Manifest(Pod.KIND, said), on="remote", whole=whole))
    answer = {**there, "metadata": {**NAMED, "uid": "pod-1"}}
    taken = surplus(request, answer)
    if expected is None:
        assert taken is None
    else:
        body = {**expected, "metadata": {"uid": "pod-1"}}
        assert taken == Request("patch", "remote", Pod.KIND, KEY, body, uid="pod-1")


SOME_DATA = st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=4)


@given(SOME_DATA, SOME_DATA)
def test_G03_after_an_apply_and_that_only_what_was_said_is_left(said: JSON, added: JSON) -> None:
    """Whatever others put there: an apply wins over them, and leaves the rest."""
    request = request_for(
        Apply(Manifest(Pod.KIND, {"metadata": NAMED, "data": said}), whole=("data.*",))
    )
    there = {**added, **said}
    taken = surplus(request, {"metadata": {"uid": "1"}, "data": there})
    removed = taken.body["data"] if taken is not None else {}
    assert {name: each for name, each in there.items() if name not in removed} == said
