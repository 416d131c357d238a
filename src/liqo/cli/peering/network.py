"""The flags of the network between two peers. There is no module yet that would heed them."""

from __future__ import annotations

from typing import Any

import click

MISSING = (
    "there is no network module yet: pods of the two clusters reach each other only where their "
    "networks are connected already; --networking-disabled peers without this warning"
)


def options() -> list[click.Option]:
    """Taken as they are; they mean something once there is a network module."""
    return [
        _option("--skip-validation", is_flag=True, help="Do not check the gateways' templates."),
        _option(
            "--gw-server-service-location",
            type=click.Choice(["Provider", "Consumer"], case_sensitive=False),
            default="Provider",
            help="Which cluster runs the server of the tunnel.",
        ),
        _option(
            "--gw-server-service-type",
            type=click.Choice(["LoadBalancer", "NodePort", "ClusterIP"], case_sensitive=False),
            default="LoadBalancer",
            help="Type of its Service.",
        ),
        _option("--gw-server-service-port", type=int, default=51840, help="Port of its Service."),
        _option("--gw-server-service-nodeport", type=int, default=0, help="Its port on nodes."),
        _option("--gw-server-service-loadbalancerip", default="", help="Its IP address."),
        _option("--gw-client-address", default="", help="Where the client finds the server."),
        _option("--gw-client-port", type=int, default=0, help="The port for that address."),
        _option("--mtu", type=int, default=1340, help="Of the tunnel, in bytes."),
    ]


def _option(name: str, **settings: Any) -> click.Option:
    return click.Option([name], expose_value=False, show_default=True, **settings)
