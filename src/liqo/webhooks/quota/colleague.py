"""Colleague: the replica that decides on quotas, where that is not us.

It is asked where it serves, and known by the certificate that all replicas show.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Awaitable, Callable

import msgspec

from liqo.api.kubernetes import Secret
from liqo.kube.access import Access, Material
from liqo.kube.errors import KubeError
from liqo.kube.http import Connection, Limits, Request
from liqo.runtime.clock import Stopwatch, boot_clock
from liqo.webhooks.quota.claim import Claim, verdict_of
from liqo.webhooks.quota.seat import address_in
from liqo.webhooks.review import Verdict

PATH = "/claims"
NOBODY = "nobody holds the lease"
# Seconds: a node that vanished does not answer at all, and somebody waits for us.
LIMITS = Limits(connect=1.0, answer=3.0, patience=0.0)
LOOK_AGAIN = 0.25  # seconds: hundreds may wait for the next one, and all ask the same


class Colleague:
    """Use it as an async context manager; `who` tells who holds the lease."""

    def __init__(
        self,
        who: Callable[[], Awaitable[str]],
        server_name: str,
        clock: Stopwatch = boot_clock,
    ) -> None:
        self.silence = NOBODY  # why there was no answer, when last there was none
        self._who = who
        self._server_name = server_name
        self._clock = clock
        self._looked = float("-inf")  # for who holds the lease
        self._authority = ""
        self._address = ""  # empty: to be looked up
        self._connection = Connection(
            Access(""), name="the webhook that decides on quotas", agent="liqo", limits=LIMITS
        )

    async def __aenter__(self) -> Colleague:
        await self._connection.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.__aexit__()

    def trust(self, _: Secret | None, secret: Secret | None) -> None:
        """A subscriber of the Secret that all replicas have their certificate from."""
        if secret is not None:
            self._authority = b64decode(secret.data.get("ca", "")).decode(errors="replace")
            self._address = ""
            self._looked = float("-inf")

    async def decide(self, claim: Claim) -> Verdict | None:
        """None: nobody could be asked, or it was nobody who may decide."""
        asked = self._address
        try:
            asked = asked or await self._look()
            if not asked:
                return None
            request = Request("POST", PATH, msgspec.json.encode(claim))
            return verdict_of(await self._connection.send(request))
        except KubeError as error:
            self.silence = str(error)
            if self._address == asked:  # else somebody has found another meanwhile
                self._address = ""
            return None

    async def _look(self) -> str:
        """For who holds the lease; whoever comes while, or just after, somebody looks may wait."""
        now = self._clock()
        if now - self._looked < LOOK_AGAIN:
            return self._address
        self._looked = now
        self._turn_to(address_in(await self._who()))
        if not self._address:
            self.silence = NOBODY
        return self._address

    def _turn_to(self, address: str) -> None:
        self._address = address
        self._connection.swap(
            Access(
                f"https://{address}",
                authority=Material(self._authority),
                server_name=self._server_name,
                source="the certificate of the webhook",
            )
        )
