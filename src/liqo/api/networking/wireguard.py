"""Gateways made of WireGuard, the templates they come from, and their public keys."""

from __future__ import annotations

from typing import Annotated, ClassVar

from liqo.api import labels
from liqo.api.meta import JSON, Kind, Model, Resource
from liqo.api.networking.gateway import Endpoint, InternalEndpoint
from liqo.api.networking.group import GROUP, VERSION
from liqo.api.schema import CRD, OPEN, follows
from liqo.api.values import (
    DeploymentTemplate,
    LocalReference,
    ObjectReference,
    ServiceTemplate,
    TemplateMeta,
)


class ServiceMonitorTemplate(Model, frozen=True):
    metadata: TemplateMeta = TemplateMeta()
    spec: Annotated[JSON, follows("ServiceMonitorSpec")] = {}


class Metrics(Model, frozen=True):
    enabled: bool
    service: ServiceTemplate | None = None
    service_monitor: ServiceMonitorTemplate | None = None


class WgGatewayClientSpec(Model, frozen=True):
    deployment: DeploymentTemplate
    metrics: Metrics | None = None
    secret_ref: LocalReference = LocalReference()


class WgGatewayClientStatus(Model, frozen=True):
    secret_ref: ObjectReference | None = None
    internal_endpoint: InternalEndpoint | None = None


class WgGatewayClient(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "WgGatewayClient", "wggatewayclients")

    spec: WgGatewayClientSpec
    status: WgGatewayClientStatus = WgGatewayClientStatus()


class WgGatewayServerSpec(Model, frozen=True):
    service: ServiceTemplate
    deployment: DeploymentTemplate
    metrics: Metrics | None = None
    secret_ref: LocalReference = LocalReference()


class WgGatewayServerStatus(Model, frozen=True):
    secret_ref: ObjectReference | None = None
    endpoint: Endpoint | None = None
    internal_endpoint: InternalEndpoint | None = None


class WgGatewayServer(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "WgGatewayServer", "wggatewayservers")

    spec: WgGatewayServerSpec
    status: WgGatewayServerStatus = WgGatewayServerStatus()


class ObjectKind(Model, frozen=True):
    api_version: str = ""
    kind: str = ""


class GatewayTemplateSpec(Model, frozen=True):
    object_kind: ObjectKind = ObjectKind()
    template: Annotated[JSON, OPEN] = {}


class WgGatewayClientTemplate(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "WgGatewayClientTemplate", "wggatewayclienttemplates")

    spec: GatewayTemplateSpec = GatewayTemplateSpec()


class WgGatewayServerTemplate(Resource, frozen=True):
    KIND: ClassVar = Kind(GROUP, VERSION, "WgGatewayServerTemplate", "wggatewayservertemplates")

    spec: GatewayTemplateSpec = GatewayTemplateSpec()


class PublicKeySpec(Model, frozen=True):
    public_key: bytes = b""


class PublicKey(Resource, frozen=True):
    """The key by which the peer's gateway is recognised."""

    KIND: ClassVar = Kind(GROUP, VERSION, "PublicKey", "publickeies")  # spelled so on the wire

    spec: PublicKeySpec = PublicKeySpec()


IS_TEMPLATE = {labels.GATEWAY_TEMPLATE: "true"}  # how controllers find such CRDs

CRDS = (
    CRD(PublicKey, short_names=("pk", "pkies", "pkey")),
    CRD(WgGatewayClient, short_names=("wgc", "wggc")),
    CRD(WgGatewayClientTemplate, short_names=("wggct", "wgct"), labels=IS_TEMPLATE),
    CRD(WgGatewayServer, short_names=("wgs", "wggs")),
    CRD(WgGatewayServerTemplate, short_names=("wggst", "wgst"), labels=IS_TEMPLATE),
)
