"""The words of liqoctl get: what each command takes."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples


@click.command(
    "nonce",
    help="Print the challenge that was made for a consumer, on its provider.",
    epilog=examples(
        "liqoctl get nonce --remote-cluster-id rome",
        'NONCE="$(liqoctl --context milan get nonce --remote-cluster-id rome)"',
    ),
)
@flags.remote_cluster_id("consumer")
@flags.object_namespace("the tenant namespace of the consumer")
@one_cluster
async def nonce(call: Call, remote_cluster_id: str, namespace: str) -> None:
    from liqo.cli.get.nonce import get

    await get(call, remote_cluster_id, namespace)


@click.command(
    "kubeconfig",
    help="Print the kubeconfig that was made of IDENTITY: controlplane-<provider>, or "
    "resourceslice-<slice>.",
    epilog=examples(
        "liqoctl get kubeconfig controlplane-milan --remote-cluster-id milan",
        "liqoctl get kc resourceslice-mypool --remote-cluster-id milan > mypool.kubeconfig",
    ),
)
@click.argument("identity")
@flags.remote_cluster_id("provider")
@flags.object_namespace("the tenant namespace of the provider")
@one_cluster
async def kubeconfig(call: Call, identity: str, remote_cluster_id: str, namespace: str) -> None:
    from liqo.cli.get.kubeconfig import get

    await get(call, identity, remote_cluster_id, namespace)
