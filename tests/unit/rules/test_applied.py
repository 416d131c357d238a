"""Who wrote what, as the API server notes it."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api.meta import JSON
from liqo.rules.applied import digest, is_said_by_others, is_untouched, owns

BODY: JSON = {
    "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}, "annotations": {}},
    "spec": {
        "type": "ClusterIP",
        "selector": {"app": "web"},
        "ports": [{"name": "http", "port": 80, "protocol": "TCP"}],
    },
}
PORT: JSON = {".": {}, "f:name": {}, "f:port": {}, "f:protocol": {}}
FIELDS: JSON = {
    "f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:annotations": {}},
    "f:spec": {
        "f:type": {},
        "f:selector": {},
        "f:ports": {".": {}, 'k:{"port":80,"protocol":"TCP"}': PORT},
    },
}


def an_entry(fields: JSON | None = None, **more: Any) -> JSON:
    given = {"manager": "we", "operation": "Apply", "apiVersion": "v1"}
    return {**given, "fieldsV1": FIELDS if fields is None else fields, **more}


STATUS = an_entry({}, manager="others", operation="Update", subresource="status")


@pytest.mark.parametrize(
    ("managed", "expected"),
    [
        pytest.param([an_entry()], True, id="we alone"),
        pytest.param([an_entry(), STATUS], True, id="others write its status"),
        pytest.param([], False, id="nobody says"),
        pytest.param([an_entry(), an_entry({}, manager="kubectl")], False, id="another, too"),
        pytest.param([an_entry(manager="kubectl")], False, id="another alone"),
        pytest.param([an_entry(operation="Update")], False, id="in another way"),
        pytest.param(
            [an_entry(), an_entry({"f:spec": {"f:selector": {"f:app": {}}}}, operation="Update")],
            True,
            id="in another way, too",
        ),
        pytest.param(
            [an_entry(), an_entry({"f:spec": {"f:externalIPs": {}}}, operation="Update")],
            False,
            id="in another way, and more",
        ),
        pytest.param([an_entry({})], False, id="nothing of it is ours"),
        pytest.param([{**an_entry(), "fieldsV1": None}], False, id="nothing is noted"),
    ],
)
def test_who_has_touched_it(managed: list[JSON], expected: bool) -> None:
    assert is_untouched(managed, "we", BODY) is expected


SPEC: JSON = BODY["spec"]
OWNED: JSON = FIELDS["f:spec"]
OTHER: JSON = {'k:{"port":443,"protocol":"TCP"}': PORT}
PARTLY: JSON = {'k:{"port":80,"protocol":"TCP"}': {"f:port": {}, "f:protocol": {}}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param(OWNED, True, id="all"),
        pytest.param({**OWNED, "f:more": {}}, True, id="more than that"),
        pytest.param({**OWNED, "f:ports": {}}, True, id="a list as a whole"),
        pytest.param({**OWNED, "f:type": {"odd": {}}}, True, id="a word is what it is"),
        pytest.param({"f:type": {}, "f:ports": {}}, False, id="a field was removed"),
        pytest.param({**OWNED, "f:selector": {".": {}}}, False, id="a key of a map was removed"),
        pytest.param({**OWNED, "f:ports": {".": {}}}, False, id="an item was removed"),
        pytest.param({**OWNED, "f:ports": OTHER}, False, id="it is another item"),
        pytest.param({**OWNED, "f:ports": PARTLY}, False, id="a field of an item was removed"),
    ],
)
def test_what_is_said_is_owned(fields: JSON, expected: bool) -> None:
    assert owns(fields, SPEC) is expected


KUBECTL: JSON = {"manager": "kubectl", "operation": "Update"}
ADDED: JSON = {"f:spec": {"f:ports": {'k:{"port":443,"protocol":"TCP"}': PORT}}}


@pytest.mark.parametrize(
    ("managed", "path", "expected"),
    [
        pytest.param([an_entry()], "spec.ports", False, id="we alone"),
        pytest.param([an_entry(), an_entry(ADDED, **KUBECTL)], "spec.ports", True, id="an item"),
        pytest.param(
            [an_entry({"f:spec": {"f:ports": {".": {}}}}, **KUBECTL)],
            "spec.ports",
            False,
            id="that there is a list",
        ),
        pytest.param([an_entry({"f:spec": {}}, **KUBECTL)], "spec.ports", False, id="another"),
        pytest.param([an_entry({"f:immutable": {}}, **KUBECTL)], "immutable", True, id="a word"),
        pytest.param([{**an_entry(**KUBECTL), "fieldsV1": None}], "immutable", False, id="nothing"),
        pytest.param([{**STATUS, "fieldsV1": ADDED}], "spec.ports", False, id="of a status"),
    ],
)
def test_what_others_have_said(managed: list[JSON], path: str, expected: bool) -> None:
    assert is_said_by_others(managed, "we", path) is expected


def test_a_digest_is_of_what_is_said_and_not_of_how() -> None:
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    assert len(digest({})) == 16
