"""The webhooks: the program, the Service by which the API server calls it, and for what."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.kubernetes import Service
from liqo.api.meta import JSON
from liqo.install.kinds import manifest
from liqo.install.marks import chosen, marks
from liqo.install.offloading import runtime_class_name
from liqo.install.program import HEALTH_PORT, Program, deployment
from liqo.install.settings import Settings
from liqo.webhooks.configuration import Choices, configurations

NAME = "webhook"
SERVICE = "liqo-webhook"
MODULE = "liqo.programs.webhook"
REQUESTS = {"cpu": "20m", "memory": "96Mi"}


def manifests(settings: Settings) -> Iterator[JSON]:
    port = settings["webhook.port"]
    enforcement = settings["controllerManager.config.enableResourceEnforcement"]
    arguments = [
        f"--liqo-namespace={settings.namespace}",
        f"--port={port}",
        f"--health-port={HEALTH_PORT}",
        f"--service-name={SERVICE}",
        f"--runtime-class-name={runtime_class_name(settings)}",
        f"--enable-resource-enforcement={str(enforcement).lower()}",
    ]
    yield service(settings, port)
    replicas = settings["webhook.replicas"]
    program = Program(NAME, MODULE, arguments, REQUESTS, replicas, ports={"webhook": port})
    yield deployment(settings, program)
    choices = Choices(
        failure=settings["webhook.failurePolicy"],
        strip=settings["offloading.stripManagedFields"],
        enforcement=enforcement,
    )
    for each in configurations(settings.namespace, SERVICE, port, choices):
        yield labelled(settings, each)


def service(settings: Settings, port: int) -> JSON:
    begun = manifest(Service.KIND, SERVICE, marks(settings, NAME), settings.namespace)
    ports = [{"name": "https", "port": port, "protocol": "TCP", "targetPort": "webhook"}]
    return {**begun, "spec": {"selector": chosen(NAME), "ports": ports}}


def labelled(settings: Settings, configuration: JSON) -> JSON:
    metadata = configuration["metadata"]
    labels = {**marks(settings, NAME), **metadata.get("labels", {})}
    return {**configuration, "metadata": {**metadata, "labels": labels}}
