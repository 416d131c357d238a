"""One benchmark in a fresh process: what the last one left in memory is not counted in it."""

import asyncio
import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from types import ModuleType

import uvloop

from bench.figure import Figure


async def in_a_process_of_its_own(name: str, kubeconfig: str) -> list[Figure]:
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as pool:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(pool, as_the_product_runs, name, kubeconfig)


def as_the_product_runs(name: str, kubeconfig: str) -> list[Figure]:
    """On uvloop."""
    return uvloop.run(module(name).measure(kubeconfig))


def module(name: str) -> ModuleType:
    return importlib.import_module(f"bench.{name}")
