"""--get: one value of a report, named by a path such as local.clusterID."""

from __future__ import annotations

from typing import Any

from liqo.api.meta import JSON
from liqo.errors import LiqoError

SHORTCUTS = {"clusterid": "local.clusterid"}


def get(report: JSON, query: str) -> Any:
    """The value at the end of the path. Names match whatever their case; the empty is not there."""
    path = query.removeprefix(".")
    value: Any = report
    before = ""
    for name in path.split("."):
        if not isinstance(value, dict):
            raise LiqoError(f'invalid query "{path}": "{before}" is not an object')
        wanted = name.lower()
        value = next((inner for key, inner in value.items() if key.lower() == wanted), None)
        if value is None or value in ("", [], {}):
            raise LiqoError(f'invalid query "{path}": "{name}" not found')
        before = name
    return value


def get_local(report: JSON, query: str) -> Any:
    return get(report, SHORTCUTS.get(query.lower(), query))


def get_of_peers(reports: JSON, query: str) -> Any:
    """The path begins with the ID of a cluster, which may be left out where there is but one."""
    path = query.removeprefix(".")
    first, _, rest = path.partition(".")
    if first in reports:
        return get(reports[first], rest) if rest else reports[first]
    if len(reports) == 1:
        return get(next(iter(reports.values())), path)
    raise LiqoError(f'cluster "{first}" in query "{query}" is not among the requested clusters')


def scalar(value: Any) -> str | None:
    """As a script reads it; None for what is a document."""
    if isinstance(value, dict | list):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
