"""When tokens are issued for a pod, when again, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.kube.cluster import Token
from liqo.kube.errors import Conflict, KubeError, NotFound, Throttled
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.orphans import FORSAKEN, LATE, LONG_AGO, Alone
from liqo.kubelet.reflect.tokens import (
    AT_LEAST,
    RENEW_AT,
    SPREAD,
    State,
    due,
    failed,
    plan,
    tokens_in,
)
from liqo.runtime.plan import NOTHING, Delete, MintToken, Plan, Record, WantedToken, do
from liqo.runtime.requests import request_for, with_tokens
from tests.unit.kubelet.pods.things import NOW, PLACE, SITE, a_pod, running
from tests.unit.kubelet.reflect.things import (
    GOING,
    asking,
    there,
    token_marks,
)

KEY = Key("shop", "web-0")
FIELD = "kube-api-access-abcde-3c469e"  # as the projected volume of the remote pod asks for it
POD = a_pod(spec=asking())
SILENT = a_pod()
ISSUED = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def a_secret(name: str = "web-0-token", **more: Any) -> Secret:
    """With tokens of an hour, issued at ten; now it is 10:18."""
    return there(Secret, name, **{**token_marks(), **more})


def of_pod(uid: str) -> JSON:
    return token_marks(**{labels.SERVICE_ACCOUNT_POD_UID: uid})


def on_node(name: str) -> JSON:
    return {"labels": {**token_marks()["labels"], labels.NODE_NAME: name}}


SECRET = a_secret()
FOREIGN = there(Secret, "web-0-token", labels={})
REFLECTED = there(Secret, "web-0-token")
EARLIER = a_secret(**of_pod("local-0"))
OF_ANOTHER_NODE = a_secret(**on_node("milan-2"))
LEAVING = a_secret(deletion_timestamp=GOING)


def state(local: Pod | None = POD, remote: Secret | None = None, **more: Any) -> State:
    return State(SITE, more.pop("now", NOW), more.pop("place", PLACE), local, remote, **more)


def minted(seen: State) -> MintToken:
    (action,) = plan(seen).actions
    assert isinstance(action, MintToken)
    return action


def warned(words: str) -> Plan:
    message = f'Error reflecting object to cluster "milan": {words}'
    told = Record(POD, "FailedSATokensReflection", message, type="Warning")
    return do(replace(told, component="liqo-serviceaccount-reflection"))


TAKEN = warned(
    "remote object already exists: Secret shop-rome/web-0-token is not ours. Delete it there"
)
DISABLED = a_pod(spec=asking(), annotations={labels.API_SERVER_SUPPORT: "disabled"})
REMOTE = a_pod(spec=asking(), annotations={labels.API_SERVER_SUPPORT: "remote"})
WITHOUT_PODS = Place("shop-rome", keeps_pods=True)
FINISHED = a_pod({"phase": "Succeeded"}, asking())


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(state(is_followed=False), NOTHING, id="P-RACE12 milan is not followed yet"),
        pytest.param(
            state(None, SECRET, alone=Alone(LONG_AGO)),
            do(Delete(SECRET, on="remote")),
            id="the pod was seen to go",
        ),
        pytest.param(
            state(None, SECRET, alone=Alone(NOW - LATE)),
            do(Delete(SECRET, on="remote")),
            id="the pod is gone for a while",
        ),
        pytest.param(
            state(None, SECRET, alone=Alone(NOW - timedelta(seconds=1))),
            do(wake_after=LATE.total_seconds() - 1),
            id="the watch of the pod may be late",
        ),
        pytest.param(
            state(None, SECRET, alone=Alone(NOW), is_leaving=True),
            do(Delete(SECRET, on="remote")),
            id="the pod is gone, and soon its kubelet",
        ),
        pytest.param(state(None, LEAVING, alone=Alone(LONG_AGO)), NOTHING, id="both are gone"),
        pytest.param(state(None, OF_ANOTHER_NODE), NOTHING, id="the pod is another node's"),
        pytest.param(
            state(None, OF_ANOTHER_NODE, alone=Alone(NOW - FORSAKEN, is_forsaken=True)),
            do(Delete(OF_ANOTHER_NODE, on="remote")),
            id="its node is no more",
        ),
        pytest.param(
            state(None, OF_ANOTHER_NODE, alone=Alone(NOW, is_forsaken=True), is_leaving=True),
            do(wake_after=FORSAKEN.total_seconds()),
            id="its node may only be new",
        ),
        pytest.param(state(None, FOREIGN), NOTHING, id="no pod, and a foreign Secret"),
        pytest.param(state(FINISHED), NOTHING, id="a finished pod needs none"),
        pytest.param(state(FINISHED, SECRET, now=NOW + HOUR), NOTHING, id="and no new ones"),
        pytest.param(
            state(POD, EARLIER), do(Delete(EARLIER, on="remote")), id="they are an earlier pod's"
        ),
        pytest.param(state(SILENT), NOTHING, id="it asks for none"),
        pytest.param(state(SILENT, FOREIGN), NOTHING, id="it asks for none, taken or not"),
        pytest.param(
            state(SILENT, SECRET, now=NOW + HOUR),
            do(Delete(SECRET, on="remote")),
            id="it never asked for those",
        ),
        pytest.param(
            state(SILENT, SECRET),
            do(Delete(SECRET, on="remote")),
            id="it never asked for those, however fresh they are",
        ),
        pytest.param(state(SILENT, LEAVING), NOTHING, id="and they go already"),
        pytest.param(state(DISABLED), NOTHING, id="P-SEC2 it talks to nobody"),
        pytest.param(state(REMOTE), NOTHING, id="P-SEC2 it talks to the provider"),
        pytest.param(state(REMOTE, FOREIGN), NOTHING, id="P-SEC2 a foreign Secret is left alone"),
        pytest.param(state(place=WITHOUT_PODS), NOTHING, id="it stays at home"),
        pytest.param(
            state(remote=SECRET, place=WITHOUT_PODS),
            do(Delete(SECRET, on="remote")),
            id="it stays at home, and its tokens left",
        ),
        pytest.param(
            state(remote=FOREIGN, place=WITHOUT_PODS), NOTHING, id="it stays, taken or not"
        ),
        pytest.param(state(is_leaving=True), NOTHING, id="its node leaves: it never goes out"),
        pytest.param(state(POD, FOREIGN, is_leaving=True), NOTHING, id="nor needs a name"),
        pytest.param(state(POD, FOREIGN), TAKEN, id="the name is taken"),
        pytest.param(state(POD, REFLECTED), TAKEN, id="the name is taken by a Secret of ours"),
        pytest.param(state(POD, LEAVING), NOTHING, id="somebody deletes it there"),
    ],
)
def test_what_is_done(seen: State, expected: Plan) -> None:
    assert plan(seen) == expected


@pytest.mark.parametrize("pod", [DISABLED, REMOTE], ids=["nobody", "the provider"])
def test_P_FORGE8_a_pod_that_does_not_talk_to_us_loses_tokens_that_another_kubelet_issued(
    pod: Pod,
) -> None:
    assert plan(state(pod, SECRET)) == do(Delete(SECRET, on="remote"))


def test_a_pod_that_ran_before_its_namespace_went_without_its_pods_keeps_its_tokens() -> None:
    ran = a_pod(running(), asking())
    assert minted(state(ran, place=WITHOUT_PODS)).bound_to == ran


def test_a_pod_that_ran_on_a_node_that_leaves_has_tokens_when_it_is_made_again() -> None:
    ran = a_pod(running(), asking())
    assert minted(state(ran, is_leaving=True)).bound_to == ran


def test_P_SEC2_without_an_api_server_to_talk_to_no_token_leaves() -> None:
    assert plan(replace(state(), site=replace(SITE, api_server=None))) == NOTHING


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(state(), id="there is none, or it was deleted"),
        pytest.param(state(remote=SECRET, now=NOW + HOUR), id="they are due"),
        pytest.param(state(remote=OF_ANOTHER_NODE), id="it says another node"),
        pytest.param(
            state(remote=SECRET, now=NOW + HOUR, is_leaving=True), id="it is out, its node leaves"
        ),
        pytest.param(
            state(remote=a_secret(**token_marks(**{labels.SERVICE_ACCOUNT_EXPIRATION: "soon"}))),
            id="it says no time",
        ),
    ],
)
def test_tokens_are_issued(seen: State) -> None:
    action = minted(seen)
    assert action.service_account == Key("shop", "default")
    assert action.bound_to == POD
    assert action.wanted == (WantedToken(FIELD, seconds=3607),)
    assert action.expiry_annotation == labels.SERVICE_ACCOUNT_EXPIRATION
    assert action.on == "remote"


def test_the_secret_is_as_the_wire_has_it() -> None:
    apply = with_tokens(minted(state()), [Token("eyJ", "2026-11-15T11:18:07Z")])
    request = request_for(apply)
    assert (request.verb, request.on, request.key) == (
        "apply",
        "remote",
        Key("shop-rome", "web-0-token"),
    )
    assert request.body == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "web-0-token",
            "namespace": "shop-rome",
            "labels": token_marks()["labels"],
            "annotations": {
                "offloading.liqo.io/service-account-for-pod-name": "web-0",
                "offloading.liqo.io/service-account-for-pod-uid": "local-1",
                "offloading.liqo.io/service-account-issued": "2026-11-15T10:18:00Z",
                "offloading.liqo.io/service-account-expiration": "2026-11-15T11:18:07Z",
            },
        },
        "type": "Opaque",
        "immutable": False,
        "stringData": {FIELD: "eyJ"},
    }


def test_P_FORGE7_long_names_make_valid_objects() -> None:
    account, name = "a" * 253, "p" * 253
    pod = a_pod(spec=asking(serviceAccountName=account), name=name)
    action = minted(state(pod))
    metadata = action.into.body["metadata"]
    assert action.service_account == Key("shop", account)
    assert len(metadata["name"]) == 253
    assert metadata["name"].endswith("-token")
    assert len(metadata["labels"][labels.SERVICE_ACCOUNT_NAME]) == 63
    assert metadata["annotations"][labels.SERVICE_ACCOUNT_POD_NAME] == name


def test_after_a_restart_tokens_that_are_there_are_used_until_they_are_due() -> None:
    decided = plan(state(remote=SECRET))
    assert decided.actions == ()
    assert decided.wake_after is not None
    assert 30 * 60 <= decided.wake_after <= 30 * 60 + SPREAD.total_seconds()
    at = NOW + timedelta(seconds=decided.wake_after)
    assert plan(state(remote=SECRET, now=at - timedelta(seconds=1))).actions == ()
    assert minted(state(remote=SECRET, now=at)).bound_to == POD


def test_every_pod_renews_at_a_moment_of_its_own_and_always_at_the_same() -> None:
    moments = {due(SECRET.metadata, f"pod-{number}") for number in range(100)}
    early = ISSUED + RENEW_AT * HOUR
    assert len(moments) == 100
    assert early <= min(moments) < early + SPREAD / 10
    assert early + SPREAD * 0.9 < max(moments) < early + SPREAD
    assert due(SECRET.metadata, "pod-7") == due(SECRET.metadata, "pod-7")


def test_what_counts_is_how_long_they_live_and_not_how_long_they_should() -> None:
    """An API server may issue less than it is asked for; they are not renewed at once for that."""
    short = token_marks(**{labels.SERVICE_ACCOUNT_EXPIRATION: "2026-11-15T10:10:00Z"})
    moment = due(Meta(**short), "local-1")
    assert ISSUED + timedelta(minutes=8) <= moment < ISSUED + timedelta(minutes=10)


def test_a_clock_that_is_wrong_does_not_make_us_issue_without_pause() -> None:
    past = token_marks(**{labels.SERVICE_ACCOUNT_EXPIRATION: "2026-11-15T09:00:00Z"})
    assert due(Meta(**past), "local-1") >= ISSUED + AT_LEAST


def test_of_those_that_another_kubelet_issued_the_end_is_known() -> None:
    ends = {labels.SERVICE_ACCOUNT_EXPIRATION: "2026-11-15T11:00:00Z"}
    assert due(Meta(annotations=ends), "local-1") == ISSUED + timedelta(minutes=48)


def test_all_volumes_may_ask_for_tokens() -> None:
    vault = {"serviceAccountToken": {"path": "vault/token", "audience": "vault"}}
    nameless: JSON = {"serviceAccountToken": {}}
    spec = asking()
    spec["volumes"] += [
        {"name": "vault", "projected": {"sources": [vault, {"secret": {"name": "x"}}]}},
        {"name": "plain", "projected": {"sources": [nameless]}},
        {"name": "empty", "projected": {"sources": None}},
        {"name": "scratch", "emptyDir": {}},
    ]
    assert tokens_in(a_pod(spec=spec)) == (
        WantedToken(FIELD, seconds=3607),
        WantedToken("vault-927385", "vault", 3600),
        WantedToken("plain-3c469e", "", 3600),
    )
    assert tokens_in(a_pod()) == ()


@pytest.mark.parametrize(
    ("seen", "error", "expected"),
    [
        (state(), NotFound("rome: no such account"), warned("rome: no such account")),
        (state(), Conflict("milan: changed"), NOTHING),
        (state(), Throttled("milan: later", retry_after=1.0), NOTHING),
        (state(None, SECRET), NotFound("milan: no"), NOTHING),
    ],
)
def test_who_is_told_of_a_refusal(seen: State, error: KubeError, expected: Plan) -> None:
    assert failed(seen, error) == expected
