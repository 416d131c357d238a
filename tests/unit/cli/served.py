"""A cluster of given objects, which answers reads as an API server does, and knows nothing else."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import msgspec
import yaml

from liqo.api.crds.files import CRDS
from liqo.api.meta import JSON, Kind, Resource
from liqo.kube.reading import Codec
from tests import wire
from tests.unit.kube.scripted import Answer, Asked, Scripted, a_list, refuses, says, serving

S = TypeVar("S", bound=Scripted)
T = TypeVar("T")
R = TypeVar("R", bound=Resource)
PATH = re.compile(
    r"/(?:api|apis)/(?P<version>v1|[^/]+/[^/]+)"
    r"(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?"
)
NOT_FOUND = refuses(404, "the server could not find the requested resource", "NotFound")


class Served(Scripted):
    """Kinds of which there is no object are served too, unless their group is left out."""

    def __init__(
        self, objects: Iterable[JSON], *, without: Iterable[str] = (), forbidden: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self._objects = list(objects)
        known = [kind for kind in kinds() if kind.group not in without]
        assert {crd.model.KIND for crd in CRDS} <= set(kinds())
        self._kinds = {(kind.api_version, kind.plural): kind for kind in known}
        self._forbidden = set(forbidden)

    def answer(self, asked: Asked) -> Answer:
        address = urlsplit(asked.path)
        words = PATH.fullmatch(address.path)
        kind = self._kinds.get((words["version"], words["plural"])) if words else None
        if words is None or kind is None:
            return NOT_FOUND
        if kind.plural in self._forbidden:
            return refuses(403, f"{kind.plural} is forbidden", "Forbidden")
        found = [each for each in self._objects if _is_of(kind, words["namespace"], each)]
        if words["name"]:
            named = (each for each in found if each["metadata"]["name"] == words["name"])
            return next((says(each) for each in named), NOT_FOUND)
        selector = parse_qs(address.query).get("labelSelector", [""])[0]
        return a_list(*(each for each in found if _matches(selector, each)), version="1")


@contextmanager
def in_background(server: S) -> Iterator[S]:
    """For a test that is not asynchronous, because liqoctl runs a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    stack = AsyncExitStack()

    def there(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=10)

    try:
        yield there(stack.enter_async_context(serving(server)))
    finally:
        there(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def kinds(model: type[Resource] = Resource) -> Iterator[Kind]:
    for child in model.__subclasses__():
        if hasattr(child, "KIND"):
            yield child.KIND
        yield from kinds(child)


def captured(moment: str) -> list[JSON]:
    """What the Go implementation had made by then: `2-peered-consumer`."""
    file = wire.HERE / "captured" / f"{moment}.yaml"
    return list(yaml.load_all(file.read_text(), yaml.CSafeLoader))


def decoded(model: type[R], *objects: JSON) -> tuple[R, ...]:
    codec = Codec(model)
    return tuple(codec.object(msgspec.json.encode(each)) for each in objects)


def kubeconfig(server: Scripted, file: Path) -> Path:
    context = {"cluster": "it", "user": "me"}
    config = {
        "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": server.access.server}}],
        "users": [{"name": "me", "user": {}}],
        "contexts": [{"name": "it", "context": context}],
    }
    file.write_text(yaml.safe_dump(config))
    return file


def _is_of(kind: Kind, namespace: str | None, each: JSON) -> bool:
    if (each["apiVersion"], each["kind"]) != (kind.api_version, kind.name):
        return False
    return not namespace or each["metadata"].get("namespace", "") == namespace


def _matches(selector: str, each: JSON) -> bool:
    labels = each["metadata"].get("labels", {})
    wanted = (item.partition("=") for item in filter(None, selector.split(",")))
    return all(key in labels and (not sign or labels[key] == value) for key, sign, value in wanted)
