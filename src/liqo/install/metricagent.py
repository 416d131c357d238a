"""The metric agent: the program, and the Service behind the API by which consumers ask it.

The API itself is not here: the controllers register it while the agent is available, and only then
(provider/metricsapi.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.kubernetes import (
    ClusterRole,
    ClusterRoleBinding,
    RoleBinding,
    Service,
    ServiceAccount,
)
from liqo.api.meta import JSON
from liqo.install import rights, roles
from liqo.install.kinds import ROLE, manifest
from liqo.install.marks import chosen, marks
from liqo.install.program import HEALTH_PORT, Program, deployment
from liqo.install.settings import Settings
from liqo.kube import authentication
from liqo.provider.metricsapi import PORT as ASKED
from liqo.rules import names

NAME = "metric-agent"
MODULE = "liqo.programs.metrics"
REQUESTS = {"cpu": "10m", "memory": "64Mi"}
PORT = 8443
# Seconds: nodes learn within one or two where it is. Who asks for the list of all APIs before that
# would not get it.
SETTLING = 2


def manifests(settings: Settings) -> Iterator[JSON]:
    if not settings["metricAgent.enabled"]:
        return
    yield from permitted(settings)
    yield service(settings)
    arguments = [f"--port={PORT}", f"--health-port={HEALTH_PORT}"]
    ports = {"https": PORT}
    program = Program(NAME, MODULE, arguments, REQUESTS, ports=ports, settling=SETTLING)
    yield deployment(settings, program)


def permitted(settings: Settings) -> Iterator[JSON]:
    name, marked = names.METRIC_AGENT, marks(settings, NAME)
    yield manifest(ServiceAccount.KIND, name, marked, settings.namespace)
    yield roles.role(settings, ClusterRole.KIND, name, rights.METRIC_AGENTS)
    yield roles.binding(settings, ClusterRoleBinding.KIND, name)
    where = authentication.TOLD.namespace
    yield roles.role(settings, ROLE, name, rights.METRIC_AGENTS_AT_THE_API_SERVER, where)
    yield roles.binding(settings, RoleBinding.KIND, name, where)


def service(settings: Settings) -> JSON:
    begun = manifest(Service.KIND, names.METRIC_AGENT, marks(settings, NAME), settings.namespace)
    ports = [{"name": "https", "port": ASKED, "protocol": "TCP", "targetPort": "https"}]
    return {**begun, "spec": {"selector": chosen(NAME), "ports": ports}}
