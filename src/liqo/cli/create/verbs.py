"""The words of liqoctl create: what each command takes."""

from __future__ import annotations

from typing import Any

import click

from liqo.cli import flags, values
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples
from liqo.rules import names


@click.command(
    "nonce",
    help="Make the challenge that a consumer has to sign, on its provider. The consumer answers "
    "with: liqoctl generate tenant.",
    epilog=examples(
        "liqoctl create nonce --remote-cluster-id rome",
        "liqoctl create nonce --remote-cluster-id rome -o yaml",
    ),
)
@flags.remote_cluster_id("consumer")
@flags.making("the tenant namespace of the consumer")
@one_cluster
async def nonce(call: Call, remote_cluster_id: str, **said: Any) -> None:
    from liqo.cli.create.nonce import create, show

    if said["form"]:
        await show(call, remote_cluster_id, said["form"])
    else:
        await create(call, remote_cluster_id, said["timeout"])


@click.command(
    "resourceslice",
    help="Ask the provider for resources, under NAME, and wait for its answer. What is not asked "
    "for is filled in by the provider. A virtual node of that name is made of what it grants.",
    epilog=examples(
        "liqoctl create resourceslice mypool --remote-cluster-id milan",
        "liqoctl create rs mypool --remote-cluster-id milan --cpu 2 --memory 4Gi --pods 10",
        "liqoctl create rs mypool --remote-cluster-id milan --class share",
        "liqoctl create rs mypool --remote-cluster-id milan -o yaml | kubectl apply -f -",
    ),
)
@click.argument("name", type=values.Name(names.check_slice_name))
@flags.remote_cluster_id("provider")
@click.option(
    "--class",
    "class_",
    metavar="NAME",
    default="default",
    show_default=True,
    help="Who decides on the provider: default, fixed amounts; share, a percentage of what is free "
    "there; or a controller of its own.",
)
@values.resource_flags()
@flags.switch("--no-virtual-node", default=False, help="Make no virtual node of it.")
@flags.making("the tenant namespace of the provider")
@one_cluster
async def resourceslice(call: Call, name: str, remote_cluster_id: str, **said: Any) -> None:
    from liqo.cli.create.resourceslice import create

    await create(call, name, remote_cluster_id, said)


@click.command(
    "virtualnode",
    help="Make the virtual node NAME, of a ResourceSlice that was granted or of a Secret with a "
    "kubeconfig of the provider, and wait until it is ready. Amounts and classes are those of the "
    "slice; the flags for them count only with a Secret.",
    epilog=examples(
        "liqoctl create virtualnode --remote-cluster-id milan --resource-slice-name mypool mynode",
        "liqoctl create vn mynode --remote-cluster-id milan --kubeconfig-secret-name mysecret",
        "liqoctl create vn mynode --remote-cluster-id milan --resource-slice-name mypool -o yaml",
    ),
)
@click.argument("name", type=values.Name(names.check_node_name))
@flags.remote_cluster_id("provider")
@click.option("--resource-slice-name", metavar="NAME", default="", help="Slice to make it of.")
@click.option(
    "--kubeconfig-secret-name",
    metavar="NAME",
    default="",
    help="Secret to make it of: in the tenant namespace, with the key kubeconfig.",
)
@flags.switch("--create-node", default=True, help="Make a Node of it; without one, only reflect.")
@flags.switch(
    "--disable-network-check", default=False, help="Be ready whatever the network between us does."
)
@click.option(
    "--vk-options-template",
    metavar="NAMESPACE/NAME",
    default="",
    help="VkOptionsTemplate for its virtual kubelet; the installation's default, unless said.",
)
@values.resource_flags(**values.OF_A_NODE)
@click.option("--storage-classes", metavar="NAME,…", default="", help="The first is the default.")
@click.option("--ingress-classes", metavar="NAME,…", default="", help="The first is the default.")
@click.option(
    "--load-balancer-classes", metavar="NAME,…", default="", help="The first is the default."
)
@click.option("--labels", type=flags.Pairs(), metavar="K=V,…", help="Labels for the Node.")
@click.option(
    "--node-selector",
    type=flags.Pairs(),
    metavar="K=V,…",
    help="Nodes of the provider that its pods may run on.",
)
@click.option("--runtime-class-name", metavar="NAME", help="Runtime class of its pods.")
@flags.making("the tenant namespace of the provider")
@one_cluster
async def virtualnode(call: Call, name: str, remote_cluster_id: str, **said: Any) -> None:
    from liqo.cli.create.virtualnode import create

    await create(call, name, remote_cluster_id, said)
