"""Approval of signing requests: whoever signs, signs what somebody has approved."""

from __future__ import annotations

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.runtime.plan import Apply, Manifest


def approve(signing: CertificateSigningRequest, reason: str, message: str) -> Apply:
    metadata = signing.metadata
    said = {"type": "Approved", "status": "True", "reason": reason, "message": message}
    body = {
        "metadata": {"name": metadata.name, "uid": metadata.uid},
        "status": {"conditions": [said]},
    }
    return Apply(Manifest(CertificateSigningRequest.KIND, body), subresource="approval")


def is_decided(signing: CertificateSigningRequest) -> bool:
    """Approved, denied or failed: by whomever, it is not ours to decide any more."""
    return bool(signing.status.get("conditions"))
