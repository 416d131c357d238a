"""The flags of the network are understood, whatever they will mean."""

from __future__ import annotations

import click

from liqo.cli.peering.network import options


def test_every_flag_is_taken_and_none_reaches_the_verb() -> None:
    seen: list[object] = []
    command = click.Command(
        "peer", params=list(options()), callback=lambda **said: seen.append(said)
    )
    words = (
        "--skip-validation --gw-server-service-location Consumer --gw-server-service-type NodePort "
        "--gw-server-service-port 1 --gw-server-service-nodeport 2 --mtu 1400 --gw-client-port 3 "
        "--gw-server-service-loadbalancerip 10.0.0.1 --gw-client-address 10.0.0.2"
    )
    command.main(words.split(), standalone_mode=False)
    assert seen == [{}]
