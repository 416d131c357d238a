"""The certificate with which a virtual kubelet serves: asked for, and renewed while it runs.

Its key never leaves this process: a kubelet that starts anew asks anew.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Callable

import structlog

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.waiting import until
from liqo.kubelet.api import notary
from liqo.rules.serving import Serving
from liqo.runtime.clock import Clock

SIGNER = "kubernetes.io/kubelet-serving"
USAGES = ("digital signature", "key encipherment", "server auth")
PATIENCE = 900.0  # seconds that one request may take; then it is asked again
PAUSE = 5.0  # seconds after a failure
SOONEST = 1.0  # seconds between two certificates, however short their life

log = structlog.get_logger()


class Certificate:
    """`take` is given each certificate and its key, one behind the other, in PEM."""

    def __init__(
        self,
        home: Cluster,
        wanted: Serving,
        take: Callable[[bytes], None],
        clock: Clock,
        pause: float = PAUSE,
    ) -> None:
        self._home = home
        self._wanted = wanted
        self._take = take
        self._clock = clock
        self._pause = pause

    async def run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(PATIENCE):
                    certificate = await self._obtain()
                    wait = await notary.seconds_until_renewal(certificate, self._clock())
                await asyncio.sleep(max(SOONEST, wait))
            except (KubeError, OSError, ValueError) as wrong:  # a time-out is one of the second
                why = str(wrong) or "nobody has approved and signed the request"
                log.warning("no serving certificate", node=self._wanted.node, why=why)
                await asyncio.sleep(self._pause)

    async def _obtain(self) -> bytes:
        draft = await notary.draft(self._wanted)
        asked = request(draft.request)
        made = await self._home.create(asked, kind=CertificateSigningRequest.KIND)
        name = Key("", made["metadata"]["name"])
        answered = await until(self._home, CertificateSigningRequest, name, is_answered)
        certificate = signed(answered)
        self._take(certificate + draft.key)
        log.info("serving certificate", request=name.name)
        return certificate


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
