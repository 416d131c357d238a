"""Settings of a provider that is installed, as its administrator changes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import done

WEBHOOK = ("deployment/liqo-webhook", "--namespace=liqo")
OF_WEBHOOKS = "app.kubernetes.io/name=webhook"


async def installed_with(site: Site, **settings: str) -> None:
    image = "jsonpath={.spec.template.spec.containers[0].image}"
    tag = (await site.kubectl("get", *WEBHOOK, "-o", image)).rpartition(":")[2]
    chosen = {"tag": tag, "webhook.replicas": "1", **settings}
    words = [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
    done(await liqoctl("upgrade", "playground", of(site), *words))
    webhooks = ("get", "pods", "--namespace=liqo", f"--selector={OF_WEBHOOKS}", "-o", "name")
    replicas = int(chosen["webhook.replicas"])
    # One that goes answers for a moment, as it was told when it came.
    await eventually(
        partial(site.kubectl, *webhooks), lambda found: len(found.split()) == replicas, within=120
    )


@asynccontextmanager
async def settings(site: Site, **wanted: str) -> AsyncIterator[None]:
    """As long as this lasts."""
    try:
        await installed_with(site, **wanted)
        yield
    finally:
        await installed_with(site)
