"""Metrics API: registered as long as the metric agent is available behind it, and no longer.

Where nobody answers behind an APIService, the list of all APIs is incomplete, and Kubernetes then
finishes deleting no namespace, whosever it is.

Runs on   provider
Watches   Deployment (of the metric agent), Namespace (of the installation), APIService
          v1beta1.metrics.liqo.io
Writes    APIService v1beta1.metrics.liqo.io
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from liqo.api import metrics
from liqo.api.aggregation import APIService
from liqo.api.kubernetes import Deployment, Namespace
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import named
from liqo.kube.reading import Metadata, metadata
from liqo.rules import names
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Apply, Delete, Manifest, Plan, do

API = Key("", metrics.REGISTRATION)
PORT = 443  # of the Service


@dataclass(frozen=True)
class State:
    namespace: str  # of the installation
    leaving: bool  # it is being deleted, or gone: soon nobody will be there to take anything away
    available: bool
    registered: APIService | None


def controller(here: Caches, namespace: str) -> Controller[State]:
    def the_api(_: Resource) -> tuple[Key, ...]:
        return (API,)

    return Controller(
        name="provider/metricsapi",
        watches={
            agent(here, namespace): the_api,
            installation(here, namespace): the_api,
            here.of(APIService, named(API)): the_api,
        },
        observe=partial(observe, here, namespace),
        plan=plan,
    )


def agent(here: Caches, namespace: str) -> Cache[Deployment]:
    return here.of(Deployment, named(Key(namespace, names.METRIC_AGENT)))


def installation(here: Caches, namespace: str) -> Cache[Metadata]:
    return here.of(metadata(Namespace), named(Key("", namespace)))


def observe(here: Caches, namespace: str, key: Key) -> State:
    home = installation(here, namespace).get(Key("", namespace))
    leaving = home is None or home.metadata.deletion_timestamp is not None
    runs = agent(here, namespace).get(Key(namespace, names.METRIC_AGENT))
    return State(namespace, leaving, is_available(runs), here.of(APIService, named(API)).get(key))


def is_available(deployment: Deployment | None) -> bool:
    """A pod of it has been ready for so long that every node knows where it is."""
    if deployment is None or deployment.metadata.deletion_timestamp is not None:
        return False
    return bool(deployment.status.get("availableReplicas"))


def plan(state: State) -> Plan:
    """
    the agent is available, and stays | registered | what is done
    ----------------------------------+------------+--------------
    yes                               | as may be  | register it
    no                                | yes        | take it away
    no                                | no         | nothing
    """
    if state.available and not state.leaving:
        return do(Apply(registration(state.namespace)))
    return do(Delete(state.registered)) if state.registered is not None else NOTHING


def registration(namespace: str) -> Manifest:
    spec = {
        "group": metrics.GROUP,
        "version": metrics.VERSION,
        "groupPriorityMinimum": 1000,
        "versionPriority": 15,
        # Its certificate is made anew with every process: it answers nobody but the API server,
        # and that tells it no secret.
        "insecureSkipTLSVerify": True,
        "service": {"name": names.METRIC_AGENT, "namespace": namespace, "port": PORT},
    }
    return Manifest(APIService.KIND, {"metadata": {"name": metrics.REGISTRATION}, "spec": spec})
