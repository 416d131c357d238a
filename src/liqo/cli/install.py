"""liqoctl install, which is also upgrade: its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples

F = TypeVar("F", bound=Callable[..., Any])

GENERIC = "liqoctl install --cluster-id rome --pod-cidr 10.244.0.0/16 --service-cidr 10.96.0.0/12"


def several(name: str, metavar: str, text: str) -> Callable[[F], F]:
    return click.option(name, metavar=metavar, multiple=True, help=f"{text} May be repeated.")


@click.command(
    epilog=examples(
        "liqoctl install playground",
        "liqoctl install kind --cluster-id rome",
        GENERIC,
        "liqoctl install playground --set controllerManager.config.defaultLimitsEnforcement=Soft",
        "liqoctl upgrade playground --sharing-percentage 50",
        "liqoctl upgrade playground --dry-run",
    ),
    help="Install Liqo in a cluster, or bring an installation to this version and these settings; "
    "`upgrade` is the same. PROVIDER is playground, kind, kubeadm or k3s: those tell their "
    "networks themselves.",
)
@click.argument("provider", default="", metavar="[PROVIDER]")
@click.option("--cluster-id", default="", metavar="ID", help="Else it keeps its ID, or gets one.")
@click.option("--cluster-name", default="", metavar="ID", help="Older spelling of --cluster-id.")
@click.option(
    "--cluster-labels",
    type=flags.Pairs(),
    metavar="K=V,…",
    multiple=True,
    help="Labels of the nodes that stand for this cluster elsewhere.",
)
@several("--pod-cidr", "CIDR", "Addresses of pods.")
@click.option("--service-cidr", default="", metavar="CIDR", help="Addresses of Services.")
@several("--reserved-subnets", "CIDR,…", "Networks that must not be used.")
@click.option("--api-server-url", default="", metavar="URL", help="As other clusters reach it.")
@click.option(
    "--sharing-percentage",
    "--resource-sharing-percentage",
    type=int,
    metavar="N",
    help="How much of what is free here a peer gets that asks for a share, 1 to 100; 90 if nothing "
    "is said. Existing peers see it at once.",
)
@flags.switch("--enable-metrics", default=False, help="Figures of virtual kubelets for Prometheus.")
@several("--set", "KEY=VALUE", "A setting; docs/install.md lists them.")
@several("--set-string", "KEY=VALUE", "The same, always taken as a text.")
@several("--values", "FILE", "Settings as YAML; - is standard input.")
@flags.switch("--only-output-values", default=False, help="Write the settings to a file and stop.")
@click.option(
    "--dump-values-path", default="", metavar="FILE", help="Which; ./values.yaml if none."
)
@flags.switch("--dry-run", default=False, help="Print the manifests and change nothing.")
@flags.output_format()
@flags.switch("--skip-validation", default=False, help="Do not check addresses and values.")
@flags.switch(
    "--disable-api-server-sanity-check",
    default=False,
    help="The URL may differ from the kubeconfig's.",
)
@flags.switch("--disable-telemetry", default=False, help="Accepted; there is none.")
@flags.switch("--disable-kernel-version-check", default=False, help="Accepted; there is none.")
@flags.liqo_namespace()
@flags.timeout("10m")
@one_cluster
async def command(call: Call, provider: str, timeout: float, **said: Any) -> None:
    from liqo.cli.installing import install

    await install(call, provider, timeout, said)
