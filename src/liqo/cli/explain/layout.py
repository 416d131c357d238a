"""What people read of a report: sums line by line, then tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from liqo.api.meta import JSON
from liqo.install.settings import NAMESPACE
from liqo.rules import names
from liqo.rules.capacity import ROUNDING
from liqo.rules.explanation import ROUNDED_AWAY

# No `liqoctl upgrade`: that one wants the networks, and puts back all that is not said again.
ROUND_UP = (
    f"kubectl patch configmap {names.SHARING} -n {NAMESPACE} --type=merge "
    f"""-p '{{"data":{{"{ROUNDING}":"at-least-one"}}}}'"""
)


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[str]]


def text(report: JSON) -> str:
    """What virtual node it is, and the sum behind every amount."""
    lines = [heading(report), "", *sums(report)]
    return "".join(f"{line}\n" for line in lines)


def heading(report: JSON) -> str:
    node = f'Virtual node "{report["node"]}" of cluster "{report["cluster"]}"'
    if "resourceSlice" not in report:
        return f"{node}, made of a Secret"
    class_ = f' of class "{report["class"]}"' if "class" in report else ""
    beside = ", ".join(report["sharedWith"])
    shared = f", which it shares with {beside}" if beside else ""
    return f'{node}, made of the ResourceSlice "{report["resourceSlice"]}"{class_}{shared}'


def sums(report: JSON) -> Iterator[str]:
    for name, told in report["resources"].items():
        hint = f": {told['hint']}" if "hint" in told else ""
        yield f"{name} {told['granted']} = {told['sum']}{hint}"


def amounts(report: JSON) -> Table:
    """The last two columns only where the provider tells what is free on its nodes."""
    resources = report["resources"].items()
    columns = ["RESOURCE", "OFFERED", "IN USE", "LEFT"]
    rows = [[name, told["granted"], told["inUse"], told["left"]] for name, told in resources]
    if "nodes" not in report:
        return Table(columns, rows)
    spread = [[_largest(told), _by_node(told)] for _, told in resources]
    nodes = "1 NODE" if report["nodes"] == 1 else f"{report['nodes']} NODES"
    return Table(
        [*columns, "LARGEST POD", f"FREE ON {nodes}"],
        [[*row, *more] for row, more in zip(rows, spread, strict=True)],
    )


def _largest(told: JSON) -> str:
    """What no node has is none; of places for pods each pod takes one, however large it is."""
    return str(told.get("largestOnOneNode", "-" if "freeByNode" in told else "0"))


def _by_node(told: JSON) -> str:
    return " ".join(told.get("freeByNode", ["0"]))


def misfits(report: JSON) -> Table:
    columns = ["NAMESPACE", "POD", "RESOURCE", "ASKED FOR", "LEFT BY OLDER PODS"]
    fields = ("namespace", "name", "resource", "asked", "left")
    return Table(columns, [[each[field] for field in fields] for each in report["doesNotFit"]])


def warnings(report: JSON) -> Iterator[str]:
    """What somebody may want to do something about."""
    cluster = report["cluster"]
    for name, told in report["resources"].items():
        if told.get("hint") == ROUNDED_AWAY:
            yield (
                f"{name} is rounded to none; the administrator of {cluster} lends one there "
                f"with: {ROUND_UP}"
            )
    if count := len(report["doesNotFit"]):
        pods = "1 pod no longer fits" if count == 1 else f"{count} pods no longer fit"
        where = " and ".join([report["node"], *report.get("sharedWith", [])])
        yield f"{pods} on {where}: nothing is ended, and the oldest keep their place"
