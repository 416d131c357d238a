"""Which way leads to a plugin. It is imported only then: who has no plugin pays nothing."""

from __future__ import annotations

from liqo.plugin.address import Address, GrpcAddress
from liqo.plugin.answers import Plugin


def at(address: Address) -> Plugin:
    if isinstance(address, GrpcAddress):
        from liqo.plugin.grpc import GrpcPlugin

        return GrpcPlugin(address)
    from liqo.plugin.http import HttpPlugin

    return HttpPlugin(address)
