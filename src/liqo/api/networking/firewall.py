"""What may pass, and under which address: tables of nftables."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from liqo.api.meta import Kind, Model, Resource
from liqo.api.networking.group import GROUP, VERSION, HostCondition
from liqo.api.schema import AGE, CRD, wire
from liqo.api.values import Int32, ObjectReference

Family: TypeAlias = Literal["INET", "IPV4", "IPV6", "ARP", "NETDEV", "BRIDGE"]
Hook: TypeAlias = Literal["prerouting", "input", "forward", "output", "postrouting", "ingress"]
ChainType: TypeAlias = Literal["filter", "route", "nat"]
Policy: TypeAlias = Literal["drop", "accept"]
NatType: TypeAlias = Literal["dnat", "snat", "masquerade"]
FilterAction: TypeAlias = Literal[
    "ctmark", "metamarkfromctmark", "tcpmssclamp", "accept", "drop", "reject", "notrack"
]


class MatchDevice(Model, frozen=True):
    position: Literal["in", "out"]
    value: str


class MatchAddress(Model, frozen=True):
    position: Literal["src", "dst"]
    value: str


class MatchPort(Model, frozen=True):
    position: Literal["src", "dst"]
    value: str


class MatchProtocol(Model, frozen=True):
    value: Literal["tcp", "udp"]


class Match(Model, frozen=True):
    op: Literal["eq", "neq"]
    ip: MatchAddress | None = None
    port: MatchPort | None = None
    proto: MatchProtocol | None = None
    dev: MatchDevice | None = None


class FilterRule(Model, frozen=True):
    action: FilterAction
    match: tuple[Match, ...]
    counter: Annotated[bool, wire(default=True)]
    name: str | None = None
    value: str | None = None


class NatRule(Model, frozen=True):
    nat_type: NatType
    match: tuple[Match, ...]
    name: str | None = None
    to: str | None = None
    target_ref: ObjectReference | None = None


class RouteRule(Model, frozen=True):
    name: str | None = None


class Rules(Model, frozen=True):
    """Of one of the three sorts."""

    WIRE: ClassVar = wire(maxProperties=1)

    filter_rules: tuple[FilterRule, ...] = ()
    nat_rules: tuple[NatRule, ...] = ()
    route_rules: tuple[RouteRule, ...] = ()


class Chain(Model, frozen=True):
    name: str
    type: ChainType
    hook: Hook
    policy: Policy
    priority: Annotated[Int32, wire(default=0)]
    rules: Rules


class Table(Model, frozen=True):
    name: str
    family: Family
    chains: tuple[Chain, ...] = ()


class FirewallConfigurationSpec(Model, frozen=True):
    table: Table


class FirewallConfigurationStatus(Model, frozen=True):
    conditions: tuple[HostCondition, ...] = ()


class FirewallConfiguration(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "FirewallConfiguration", "firewallconfigurations")

    spec: FirewallConfigurationSpec
    status: FirewallConfigurationStatus = FirewallConfigurationStatus()


CRDS = (CRD(FirewallConfiguration, short_names=("fw", "fwconfig", "fwcfg"), columns=(AGE,)),)
