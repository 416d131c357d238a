"""Where packets go next: rules and routes of the kernel."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from liqo.api.meta import Kind, Model, Resource
from liqo.api.networking.group import GROUP, VERSION, HostCondition
from liqo.api.schema import AGE, CRD, wire
from liqo.api.values import CIDR, IPv4, ObjectReference


class Route(Model, frozen=True):
    dst: CIDR
    src: IPv4 | None = None
    gw: IPv4 | None = None
    dev: str | None = None
    onlink: bool | None = None
    scope: Literal["global", "link", "host", "site", "nowhere"] | None = None
    target_ref: ObjectReference | None = None


class Rule(Model, frozen=True):
    routes: tuple[Route, ...]
    src: CIDR | None = None
    dst: CIDR | None = None
    iif: str | None = None
    oif: str | None = None
    fwmark: int | None = None
    priority: int | None = None
    target_ref: ObjectReference | None = None


class Table(Model, frozen=True):
    name: str
    rules: Annotated[tuple[Rule, ...], wire(minItems=1)]
    target_ref: ObjectReference | None = None


class RouteConfigurationSpec(Model, frozen=True):
    table: Table | None = None


class RouteConfigurationStatus(Model, frozen=True):
    conditions: tuple[HostCondition, ...] = ()


class RouteConfiguration(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "RouteConfiguration", "routeconfigurations")

    spec: RouteConfigurationSpec = RouteConfigurationSpec()
    status: RouteConfigurationStatus = RouteConfigurationStatus()


CRDS = (CRD(RouteConfiguration, short_names=("rcnf", "rcnfg", "rcfg", "routecfg"), columns=(AGE,)),)
