"""The certificate with which a virtual kubelet serves: asked for or made, renewed while it runs.

Its key never leaves this process: a kubelet that starts anew has another.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

import structlog

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.waiting import until
from liqo.kubelet.api import notary
from liqo.kubelet.api.notary import Shown
from liqo.rules.serving import Serving
from liqo.runtime.clock import Clock

SIGNER = "kubernetes.io/kubelet-serving"
USAGES = ("digital signature", "key encipherment", "server auth")
PATIENCE = 900.0  # seconds that one request may take; then it is asked again
PAUSE = 5.0  # seconds after a failure, and twice as long after each further one …
LONGEST = 900.0  # … for who denies a request will deny the next, and each is an object that stays
SOONEST = 1.0  # seconds between two certificates, however short their life

Obtain: TypeAlias = Callable[[], Awaitable[Shown]]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

log = structlog.get_logger()


class Certificate:
    """`take` is given each certificate and its key, one behind the other, in PEM."""

    def __init__(
        self,
        obtain: Obtain,
        take: Callable[[bytes], None],
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._obtain = obtain
        self._take = take
        self._clock = clock
        self._sleep = sleep

    async def run(self) -> None:
        waits = pauses()
        while True:
            try:
                async with asyncio.timeout(PATIENCE):
                    shown = await self._obtain()
                    self._take(shown.certificate + shown.key)
                    left = await notary.seconds_until_renewal(shown.certificate, self._clock())
            except (KubeError, OSError, ValueError) as wrong:  # a time-out is one of the second
                why = str(wrong) or "nobody has approved and signed the request"
                log.warning("no serving certificate", why=why)
                await self._sleep(next(waits))
            else:
                waits = pauses()
                await self._sleep(max(SOONEST, left))


def pauses() -> Iterator[float]:
    """After failures, one after the other."""
    pause = PAUSE
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


async def asked_for(home: Cluster, wanted: Serving) -> Shown:
    """Signed by whoever signs for kubelets, once somebody has approved it."""
    draft = await notary.draft(wanted)
    made = await home.create(request(draft.request), kind=CertificateSigningRequest.KIND)
    name = Key("", made["metadata"]["name"])
    answered = await until(home, CertificateSigningRequest, name, is_answered)
    certificate = signed(answered)
    log.info("serving certificate", request=name.name)
    return Shown(certificate, draft.key)


async def self_signed(wanted: Serving, clock: Clock) -> Shown:
    """For clusters where nobody signs for kubelets; nor can anybody tell it from an impostor's."""
    return await notary.self_signed(wanted, clock())


def request(pem: bytes) -> JSON:
    kind = CertificateSigningRequest.KIND
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"generateName": "csr-"},
        "spec": {
            "request": b64encode(pem).decode(),
            "signerName": SIGNER,
            "usages": list(USAGES),
        },
    }


def is_answered(signing: CertificateSigningRequest) -> bool:
    return bool(signing.status.get("certificate")) or bool(refusal(signing))


def signed(signing: CertificateSigningRequest) -> bytes:
    """ValueError, and why, where it was refused."""
    if why := refusal(signing):
        raise ValueError(why)
    return b64decode(signing.status.get("certificate", ""))


def refusal(signing: CertificateSigningRequest) -> str:
    conditions = signing.status.get("conditions", ())
    refused = (each for each in conditions if each["type"] in ("Denied", "Failed"))
    return next(
        (
            f"the signing request {signing.metadata.name} is {each['type']}:"
            f" {each.get('message', '')}"
            for each in refused
        ),
        "",
    )
