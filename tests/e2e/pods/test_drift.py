"""Whatever somebody changes of a copy, in whichever field, it is soon what it is at home again."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.errors import LiqoError
from tests.e2e.artifacts import BACKEND, PORT, config_map, endpoint_slice, ingress, secret, service
from tests.e2e.eventually import eventually
from tests.e2e.workloads import Shop

AT_ONCE = 3  # edits in one patch
MARKS: JSON = {"labels": {"app": "web", "team": "a"}, "annotations": {"note": "of rome"}}
# Of each kind one with as many fields as it can have; and what of it is of the provider.
RICH: Mapping[str, tuple[JSON, tuple[str, ...]]] = {
    "configmap/settings": ({**config_map(colour="red"), "binaryData": {"raw": "AAE="}}, ()),
    "secret/password": (secret(), ()),
    "service/web": (
        service(
            ports=[PORT, {"name": "dns", "port": 53, "protocol": "UDP", "appProtocol": "dns"}],
            type="NodePort",
            sessionAffinity="ClientIP",
            publishNotReadyAddresses=True,
            internalTrafficPolicy="Local",
            externalTrafficPolicy="Local",
        ),
        ("clusterIP", "clusterIPs", "ipFamilies", "nodePort", "sessionAffinityConfig"),
    ),
    "ingress/web": (
        ingress(tls=[{"hosts": ["a.example.org"], "secretName": "tls"}], defaultBackend=BACKEND),
        (),
    ),
    "shadowendpointslice/outside": (endpoint_slice(), ()),
    "endpointslice/outside": (endpoint_slice(), ()),
}
# What was not there before.
MORE: Mapping[str, tuple[JSON, ...]] = {
    "configmap/settings": (
        {"op": "add", "path": "/data/more", "value": "x"},
        {"op": "add", "path": "/binaryData/more", "value": "eA=="},
        {"op": "add", "path": "/immutable", "value": True},
    ),
    "secret/password": (
        {"op": "add", "path": "/data/more", "value": "eA=="},
        {"op": "add", "path": "/immutable", "value": True},
    ),
    "service/web": (
        {"op": "add", "path": "/spec/ports/-", "value": {"name": "more", "port": 9999}},
        {"op": "add", "path": "/spec/selector/more", "value": "x"},
    ),
}
# With all of its labels a copy loses those by which it is ours: who takes them makes it his own.
NOT_EDITED = ("/apiVersion", "/kind", "/metadata", "/metadata/labels")
OTHERS: Mapping[str, str] = {
    "ClientIP": "None",
    "NodePort": "ClusterIP",
    "Local": "Cluster",
    "TCP": "SCTP",
    "UDP": "SCTP",
    "Prefix": "Exact",
    "192.0.2.7": "192.0.2.8",
    "AAE=": "AAI=",
    "c2VzYW1l": "eA==",
}


def content(thing: JSON, given: Sequence[str]) -> JSON:
    """What of a copy is ours to say."""
    labels = thing["metadata"].get("labels", {})
    kept = {name: each for name, each in thing.items() if name not in ("metadata", "status")}
    metadata = {
        "labels": {name: each for name, each in labels.items() if name in MARKS["labels"]},
        "annotations": thing["metadata"].get("annotations", {}),
    }
    pruned: JSON = _without({**kept, "metadata": metadata}, given)
    return pruned


def _without(value: Any, names: Sequence[str]) -> Any:
    match value:
        case dict():
            return {key: _without(each, names) for key, each in value.items() if key not in names}
        case list():
            return [_without(each, names) for each in value]
    return value


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All fields, the innermost and those around them, by their JSON pointers."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, each in inner:
        where = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
        yield where, each
        yield from leaves(each, where)


def edits(thing: JSON) -> Iterator[JSON]:
    """Each field is changed, and taken away."""
    for path, value in leaves(thing):
        if path in NOT_EDITED:
            continue
        yield {"op": "remove", "path": path}
        match value:
            case bool():
                yield {"op": "replace", "path": path, "value": not value}
            case int():
                yield {"op": "replace", "path": path, "value": value + 1}
            case str():
                yield {"op": "replace", "path": path, "value": OTHERS.get(value, f"{value}x")}


async def patched(trade: Shop, thing: str, wanted: Sequence[JSON]) -> int:
    """How many of them Milan takes: all at once, or else each by itself, some of them not."""
    words = ("patch", thing, *trade.there, "--type=json", f"-p={json.dumps(wanted)}")
    try:
        await trade.milan.kubectl(*words)
    except LiqoError:
        if len(wanted) == 1:
            return 0
        return sum([await patched(trade, thing, [each]) for each in wanted])
    return len(wanted)


@pytest.mark.row("G03")
@pytest.mark.parametrize("thing", RICH)
async def test_any_field_that_is_changed_there_is_put_back(trade: Shop, thing: str) -> None:
    """In an order that is another one every time; its seed is told when it fails."""
    made, given = RICH[thing]
    metadata = {**made["metadata"], **MARKS}
    metadata["labels"] = {**made["metadata"].get("labels", {}), **MARKS["labels"]}
    await trade.put({**made, "metadata": metadata})

    async def shown() -> JSON:
        return content(await trade.theirs(thing), given)

    before = await eventually(shown, bool)
    seed = uuid4().hex[:6]
    wanted = [*edits(before), *MORE.get(thing, ())]
    random.Random(seed).shuffle(wanted)
    taken = 0
    for first in range(0, len(wanted), AT_ONCE):
        some = wanted[first : first + AT_ONCE]
        taken += await patched(trade, thing, some)
        await comes_back(shown, before, f"seed {seed}, {some}")
    assert taken >= len(wanted) / 4, "of the rest Kubernetes says that nobody may change it so"
    await trade.milan.kubectl("delete", thing, *trade.there)
    await comes_back(shown, before, "deleted")


async def comes_back(shown: Callable[[], Awaitable[JSON]], before: JSON, why: str) -> None:
    try:
        await eventually(shown, is_=before)
    except AssertionError as late:
        raise AssertionError(f"{why}: {late}, and not {before!r}") from None
