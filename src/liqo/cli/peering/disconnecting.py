"""The end of a network between two peers, whoever made it."""

from __future__ import annotations

from liqo.api.meta import Resource
from liqo.api.networking.configuration import Configuration
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.cli.peering.parting import of_peer, remove_all
from liqo.cli.peering.sides import Pair, Side
from liqo.cli.running import together

PARTS: tuple[tuple[type[Resource], str], ...] = (
    (GatewayClient, "gateway client"),
    (GatewayServer, "gateway server"),
    (Configuration, "network configuration"),
)


async def reset(pair: Pair) -> None:
    """Gateways first, then the configurations; on both sides at once."""
    for kind, called in PARTS:
        gone = await together(
            _removed(pair.consumer, kind, pair.provider.id),
            _removed(pair.provider, kind, pair.consumer.id),
        )
        for side, had in zip((pair.consumer, pair.provider), gone, strict=True):
            tell(side, called, had)


async def reset_here(consumer: Side, provider: str) -> None:
    for kind, called in PARTS:
        tell(consumer, called, await _removed(consumer, kind, provider))


def tell(side: Side, called: str, had: bool) -> None:
    word = "correctly" if had else "already"
    with side.out.step(f"Deleting {called}", f"{called.capitalize()} {word} deleted"):
        pass


async def _removed(side: Side, kind: type[Resource], peer: str) -> bool:
    return bool(await remove_all(side, kind, of_peer(peer)))
