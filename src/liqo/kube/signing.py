"""Certificates from the cluster itself: CertificateSigningRequests, from request to signature."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Invalid
from liqo.kube.waiting import until

CLIENT = "kubernetes.io/kube-apiserver-client"
CLIENT_USAGES = ("client auth", "digital signature")

KIND = CertificateSigningRequest.KIND


def request(  # a CertificateSigningRequest, to create or apply
    name: str, pem: str, *, signer: str = CLIENT, usages: Sequence[str] = CLIENT_USAGES
) -> JSON:
    encoded = base64.b64encode(pem.encode()).decode()
    return {
        "apiVersion": KIND.api_version,
        "kind": KIND.name,
        "metadata": {"name": name},
        "spec": {"request": encoded, "signerName": signer, "usages": list(usages)},
    }


async def approve(cluster: Cluster, name: str, *, reason: str, message: str) -> None:
    approved = {"type": "Approved", "status": "True", "reason": reason, "message": message}
    body: JSON = {"status": {"conditions": [approved]}}
    await cluster.patch(KIND, Key("", name), body, how="strategic", subresource="approval")


async def issued(cluster: Cluster, name: str) -> str:
    """The certificate in PEM, once it is signed; Invalid when that was denied or failed."""
    signed = await until(cluster, CertificateSigningRequest, Key("", name), _is_decided)
    status = signed.status
    if certificate := status.get("certificate"):
        return base64.b64decode(certificate).decode()
    last = status["conditions"][-1]
    raise Invalid(f"{cluster.name}: signing request {name}: {last.get('message', last['type'])}")


def _is_decided(candidate: CertificateSigningRequest) -> bool:
    status = candidate.status
    refused = any(each["type"] in {"Denied", "Failed"} for each in status.get("conditions", ()))
    return refused or "certificate" in status
