"""The words of liqoctl cordon, uncordon, drain and activate: what each command takes."""

from __future__ import annotations

from collections.abc import Callable

import click

from liqo.cli import flags
from liqo.cli.call import Call, Verb, one_cluster
from liqo.cli.lazy import examples


def of_a_tenant(text: str, *calls: str) -> Callable[[Verb], click.Command]:
    """A command that takes the name of a Tenant."""

    def declared(verb: Verb) -> click.Command:
        called = click.argument("name")(flags.timeout("120s")(one_cluster(verb)))
        return click.command("tenant", help=text, epilog=examples(*calls))(called)

    return declared


def of_a_slice(text: str, *calls: str) -> Callable[[Verb], click.Command]:
    """A command that takes the name of a ResourceSlice, and whose it is."""

    def declared(verb: Verb) -> click.Command:
        whose = flags.remote_cluster_id("consumer")
        called = click.argument("name")(whose(flags.timeout("120s")(one_cluster(verb))))
        return click.command("resourceslice", help=text, epilog=examples(*calls))(called)

    return declared


@of_a_tenant(
    "Take no more pods and no more requests of the Tenant NAME; what runs goes on.",
    "liqoctl cordon tenant rome",
    "liqoctl uncordon tenant rome",
)
async def cordon_tenant(call: Call, name: str, timeout: float) -> None:
    from liqo.cli.cordon.tenant import CORDON, change

    call.out.confirm("cordon tenant", skip=call.settings.skip_confirm)
    await change(call, name, CORDON, timeout)


@of_a_tenant(
    "Take pods and requests of the Tenant NAME again, after it was cordoned.",
    "liqoctl uncordon tenant rome",
)
async def uncordon_tenant(call: Call, name: str, timeout: float) -> None:
    from liqo.cli.cordon.tenant import UNCORDON, change

    await change(call, name, UNCORDON, timeout)


@of_a_tenant(
    "Take back all that the Tenant NAME was granted: its rights, its slices, and its "
    "namespaces with all that runs in them. The way back is: liqoctl activate tenant.",
    "liqoctl drain tenant rome",
    "liqoctl activate tenant rome",
)
async def drain_tenant(call: Call, name: str, timeout: float) -> None:
    from liqo.cli.cordon.tenant import DRAIN, change

    call.out.confirm("drain tenant", skip=call.settings.skip_confirm)
    await change(call, name, DRAIN, timeout)


@of_a_tenant(
    "Let the Tenant NAME in again, after it was cordoned or drained.",
    "liqoctl activate tenant rome",
)
async def activate_tenant(call: Call, name: str, timeout: float) -> None:
    from liqo.cli.cordon.tenant import ACTIVATE, change

    await change(call, name, ACTIVATE, timeout)


@of_a_slice(
    "Take no more pods of the ResourceSlice NAME of a consumer; what runs goes on.",
    "liqoctl cordon resourceslice mypool --remote-cluster-id rome",
)
async def cordon_slice(call: Call, name: str, remote_cluster_id: str, timeout: float) -> None:
    from liqo.cli.cordon.resourceslice import cordon

    call.out.confirm("cordon resourceslice", skip=call.settings.skip_confirm)
    await cordon(call, name, remote_cluster_id, timeout)


@of_a_slice(
    "Take pods of the ResourceSlice NAME of a consumer again, after it was cordoned.",
    "liqoctl uncordon resourceslice mypool --remote-cluster-id rome",
)
async def uncordon_slice(call: Call, name: str, remote_cluster_id: str, timeout: float) -> None:
    from liqo.cli.cordon.resourceslice import uncordon

    call.out.confirm("uncordon resourceslice", skip=call.settings.skip_confirm)
    await uncordon(call, name, remote_cluster_id, timeout)
