"""What a program answers to those who ask how it is."""

import asyncio

import pytest
from aiohttp.test_utils import TestClient, TestServer

from liqo.runtime.health import application, measure_lag
from liqo.runtime.metrics import Metrics


@pytest.mark.parametrize(
    ("path", "missing", "code", "text"),
    [
        ("/healthz", ["rome: Pod"], 200, "ok"),
        ("/readyz", [], 200, "ok"),
        ("/readyz", ["rome: Pod", "milan: Pod"], 503, "waiting for rome: Pod, milan: Pod"),
    ],
)
async def test_alive_and_ready(path: str, missing: list[str], code: int, text: str) -> None:
    async with TestClient(TestServer(application(Metrics(), lambda: missing))) as client:
        answer = await client.get(path)
        assert (answer.status, await answer.text()) == (code, text)


async def test_metrics_are_served_as_text() -> None:
    async with TestClient(TestServer(application(Metrics(), list))) as client:
        answer = await client.get("/metrics")
        assert answer.content_type == "text/plain"
        assert "# HELP liqo_requests_total" in await answer.text()


async def test_the_lag_of_the_event_loop_is_measured() -> None:
    metrics = Metrics()
    async with asyncio.TaskGroup() as tasks:
        measuring = tasks.create_task(measure_lag(metrics, period=0.0))
        for _ in range(5):
            await asyncio.sleep(0)
        measuring.cancel()
    assert "liqo_event_loop_lag_seconds_count 0.0" not in metrics.text().decode()
