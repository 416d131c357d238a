"""A peering is made: the handshake, and a first slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from liqo.cli.objects import Wish, resource_slice
from liqo.cli.peering.handshake import authenticate, prepare
from liqo.cli.peering.sides import Pair
from liqo.cli.peering.slices import ask
from liqo.cli.values import resources
from liqo.errors import LiqoError


@dataclass(frozen=True)
class Terms:
    """What the flags say about a peering."""

    networking_disabled: bool
    create_resource_slice: bool
    resource_slice_class: str
    create_virtual_node: bool
    in_band: bool
    proxy_url: str
    cpu: str
    memory: str
    pods: str
    resource: tuple[Mapping[str, str], ...]

    @property
    def wish(self) -> Wish:
        return Wish(self.resource_slice_class, resources(vars(self)), self.create_virtual_node)


async def make(pair: Pair, terms: Terms) -> None:
    with ensuring("authentication"):
        places = await prepare(pair)
        await authenticate(pair, places, terms.proxy_url)
    if terms.create_resource_slice:
        with ensuring("offloading"):
            provider = pair.provider.id
            await ask(pair.loan, resource_slice(provider, places.here, provider, terms.wish))


@contextmanager
def ensuring(module: str) -> Iterator[None]:
    try:
        yield
    except LiqoError as error:
        raise LiqoError(f"Unable to ensure {module}: {error}") from error
