"""Where the API server keeps what: paths and queries, as text ready to send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from liqo.api.meta import Key, Kind, Resource


@dataclass(frozen=True)
class Scope:
    """Which objects of a kind: all, those of a namespace, those that selectors choose."""

    namespace: str = ""
    labels: str = ""  # "app=web,tier!=db"
    fields: str = ""  # "spec.nodeName=milan"

    def __str__(self) -> str:
        said = ",".join(filter(None, (self.namespace, self.labels, self.fields)))
        return said or "everything"

    def holds(self, key: Key) -> bool:
        """For certain: of what a selector chooses, a key tells nothing."""
        return self.namespace in ("", key.namespace) and not (self.labels or self.fields)

    def admits(self, thing: Resource) -> bool:
        """For certain: what a selector of fields chooses, only the API server knows."""
        terms, marks = filter(None, self.labels.split(",")), thing.metadata.labels
        is_inside = self.namespace in ("", thing.metadata.namespace) and not self.fields
        return is_inside and all(_holds(term, marks) for term in terms)


def _holds(term: str, marks: Mapping[str, str]) -> bool:
    """Of what is more than these three, such as `in`, it is not certain."""
    if "!=" in term:
        name, _, value = term.partition("!=")
        return marks.get(name) != value
    name, is_equal, value = term.partition("=")
    return marks.get(name) == value.removeprefix("=") if is_equal else name in marks


EVERYTHING = Scope()


def named(key: Key) -> Scope:
    """The one of that name."""
    return Scope(namespace=key.namespace, fields=f"metadata.name={key.name}")


def collection(kind: Kind, namespace: str = "") -> str:
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    if namespace and kind.namespaced:
        return f"{root}/namespaces/{quote(namespace, safe='')}/{kind.plural}"
    return f"{root}/{kind.plural}"


def instance(kind: Kind, key: Key, subresource: str = "") -> str:
    path = f"{collection(kind, key.namespace)}/{quote(key.name, safe='')}"
    return f"{path}/{subresource}" if subresource else path


def query(path: str, **parameters: str | int | bool) -> str:
    """The path with those parameters that say something."""
    said = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in parameters.items()
        if value != "" and value is not False
    }
    return f"{path}?{urlencode(said)}" if said else path


def scoped(kind: Kind, scope: Scope, **parameters: str | int | bool) -> str:
    return query(
        collection(kind, scope.namespace),
        labelSelector=scope.labels,
        fieldSelector=scope.fields,
        **parameters,
    )
