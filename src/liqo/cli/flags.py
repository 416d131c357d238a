"""The flags that every verb has: which cluster, and how to talk. They may stand before or after it.

Only click is imported here: the table of verbs needs these, and must stay quick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")


@dataclass(frozen=True)
class Target:
    """Which cluster is meant; what is empty is chosen as kubectl would."""

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""


@dataclass(frozen=True)
class Settings:
    """How a verb talks, and what it puts on everything that it makes."""

    verbose: bool
    skip_confirm: bool
    labels: dict[str, str]
    annotations: dict[str, str]


class Duration(click.ParamType[float]):
    """`90s`, `2m`, `1h30m`: seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        if not DURATION.fullmatch(value):
            self.fail(f"{value!r} is not a duration such as 30s or 2m", param, ctx)
        parts = re.findall(r"([\d.]+)(ms|s|m|h)", value)
        return sum(float(number) * UNITS[unit] for number, unit in parts)


class Pairs(click.ParamType[dict[str, str]]):
    """`key=value,key=value`; may be given several times with `multiple`."""

    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        pairs = {}
        for item in filter(None, value.split(",")):
            key, equals, content = item.partition("=")
            if not key or not equals:
                self.fail(f"{item!r} is not of the form key=value", param, ctx)
            pairs[key] = content
        return pairs


def kubernetes(prefix: str = "", whose: str = "") -> list[click.Option]:
    """The flags of kubectl that choose a cluster."""

    def option(name: str, metavar: str, text: str) -> click.Option:
        return click.Option(
            [f"--{prefix}{name}", _parameter(prefix, name)], metavar=metavar, default="", help=text
        )

    return [
        option("kubeconfig", "FILE", f"Kubeconfig of the {whose}cluster."),
        option("context", "NAME", f"Context of the {whose}kubeconfig."),
        option("cluster", "NAME", f"Cluster of the {whose}kubeconfig."),
        option("user", "NAME", f"User of the {whose}kubeconfig."),
    ]


def everywhere() -> list[click.Option]:
    """Accepted by liqoctl itself, by its groups and by its verbs."""
    return [
        *kubernetes(),
        click.Option(["--verbose", "-v"], is_flag=True, help="Say more about what happens."),
        click.Option(["--skip-confirm"], is_flag=True, help="Answer every question with yes."),
        click.Option(
            ["--global-labels"],
            type=Pairs(),
            metavar="K=V,…",
            help="Labels for everything that is made.",
        ),
        click.Option(
            ["--global-annotations"],
            type=Pairs(),
            metavar="K=V,…",
            help="Annotations for everything that is made.",
        ),
    ]


def given(ctx: click.Context, name: str) -> Any:
    """What the innermost command says that says anything."""
    inner: click.Context | None = ctx
    while inner is not None:
        if value := inner.params.get(name):
            return value
        inner = inner.parent
    return None


def target(ctx: click.Context, prefix: str = "") -> Target:
    names = ("kubeconfig", "context", "cluster", "user")
    return Target(**{name: given(ctx, _parameter(prefix, name)) or "" for name in names})


def settings(ctx: click.Context) -> Settings:
    return Settings(
        verbose=bool(given(ctx, "verbose")),
        skip_confirm=bool(given(ctx, "skip_confirm")),
        labels=given(ctx, "global_labels") or {},
        annotations=given(ctx, "global_annotations") or {},
    )


def add(verb: F, options: Iterable[click.Option]) -> F:
    """As if each had been written above the function, the first on top."""
    params = getattr(verb, "__click_params__", [])
    # Where click's own decorators keep them; a function has no such attribute for mypy.
    verb.__click_params__ = [*params, *reversed(list(options))]  # type: ignore[attr-defined]
    return verb


def timeout(default: str) -> Callable[[F], F]:
    return click.option(
        "--timeout",
        type=Duration(),
        default=default,
        show_default=True,
        help="How long to wait at most.",
    )


def switch(
    name: str,
    *,
    default: bool,
    help: str,  # noqa: A002 - as click calls it
) -> Callable[[F], F]:
    """Yes or no; one that is on by default can be spelled off: --no-name, or --name=false."""
    if not default:
        return click.option(name, is_flag=True, help=help)
    spelled = f"{name}/--no-{name.removeprefix('--')}"
    return click.option(spelled, default=True, show_default=True, help=help)


def liqo_namespace(name: str = "namespace") -> Callable[[F], F]:
    """Where Liqo is installed: -n, unless that means the namespace of an object."""
    spellings = ["--namespace", "-n"] if name == "namespace" else ["--liqo-namespace"]
    return click.option(
        *spellings,
        "liqo_namespace",
        metavar="NAME",
        default="liqo",
        show_default=True,
        help="Namespace that Liqo is installed in.",
    )


def object_namespace(default: str) -> Callable[[F], F]:
    """Where an object is, for verbs on objects: there -n does not mean Liqo's own namespace."""
    return click.option(
        "--namespace",
        "-n",
        "namespace",
        metavar="NAME",
        default="",
        help=f"Namespace of the object; {default}, unless said.",
    )


remote_namespace = click.option(
    "--remote-namespace",
    metavar="NAME",
    default="liqo",
    show_default=True,
    help="Namespace that Liqo is installed in, in the remote cluster.",
)


def remote_cluster_id(whose: str) -> Callable[[F], F]:
    text = f"ID of the {whose}."
    return click.option("--remote-cluster-id", metavar="ID", required=True, help=text)


def output_format(*forms: str) -> Callable[[F], F]:
    return click.option(
        "--output",
        "-o",
        "form",
        type=click.Choice(forms or ("yaml", "json")),
        help="Print it in this form, and do nothing else.",
    )


def making(where: str) -> Callable[[F], F]:
    """What every verb takes that makes an object there, or prints it to be applied elsewhere."""

    def declared(verb: F) -> F:
        for flag in (
            liqo_namespace("liqo-namespace"),
            object_namespace(where),
            timeout("120s"),
            output_format(),
        ):
            verb = flag(verb)
        return verb

    return declared


get_path = click.option(
    "--get",
    "-g",
    "path",
    metavar="PATH",
    default="",
    help="Print only this value, such as local.clusterID or network.podCIDRs.",
)


def _parameter(prefix: str, name: str) -> str:
    """Not plain `cluster` or `user`: verbs have parameters of their own."""
    return f"{prefix.replace('-', '_')}kube_{name}"
