"""How a signing request is approved."""

import msgspec

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import Meta
from liqo.runtime.approvals import approve, is_decided
from liqo.runtime.plan import Apply, Manifest


def a_request(*conditions: str) -> CertificateSigningRequest:
    said = [{"type": each, "status": "True"} for each in conditions]
    raw = msgspec.Raw(msgspec.json.encode({"conditions": said} if said else {}))
    return CertificateSigningRequest(metadata=Meta(name="a", uid="1"), raw_status=raw)


def test_an_approval_says_who_and_why_and_means_this_very_request() -> None:
    said = {"type": "Approved", "status": "True", "reason": "Ours", "message": "so be it"}
    body = {"metadata": {"name": "a", "uid": "1"}, "status": {"conditions": [said]}}
    manifest = Manifest(CertificateSigningRequest.KIND, body)
    assert approve(a_request(), "Ours", "so be it") == Apply(manifest, subresource="approval")


def test_what_anybody_decided_is_decided() -> None:
    assert not is_decided(a_request())
    for word in ("Approved", "Denied", "Failed"):
        assert is_decided(a_request(word))
