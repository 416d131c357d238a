"""Asks the provider's API server again and again whether it lives, and tells when that changes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from liqo.kube.audience import Audience
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.http import Request
from liqo.kubelet.node.health import Health, Patience, answered, failed


class Probe:
    """Watched like a cache: it holds one value."""

    def __init__(self, cluster: Cluster, provider: str, patience: Patience) -> None:
        self.health = Health(provider, patience, is_asked=False)
        self._cluster = cluster
        self._failed_at = -math.inf  # the last time, by the loop's clock
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe

    def values(self) -> list[Health]:
        return [self.health]

    def answers(self, age: float) -> bool:
        """Whether it does, and all that was heard so many seconds ago was heard since it last
        did not."""
        heard_at = asyncio.get_running_loop().time() - age
        return self.health.failures == 0 and heard_at > self._failed_at

    def on_recovery(self, act: Callable[[], None]) -> None:
        """Whenever it answers after it did not."""

        def changed(old: Health | None, new: Health | None) -> None:
            if old is not None and new is not None and old.failures > new.failures == 0:
                act()

        self.subscribe(changed)

    async def run(self) -> None:
        patience = self.health.patience
        while patience.every:
            self._know(await self._ask(patience.within))
            await asyncio.sleep(patience.every)

    async def _ask(self, within: float) -> Health:
        try:
            async with asyncio.timeout(within):
                await self._cluster.request(Request("GET", "/livez", accept="*/*"))
        except TimeoutError:
            return failed(self.health, f"no answer within {within:g} s")
        except KubeError as wrong:
            return failed(self.health, str(wrong))
        return answered(self.health)

    def _know(self, news: Health) -> None:
        old, self.health = self.health, news
        if news.failures:
            self._failed_at = asyncio.get_running_loop().time()
        if (old.is_lost, old.is_open) != (news.is_lost, news.is_open):
            self._audience.tell(news, old)
