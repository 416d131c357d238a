"""What people are told, and how often."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from liqo.api.meta import Key, Meta
from liqo.runtime.events import (
    EVENT,
    LIFETIME,
    SILENCE,
    Sentences,
    Told,
    count_of,
    sentence,
    telling,
)
from liqo.runtime.plan import Occurrence, Record
from liqo.runtime.requests import Request
from tests.unit.runtime.things import Thing, a_thing

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
THING = a_thing(uid="1")
SAID = Record(THING, "Granted", "3 cpus were granted")
EARLIER = Key("rome", "web.1")


def told(ago: timedelta) -> Told:
    return Told(EARLIER, 2, NOW - ago)


def test_a_new_sentence_is_an_event_about_its_object() -> None:
    request = telling(SAID, None, "provider/resourceslice", NOW)
    assert request is not None
    assert (request.verb, request.kind, request.key.namespace) == ("create", EVENT, "rome")
    assert request.body == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": request.key.name, "namespace": "rome"},
        "involvedObject": {
            "apiVersion": "test.liqo.io/v1",
            "kind": "Thing",
            "namespace": "rome",
            "name": "web",
            "uid": "1",
        },
        "type": "Normal",
        "reason": "Granted",
        "message": "3 cpus were granted",
        "source": {"component": "provider/resourceslice"},
        "firstTimestamp": "2026-01-02T12:00:00Z",
        "lastTimestamp": "2026-01-02T12:00:00Z",
        "count": 1,
    }


def test_events_about_what_has_no_namespace_live_in_the_default_one() -> None:
    about = Thing(metadata=Meta(name="milan"))
    request = telling(Record(about, "Joined", "hello"), None, "x", NOW)
    assert request is not None
    assert request.key.namespace == "default"
    assert request.body["involvedObject"]["namespace"] == ""


def test_the_wire_may_fix_who_says_it_and_a_long_message_is_cut() -> None:
    record = Record(THING, "Failed", "x" * 2000, type="Warning", component="liqo-pod-reflection")
    request = telling(record, None, "kubelet/pods", NOW)
    assert request is not None
    assert request.body["source"] == {"component": "liqo-pod-reflection"}
    assert (request.body["type"], len(request.body["message"])) == ("Warning", 1024)


def test_the_longest_of_names_leaves_room_for_the_moment() -> None:
    about = Thing(metadata=Meta(name="x" * 253))
    request = telling(Record(about, "Granted", "hello"), None, "x", NOW)
    assert request is not None
    assert len(request.key.name) == 253
    assert request.key.name.endswith(f".{int(NOW.timestamp() * 1e6):x}")


def test_what_was_said_a_moment_ago_is_not_said_again() -> None:
    assert telling(SAID, told(SILENCE - timedelta(seconds=1)), "x", NOW) is None


def test_what_is_said_again_later_counts_up() -> None:
    again = {"count": 3, "lastTimestamp": "2026-01-02T12:00:00Z"}
    assert telling(SAID, told(SILENCE), "x", NOW) == Request(
        "patch", "local", EVENT, EARLIER, again
    )


def test_an_event_that_the_api_server_has_dropped_is_made_anew() -> None:
    request = telling(SAID, told(LIFETIME), "x", NOW)
    assert request is not None
    assert request.verb == "create"


AGAIN = Occurrence(
    "web.17",
    count=4,
    first="2026-01-02T11:00:00Z",
    last="2026-01-02T11:59:00Z",
    host="milan-node",
    field_path="spec.containers{web}",
    labels=(("origin", "rome"),),
)
REPEATED = Record(THING, "BackOff", "again", "Warning", component="kubelet", repeats=AGAIN)


def test_what_another_cluster_said_is_repeated_under_its_name() -> None:
    request = telling(REPEATED, None, "kubelet/reflect/events", NOW)
    assert request is not None
    assert (request.verb, request.key) == ("create", Key("rome", "web.17"))
    body = request.body
    assert body["metadata"]["labels"] == {"origin": "rome"}
    assert body["source"] == {"component": "kubelet", "host": "milan-node"}
    assert body["involvedObject"]["fieldPath"] == "spec.containers{web}"
    assert body["involvedObject"]["uid"] == "1"
    times = ("2026-01-02T11:00:00Z", "2026-01-02T11:59:00Z", 4)
    assert (body["firstTimestamp"], body["lastTimestamp"], body["count"]) == times


def test_of_the_whole_object_no_part_is_named() -> None:
    whole = replace(REPEATED, repeats=Occurrence("web.17"))
    request = telling(whole, None, "x", NOW)
    assert request is not None
    assert "fieldPath" not in request.body["involvedObject"]


def test_it_is_told_again_when_its_count_has_doubled() -> None:
    once, twice = Told(Key("rome", "web.17"), 3, NOW), Told(Key("rome", "web.17"), 2, NOW)
    assert telling(REPEATED, once, "x", NOW) is None
    again = {"count": 4, "lastTimestamp": "2026-01-02T11:59:00Z"}
    expected = Request("patch", "local", EVENT, Key("rome", "web.17"), again)
    assert telling(REPEATED, twice, "x", NOW) == expected
    assert count_of(REPEATED, twice) == 4
    assert (count_of(SAID, twice), count_of(SAID, None)) == (3, 1)


def test_a_repetition_is_known_by_the_name_of_its_event() -> None:
    louder = replace(REPEATED, message="again!")
    other = replace(REPEATED, repeats=Occurrence("web.18"))
    assert sentence(louder) == sentence(REPEATED)
    assert len({sentence(REPEATED), sentence(other), sentence(SAID)}) == 3


def test_sentences_differ_by_object_reason_and_message() -> None:
    other = Record(a_thing(uid="2"), SAID.reason, SAID.message)
    louder = Record(THING, SAID.reason, SAID.message + "!")
    again = Record(a_thing(uid="1", resource_version="9"), SAID.reason, SAID.message)
    assert len({sentence(SAID), sentence(other), sentence(louder)}) == 3
    assert sentence(again) == sentence(SAID)


def test_the_oldest_sentence_is_forgotten_first() -> None:
    sentences = Sentences(size=2)
    for number in (1, 2, 1, 3):
        sentences.note(number, told(SILENCE))
    assert [sentences.told(number) is None for number in (1, 2, 3)] == [False, True, False]


def test_a_sentence_can_be_forgotten() -> None:
    sentences = Sentences()
    sentences.note(1, told(SILENCE))
    sentences.forget(1)
    sentences.forget(1)
    assert sentences.told(1) is None
