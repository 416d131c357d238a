"""One call of a verb: which clusters it works on, how it talks, and how it is run.

    @click.command(...)
    @flags.timeout("120s")
    @one_cluster
    async def tenant(call: Call, name: str, timeout: float) -> None:
        from liqo.cli.cordon.tenant import CORDON, change

        await change(call, name, CORDON, timeout)

A verb is its words: what it takes is declared here, and what it does is imported when it is called.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from liqo.cli import flags
from liqo.cli.flags import Settings, Target
from liqo.cli.output import Output
from liqo.errors import LiqoError

# An HTTP client and an event loop are slow to import, and the help of a verb needs neither.
if TYPE_CHECKING:
    from liqo.kube.access import Access
    from liqo.kube.cluster import Cluster
    from liqo.kube.http import Limits

AGENT = "liqoctl"
Verb: TypeAlias = Callable[..., Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Call:
    out: Output
    settings: Settings
    local: Target
    remote: Target

    @asynccontextmanager
    async def cluster(self, limits: Limits | None = None) -> AsyncIterator[Cluster]:
        """The one cluster of a verb that knows but one."""
        from liqo.kube.cluster import Cluster
        from liqo.kube.http import LIMITS

        here, limits = access(self.local), limits or LIMITS
        async with Cluster(here, name="the cluster", agent=AGENT, limits=limits) as cluster:
            yield cluster

    @asynccontextmanager
    async def clusters(self) -> AsyncIterator[tuple[Cluster, Cluster]]:
        """The local cluster, which consumes, and the remote one, which provides."""
        from liqo.kube.cluster import Cluster

        here = access(self.local)
        there = access(self.remote, "--remote-kubeconfig")
        if here.server == there.server:
            raise LiqoError(
                f"local and remote clusters must be different: both are {here.server}; "
                "name the other one with --remote-kubeconfig or --remote-context"
            )
        async with (
            Cluster(here, name="the local cluster", agent=AGENT) as local,
            Cluster(there, name="the remote cluster", agent=AGENT) as remote,
        ):
            yield local, remote


def access(target: Target, flag: str = "--kubeconfig") -> Access:
    from liqo.kube.errors import Misconfigured
    from liqo.kube.kubeconfig import Choice, from_kubeconfig

    choice = Choice(target.context, target.cluster, target.user)
    try:
        return from_kubeconfig(target.kubeconfig, choice)
    except Misconfigured as wrong:
        raise Misconfigured(f"{wrong}; name another kubeconfig with {flag}") from wrong


def one_cluster(verb: Verb) -> Callable[..., None]:
    """A verb that works on one cluster; its first parameter is the Call."""
    return flags.add(_called(verb), flags.everywhere())


def two_clusters(verb: Verb) -> Callable[..., None]:
    """A verb that works on two: the second has the same flags with the prefix `remote-`."""
    return flags.add(_called(verb), [*flags.everywhere(), *flags.kubernetes("remote-", "remote ")])


class TimedOut(LiqoError):  # noqa: N818 - named after what happened
    """A wait that ended without what was waited for."""


class Deadline:
    """The end of a verb, which all its waits share."""

    def __init__(self, seconds: float) -> None:
        import asyncio

        self.seconds = seconds
        self._at = asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def waiting(self, for_what: str) -> AsyncIterator[None]:
        """Every wait has an end, and the end says what was waited for."""
        import asyncio

        try:
            async with asyncio.timeout_at(self._at):
                yield
        except TimeoutError:
            raise TimedOut(
                f"timed out waiting for the condition: {for_what} (waited {self.seconds:g} s)"
            ) from None


@asynccontextmanager
async def at_most(seconds: float, waiting_for: str) -> AsyncIterator[None]:
    async with Deadline(seconds).waiting(waiting_for):
        yield


def _called(verb: Verb) -> Callable[..., None]:
    @wraps(verb)
    def called(**said: Any) -> None:
        context = click.get_current_context()
        if context.invoked_subcommand:
            return  # a verb that is a group too: `peer` and `peer out-of-band`
        from liqo.cli.running import to_its_end

        call = Call(
            out=Output(),
            settings=flags.settings(context),
            local=flags.target(context),
            remote=flags.target(context, "remote-"),
        )
        to_its_end(verb(call, **_own(said)))

    return called


def _own(said: dict[str, Any]) -> dict[str, Any]:
    """What is left for the verb when the flags of all verbs are taken away."""
    return {name: value for name, value in said.items() if name not in _EVERYWHERE}


def _names(options: Iterable[click.Option]) -> set[str]:
    return {option.name for option in options if option.name}


_EVERYWHERE = _names([*flags.everywhere(), *flags.kubernetes("remote-")])
