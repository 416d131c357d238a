"""The words of liqoctl generate: what each command takes."""

from __future__ import annotations

from typing import Any

import click

from liqo.cli import flags, values
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples


@click.command(
    "tenant",
    help="Sign the provider's nonce, and print the Tenant that stands for this consumer: its "
    "public key, its signing request and the signature. It is applied on the provider.",
    epilog=examples(
        'liqoctl generate tenant --remote-cluster-id milan --nonce "$NONCE" > tenant.yaml',
        "liqoctl generate tenant --remote-cluster-id milan | kubectl --context milan apply -f -",
    ),
)
@flags.remote_cluster_id("provider")
@click.option(
    "--remote-tenant-namespace",
    metavar="NAME",
    default="",
    help="Tenant namespace of this cluster on the provider; liqo-tenant-<ID>, unless said.",
)
@click.option(
    "--nonce",
    metavar="TEXT",
    default="",
    help="What `liqoctl get nonce` printed on the provider; the one of before, unless said.",
)
@click.option(
    "--proxy-url",
    metavar="URL",
    default="",
    help="Proxy through which this cluster reaches the provider; none, unless said.",
)
@flags.making("the tenant namespace of the provider")
@one_cluster
async def tenant(call: Call, remote_cluster_id: str, **said: Any) -> None:
    from liqo.cli.generate.tenant import generate

    await generate(call, remote_cluster_id, said)


@click.command(
    "identity",
    help="Print the Identity that a consumer needs to reach this provider: where it is, and the "
    "certificate that was signed for it. It is applied on the consumer.",
    epilog=examples(
        "liqoctl generate identity --remote-cluster-id rome > identity.yaml",
        "liqoctl generate identity --remote-cluster-id rome | kubectl --context rome apply -f -",
    ),
)
@flags.remote_cluster_id("consumer")
@click.option(
    "--remote-tenant-namespace",
    metavar="NAME",
    default="",
    help="Tenant namespace of this cluster on the consumer; liqo-tenant-<ID>, unless said.",
)
@flags.making("the tenant namespace of the consumer")
@one_cluster
async def identity(call: Call, remote_cluster_id: str, **said: Any) -> None:
    from liqo.cli.generate.identity import generate

    await generate(call, remote_cluster_id, said)


@click.command(
    "peering-user",
    help="Make a user who may peer with this cluster on behalf of one consumer, and do nothing "
    "else; print its kubeconfig.",
    epilog=examples(
        "liqoctl generate peering-user --consumer-cluster-id rome > peer-with-milan.kubeconfig",
        "liqoctl peer --remote-kubeconfig peer-with-milan.kubeconfig",
    ),
)
@values.consumer_cluster_id
@click.option(
    "--tls-compatibility-mode",
    "compatible",
    type=click.Choice(("auto", "true", "false")),
    default="auto",
    show_default=True,
    help="A key of RSA, for those whose TLS does not know Ed25519; auto: as Liqo is installed.",
)
@flags.timeout("120s")
@flags.object_namespace("the tenant namespace of the consumer")
@flags.liqo_namespace("liqo-namespace")
@one_cluster
async def peering_user(call: Call, consumer_cluster_id: str, **said: Any) -> None:
    from liqo.cli.generate.peering_user import generate

    await generate(call, consumer_cluster_id, said)


@click.command(
    "peer-command",
    help="Print a command that lets another cluster borrow from this one. It can be used once.",
    epilog=examples(
        "liqoctl generate peer-command",
        "liqoctl generate peer-command --only-command --lifetime 10m",
    ),
)
@flags.switch("--only-command", default=False, help="Print the command, and explain nothing.")
@click.option(
    "--lifetime",
    type=flags.Duration(),
    default="1h",
    show_default=True,
    help="How long it can be used; 10m at least.",
)
@click.option(
    "--consumer-cluster-id", default="", metavar="ID", help="Only this cluster may use it."
)
@click.option(
    "--auth-url", default="", metavar="URL", help="Where the other cluster reaches our API server."
)
@flags.liqo_namespace("liqo-namespace")
@one_cluster
async def peer_command(
    call: Call, only_command: bool, lifetime: float, liqo_namespace: str, **said: str
) -> None:
    from liqo.cli.peering.inviting import Terms, invite

    terms = Terms(lifetime, said["consumer_cluster_id"], said["auth_url"])
    async with call.cluster() as cluster:
        printed = await invite(cluster, liqo_namespace, terms)
    if not only_command:
        call.out.info("run this where the kubeconfig of the cluster that wants to borrow is:")
    call.out.result(printed.command)
    if not only_command:
        call.out.info(f"it can be used once, until {printed.expires}")
