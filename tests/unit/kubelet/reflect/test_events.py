"""What is told at home of a pod that runs elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import EndpointSlice, Event, Pod
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.api.offloading import NamespaceMap, ShadowEndpointSlice
from liqo.kube.paths import Scope
from liqo.kubelet.pods.controller import Views
from liqo.kubelet.reflect.allowance import Allowance
from liqo.kubelet.reflect.endpointslices import ENDPOINT_SLICES, WE
from liqo.kubelet.reflect.events import (
    KINDS,
    LATER,
    Found,
    Hearing,
    State,
    Surroundings,
    controller,
    copied,
    is_about,
    itself,
    observe,
    others,
    plan,
    pod_of,
    repeated,
)
from liqo.kubelet.reflect.policy import DEFAULT, Policies
from liqo.runtime.plan import NOTHING, Occurrence, Plan, Record, do
from tests.unit.kubelet.pods.test_controller import views
from tests.unit.kubelet.pods.things import NOW, SITE, a_pod, a_remote, a_shadow, raw
from tests.unit.kubelet.reflect.test_endpointslices import a_slice
from tests.unit.kubelet.reflect.things import OURS as MARKS
from tests.unit.kubelet.reflect.things import a_map, caches, there
from tests.unit.kubelet.reflect.things import views as copies_of

KEY = Key("shop", "web-0.17")
LOCAL = a_pod()
OURS = ((labels.ORIGIN, "rome"), (labels.DESTINATION, "milan"))
SUBJECT: JSON = {"kind": "Pod", "name": "web-0", "namespace": "shop-rome", "uid": "remote-1"}


def an_event(kind: str = "Warning", subject: JSON | None = None, **more: Any) -> Event:
    metadata: JSON = {
        "name": "web-0.17",
        "namespace": "shop-rome",
        "uid": "event-1",
        "resource_version": "1",
        **more.pop("metadata", {}),
    }
    said: JSON = {
        "reason": "BackOff",
        "message": "Back-off restarting failed container",
        "count": 3,
        "first_timestamp": "2026-11-15T10:17:00Z",
        "last_timestamp": "2026-11-15T10:17:55Z",
        "raw_source": raw({"component": "kubelet", "host": "milan-node"}),
        **more,
    }
    involved = raw({**SUBJECT, **(subject or {})})
    return Event(metadata=Meta(**metadata), type=kind, raw_involved_object=involved, **said)


def told(event: Event, local: Pod = LOCAL) -> Plan:
    return do(repeated(event, local, SITE))


def state(event: Event, **more: Any) -> State:
    given: JSON = {"policy": "DenyList", "now": NOW, "may_be_told": event.type == "Warning", **more}
    return State(SITE, event, LOCAL, **given)


WARNING, NORMAL = an_event(), an_event("Normal")
STALE = an_event("Normal", last_timestamp="2026-11-15T10:17:00Z")
SKIPPED = an_event(metadata={"annotations": {labels.SKIP_REFLECTION: "true"}})
OF_SHADOW = {"kind": "ShadowPod", "uid": "shadow-1"}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(state(WARNING), told(WARNING), id="a warning"),
        pytest.param(state(WARNING, is_old=True), told(WARNING), id="an old warning"),
        pytest.param(state(NORMAL, may_be_told=True), told(NORMAL), id="there is room"),
        pytest.param(state(NORMAL), do(wake_after=LATER), id="there is no room yet"),
        pytest.param(state(STALE), NOTHING, id="there was no room for long"),
        pytest.param(state(NORMAL, is_old=True), NOTHING, id="of before we began"),
        pytest.param(
            state(WARNING, is_about_it=False), do(wake_after=LATER), id="of a pod not known yet"
        ),
        pytest.param(
            state(an_event(last_timestamp="2026-11-15T10:00:00Z"), is_about_it=False),
            NOTHING,
            id="of an earlier pod",
        ),
        pytest.param(state(SKIPPED), NOTHING, id="L15 told to stay"),
        pytest.param(state(WARNING, policy="AllowList"), NOTHING, id="L15 not told to come"),
        pytest.param(state(WARNING, policy="Off"), NOTHING, id="L15 Events are off"),
        pytest.param(
            state(an_event(subject=OF_SHADOW, reason="FailedCreatePod")), NOTHING, id="told already"
        ),
    ],
)
def test_L18_what_is_told(seen: State, expected: Plan) -> None:
    assert plan(seen) == expected


def test_P_EVT1_what_is_said_of_a_shadow_pod_is_told_of_the_pod() -> None:
    event = an_event(subject=OF_SHADOW)
    assert plan(state(event)) == told(event)


def test_it_is_told_in_the_words_and_with_the_times_of_the_provider() -> None:
    event = an_event(subject={"fieldPath": "spec.containers{web}"})
    assert repeated(event, LOCAL, SITE) == Record(
        LOCAL,
        "BackOff",
        "Back-off restarting failed container",
        type="Warning",
        component="kubelet (remote) in milan",
        repeats=Occurrence(
            event="web-0.17",
            count=3,
            first="2026-11-15T10:17:00Z",
            last="2026-11-15T10:17:55Z",
            host="milan-node",
            field_path="spec.containers{web}",
            labels=OURS,
        ),
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            {},
            Occurrence("web-0.17", 1, "2026-11-15T10:17:56Z", "2026-11-15T10:17:56Z", labels=OURS),
        ),
        (
            {"raw_series": raw({"count": 5, "lastObservedTime": "2026-11-15T10:18:01.5Z"})},
            Occurrence("web-0.17", 5, "2026-11-15T10:17:56Z", "2026-11-15T10:18:01Z", labels=OURS),
        ),
    ],
)
def test_newer_reporters_say_it_in_another_way(more: JSON, expected: Occurrence) -> None:
    event = an_event(
        "Normal",
        count=0,
        first_timestamp=None,
        last_timestamp=None,
        raw_source=raw({}),
        event_time="2026-11-15T10:17:56.123456Z",
        reporting_component="default-scheduler",
        **more,
    )
    made = repeated(event, LOCAL, SITE)
    assert (made.component, made.type) == ("default-scheduler (remote) in milan", "Normal")
    assert made.repeats == expected


def test_an_event_without_any_time_is_as_old_as_it_is() -> None:
    bare = an_event(first_timestamp=None, last_timestamp=None)
    made = repeated(bare, LOCAL, SITE).repeats
    assert made is not None
    assert (made.first, made.last) == ("", "")


@pytest.mark.parametrize(
    ("uid", "expected"),
    [("remote-1", True), ("shadow-1", True), ("shown-1", True), ("remote-0", False)],
)
def test_an_event_is_about_this_very_pod(uid: str, expected: bool) -> None:
    local = a_pod(annotations={labels.REMOTE_POD_UID: "shown-1"})
    assert is_about(an_event(subject={"uid": uid}), local, (a_remote(), a_shadow())) == expected


def test_a_twin_that_was_made_for_an_earlier_pod_is_not_its_twin() -> None:
    earlier = a_remote(annotations={labels.LOCAL_POD_UID: "local-0"})
    assert not is_about(WARNING, LOCAL, (earlier, None))


def around(began: datetime = NOW - timedelta(hours=1), **more: Any) -> Surroundings:
    given: JSON = {"policies": DEFAULT, "allowance": Allowance(lambda: NOW), **more}
    return Surroundings(SITE, lambda: NOW, began=began, **given)


def hearing(seen: Views) -> Hearing:
    return Hearing(seen.events, seen.atlas, KINDS, partial(pod_of, seen))


async def heard(*there: Resource, **more: Any) -> Hearing:
    return hearing(await views(*there, **more))


async def test_a_warning_is_seen_with_its_pod() -> None:
    seen = await heard(WARNING, a_remote(), a_shadow())
    assert observe(seen, around(), KEY) == state(WARNING)
    off = around(policies=Policies(lambda _: "Off"))
    assert observe(seen, off, KEY) == state(WARNING, policy="Off")
    assert observe(await heard(WARNING), around(), KEY) == state(WARNING, is_about_it=False)


async def test_what_went_well_is_granted_unless_it_was_told_or_belongs_to_nobody() -> None:
    seen = await heard(NORMAL, a_remote())
    assert observe(seen, around(), KEY) == state(NORMAL, may_be_told=True)
    used = Allowance(lambda: NOW, 0.0)
    assert observe(seen, around(allowance=used), KEY) == state(NORMAL)
    assert observe(seen, around(began=NOW), KEY) == state(NORMAL, is_old=True)
    assert observe(await heard(NORMAL), around(), KEY) == state(NORMAL, is_about_it=False)


async def test_what_is_of_no_pod_of_ours_is_not_looked_at() -> None:
    for seen in (
        await heard(),
        await heard(WARNING, known=None),
        await heard(WARNING, local=None),
    ):
        assert observe(seen, around(), KEY) is None


async def test_events_about_pods_lead_to_their_namespace_at_home() -> None:
    seen = await heard()
    assert itself(seen, WARNING) == (KEY,)
    assert itself(seen, an_event(subject=OF_SHADOW)) == (KEY,)
    assert itself(seen, an_event(subject={"kind": "Service"})) == ()
    assert itself(seen, an_event(metadata={"namespace": "bank-rome"})) == ()


def test_the_same_copies_are_followed_as_by_the_pods() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE, lambda: datetime(2026, 11, 15, tzinfo=UTC))
    assert [each.reading.kind.name for each in made.watches] == ["Event"]
    assert [str(each.reading.kind) for each in milan].count("Event") == 1
    assert made.observe(KEY) is None


SLICE = a_slice()
TWIN = there(
    ShadowEndpointSlice, "web-x7k2p", labels={**MARKS, labels.ENDPOINT_SLICE_MANAGED_BY: WE}
)
OF_SLICE = {"kind": "ShadowEndpointSlice", "name": "web-x7k2p", "uid": "remote-1"}


@pytest.mark.parametrize(
    ("local", "remote", "uid", "expected"),
    [
        (SLICE, TWIN, "remote-1", Found(SLICE, is_it=True)),
        (SLICE, TWIN, "remote-0", Found(SLICE, is_it=False)),
        (SLICE, None, "remote-1", Found(SLICE, is_it=False)),
        (None, TWIN, "remote-1", None),
        (
            SLICE,
            there(ShadowEndpointSlice, "web-x7k2p", labels={}),
            "remote-1",
            Found(SLICE, False),
        ),
        (
            SLICE,
            there(ShadowEndpointSlice, "web-x7k2p", annotations={labels.LOCAL_UID: "local-0"}),
            "remote-1",
            Found(SLICE, is_it=False),
        ),
    ],
)
async def test_L18_what_happens_to_a_copy_is_told_of_the_object(
    local: EndpointSlice | None,
    remote: ShadowEndpointSlice | None,
    uid: str,
    expected: Found | None,
) -> None:
    seen = await copies_of(
        EndpointSlice,
        [local] if local else [],
        [remote] if remote else [],
        of=ShadowEndpointSlice,
    )
    copies = {"ShadowEndpointSlice": (ENDPOINT_SLICES, seen)}
    event = an_event(subject={**OF_SLICE, "uid": uid})
    assert copied(copies, SITE, event, "shop") == expected


def test_one_kubelet_tells_of_what_it_reflects() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = others(rome, milan, SITE, lambda: NOW)
    assert made.name == "kubelet/reflect/events/others"
    events, *looked_up = made.watches
    assert [list(made.watches[each](a_pod())) for each in looked_up] == [[], [], []]
    rome.of(NamespaceMap, Scope("liqo-tenant-milan")).take(a_map())
    heard_of = made.watches[events]
    assert [list(heard_of(an_event(subject={"kind": kind}))) for kind in ("Service", "Pod")] == [
        [KEY],
        [],
    ]
    assert made.observe(KEY) is None
