"""The process around a class: it finds its cluster, follows the slices, and answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import uvloop

from liqo.classes.answer import Grant, controller
from liqo.errors import LiqoError
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from liqo.provider.grant import OWN_CLASSES
from liqo.runtime import log
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.program import Program, run


def serve(of_class: str, grant: Grant, arguments: Sequence[str] | None = None) -> None:
    """Answer every slice of that class, until a signal; two processes that do so do no harm."""
    told = _parser(of_class).parse_args(arguments)
    log.configure()
    try:
        if of_class in OWN_CLASSES:
            raise LiqoError(f'the class "{of_class}" is answered by Liqo itself: choose another')
        uvloop.run(_serve(of_class, grant, told.kubeconfig))
    except LiqoError as error:
        sys.exit(str(error))


async def _serve(of_class: str, grant: Grant, kubeconfig: str) -> None:
    async with Cluster(find(kubeconfig), name="provider", limits=IMPATIENT) as cluster:
        here = Caches(cluster)
        await run(Program({"local": here}, [controller(here, of_class, grant)]))


def _parser(of_class: str) -> argparse.ArgumentParser:
    about = f'Answers what consumers ask for in the ResourceSlice class "{of_class}".'
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--kubeconfig", default="", help="of the provider; else the usual places")
    return parser
