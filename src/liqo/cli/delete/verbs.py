"""The words of liqoctl delete: what each command takes."""

from __future__ import annotations

from collections.abc import Callable

import click

from liqo.cli import flags, values
from liqo.cli.call import Call, Verb, one_cluster
from liqo.cli.lazy import examples


def by_name(kind: str, text: str, call: str) -> Callable[[Verb], click.Command]:
    """A command that takes the name of an object."""

    def declared(verb: Verb) -> click.Command:
        where = flags.object_namespace("wherever it is found by its name")
        called = click.argument("name")(where(flags.timeout("120s")(one_cluster(verb))))
        return click.command(kind, help=text, epilog=examples(call))(called)

    return declared


@by_name(
    "resourceslice",
    "Give back what was borrowed under NAME: its virtual node, its Node and the Quota on the "
    "provider go with it.",
    "liqoctl delete resourceslice mypool",
)
async def resourceslice(call: Call, name: str, namespace: str, timeout: float) -> None:
    from liqo.cli.delete.named import delete_resourceslice

    await delete_resourceslice(call, name, namespace, timeout)


@by_name(
    "virtualnode",
    "Remove the virtual node NAME, and its Node. What it was made of stays.",
    "liqoctl delete virtualnode mynode",
)
async def virtualnode(call: Call, name: str, namespace: str, timeout: float) -> None:
    from liqo.cli.delete.named import delete_virtualnode

    await delete_virtualnode(call, name, namespace, timeout)


@click.command(
    "peering-user",
    help="Take back what the peering user of a consumer may do. A peering that it made stays.",
    epilog=examples("liqoctl delete peering-user --consumer-cluster-id rome"),
)
@values.consumer_cluster_id
@flags.object_namespace("every namespace")
@one_cluster
async def peering_user(call: Call, consumer_cluster_id: str, **_: str) -> None:
    from liqo.cli import peering_users

    async with call.cluster() as cluster:
        gone = await peering_users.remove(cluster, consumer_cluster_id)
    user = f'eering user for cluster with ID "{consumer_cluster_id}"'
    call.out.info(f"P{user} deleted successfully" if gone else f"There is no p{user}")
