"""What users write into flags: amounts and names, refused where they cannot be meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from liqo.cli.flags import Pairs
from liqo.rules import names
from liqo.rules.amounts import check_amount

F = TypeVar("F", bound=Callable[..., Any])

NAMED = ("cpu", "memory", "pods")
OF_A_NODE = {"cpu": "2", "memory": "4Gi", "pods": "110"}  # made of a Secret, which names none


class Amount(click.ParamType[str]):
    """`500m`, `2`, `4Gi`, as it was written."""

    name = "quantity"

    def __init__(self, what: str) -> None:
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if problem := value and check_amount(self.what, value):
            self.fail(problem, param, ctx)
        return value.strip()


class Amounts(Pairs):
    """`nvidia.com/gpu=1,ephemeral-storage=20Gi`."""

    name = "resource=quantity"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        pairs = super().convert(value, param, ctx)
        for what, amount in pairs.items():
            if problem := check_amount(what, amount):
                self.fail(problem, param, ctx)
        return pairs


class Name(click.ParamType[str]):
    """A name that some other names are made of; `check` says what is wrong with it."""

    name = "name"

    def __init__(self, check: Callable[[str], str]) -> None:
        self.check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if problem := self.check(str(value)):
            self.fail(problem, param, ctx)
        return value


consumer_cluster_id = click.option(
    "--consumer-cluster-id",
    metavar="ID",
    type=Name(names.check_peering_consumer),
    required=True,
    help="ID of the consumer.",
)


def resource_flags(**unsaid: str) -> Callable[[F], F]:
    """--cpu, --memory, --pods and --resource; `unsaid` is what the first three mean without."""

    def named(what: str, text: str) -> Callable[[F], F]:
        amount = unsaid.get(what, "what the provider chooses")
        said = f"{text}; {amount}, unless said."
        return click.option(f"--{what}", type=Amount(what), default="", help=said)

    def add(verb: F) -> F:
        other = click.option(
            "--resource",
            type=Amounts(),
            multiple=True,
            metavar="K=V,…",
            help="Amount of any other resource; may be repeated.",
        )
        cpu = named("cpu", "Amount of CPU, such as 500m or 2")
        memory = named("memory", "Amount of memory, such as 4Gi")
        pods = named("pods", "Number of pods")
        return cpu(memory(pods(other(verb))))

    return add


def resources(said: Mapping[str, Any]) -> dict[str, str]:
    """What the four flags ask for together; --resource has the last word."""
    asked = {what: said[what] for what in NAMED if said[what]}
    for pairs in said["resource"]:
        asked.update(pairs)
    return asked
