"""A pod of Rome that runs in Milan, and how one gets at it: through Rome, or in Milan itself.

The same pod both times, and the same kubectl: what differs is what we add.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.installed import installed
from bench.loan import CITIES, PATIENCE, VIRTUAL, Loan, extend, peer, ready, user
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.waiting import until
from liqo.playground import images
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.rules.readiness import is_ready

NAME = "guest"
NAMESPACE = "shop"
WHOLE_LOGS = Options(flags=(("kubelet", "--container-log-max-size=1Gi"),))  # not only their ends


@dataclass(frozen=True)
class Way:
    """One of the two to the guest."""

    name: str
    site: Site
    cluster: Cluster
    namespace: str

    async def kubectl(self, verb: str, *words: str, into: Path | None = None) -> None:
        """Once, with all that it says in a file; LiqoError where it does not go well."""
        command = (
            *(str(self.site.executables["kubectl"]), f"--kubeconfig={self.site.kubeconfig}"),
            *(verb, f"--namespace={self.namespace}", *words),
        )
        with (into or Path("/dev/null")).open("wb") as said:
            process = await asyncio.create_subprocess_exec(
                *command, stdout=said, stderr=asyncio.subprocess.PIPE
            )
            _, wrong = await process.communicate()
        if process.returncode:
            raise LiqoError(f"{' '.join(command)}: {wrong.decode()}")


@dataclass(frozen=True)
class Guest:
    loan: Loan
    through: Way
    directly: Way


@asynccontextmanager
async def hosted(playground: str, script: str) -> AsyncIterator[Guest]:
    """It does as the script says, and is Ready when that has made the file `/tmp/done`."""
    async with installed(playground, CITIES, WHOLE_LOGS) as (rome, milan):
        await peer(rome, milan)
        async with user(rome) as home, user(milan) as abroad:
            await ready(home)
            loan = Loan(rome, milan, home, abroad)
            remote = await extend(loan, NAMESPACE)
            await home.create(a_guest(script), kind=Pod.KIND, namespace=NAMESPACE)
            async with asyncio.timeout(PATIENCE):
                await until(home, Pod, Key(NAMESPACE, NAME), is_ready)
            yield Guest(
                loan,
                Way("through Rome", rome, home, NAMESPACE),
                Way("directly", milan, abroad, remote),
            )


def a_guest(script: str) -> JSON:
    done = {"exec": {"command": ["test", "-e", "/tmp/done"]}, "periodSeconds": 1}
    container = {
        "name": "main",
        "image": images.HELPER,
        "command": ["sh", "-c", f"{script}\ntouch /tmp/done; exec sleep 100000"],
        "startupProbe": {**done, "failureThreshold": 60},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME},
        "spec": {**VIRTUAL, "terminationGracePeriodSeconds": 0, "containers": [container]},
    }
