"""All that replication does, for the list of a program: `replication(here, home)`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from liqo.consumer.home import Home
from liqo.consumer.replication import copies, credentials
from liqo.consumer.replication.route import KINDS, Route, wanted
from liqo.kube.cache import Caches
from liqo.runtime.controller import Controller
from liqo.runtime.remotes import Checking, Remotes
from liqo.runtime.tenants import secrets


def replication(here: Caches, home: Home, checking: Checking | None = None) -> Remotes:
    """A remote for each provider; it comes and goes with the Secret of its kubeconfig."""
    for model in KINDS:
        here.of(model)  # known before the first provider is: nothing of it may look gone
    providers = partial(wanted, here, home, partial(controllers, here))
    return Remotes(here, secrets(here), providers, checking)


def controllers(here: Caches, route: Route, there: Caches) -> Sequence[Controller[Any]]:
    return (
        credentials.controller(route, here, there),
        *(copies.controller(model, route, here, there) for model in KINDS),
    )
