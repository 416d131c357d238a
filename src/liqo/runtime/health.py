"""What the outside may ask a program: is it alive, is it ready, how is it doing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web

from liqo.runtime.metrics import Metrics

LAG_PERIOD = 0.5  # seconds between two looks at the event loop: 0.1 % of a core


async def serve(
    port: int, metrics: Metrics, missing: Callable[[], list[str]], host: str = ""
) -> None:
    """Answer at /healthz, /readyz and /metrics until cancelled; `missing` is not ready yet.

    That an answer comes at all is the health: the event loop turns.
    """
    runner = web.AppRunner(application(metrics, missing), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host or None, port).start()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def application(metrics: Metrics, missing: Callable[[], list[str]]) -> web.Application:
    async def healthz(_: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def readyz(_: web.Request) -> web.Response:
        waiting_for = missing()
        if waiting_for:
            return web.Response(status=503, text="waiting for " + ", ".join(waiting_for))
        return web.Response(text="ok")

    async def figures(_: web.Request) -> web.Response:
        return web.Response(body=metrics.text(), content_type="text/plain", charset="utf-8")

    routes = web.Application()
    routes.add_routes(
        [web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", figures)]
    )
    return routes


async def measure_lag(metrics: Metrics, period: float = LAG_PERIOD) -> None:
    """How late the event loop wakes a task is how long something held it."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + period
        await asyncio.sleep(period)
        metrics.loop_lag.observe(max(0.0, loop.time() - due))
