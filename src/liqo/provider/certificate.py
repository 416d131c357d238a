"""How a consumer gets its certificate: asked for by one plan, approved by the next, then kept.

The signing request is an object of Kubernetes, its name derived from what it is for: who decides
twice asks once. What was signed is kept in a Secret beside the request it answers, and belongs to
the Tenant or ResourceSlice that it was made for.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import msgspec

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, Tenant
from liqo.api.kubernetes import CertificateSigningRequest, Secret
from liqo.api.meta import JSON, Key
from liqo.kube.cache import Caches
from liqo.provider.watched import SIGNING_REQUESTS
from liqo.rules import certificates, keys, names
from liqo.rules.ownership import owned_by
from liqo.runtime.approvals import approve
from liqo.runtime.plan import Action, Apply, Create, Delete, Manifest
from liqo.runtime.tenants import secrets

Holder: TypeAlias = Tenant | ResourceSlice

SIGNER = "kubernetes.io/kube-apiserver-client"
USAGES = ("digital signature", "key encipherment", "client auth")
PATIENCE = timedelta(seconds=30)  # with a signer; after that somebody should know
APPROVAL = "IdentityManagerApproval", "This CSR was approved by Liqo Identity Manager"


@dataclass(frozen=True)
class Case:
    """All that is known about one certificate that is asked for."""

    holder: Holder
    consumer: str
    request: bytes
    kept: bytes  # the certificate that answers this very request; empty: none that still holds
    signing: CertificateSigningRequest | None
    now: datetime


@dataclass(frozen=True)
class Outcome:
    """What to hand out now, empty while there is nothing; and what to do about it."""

    certificate: bytes = b""
    actions: tuple[Action, ...] = ()
    wake_after: float | None = None
    problem: str = ""


def observe(here: Caches, holder: Holder, consumer: str, now: datetime) -> Case:
    request = holder.spec.csr
    stored = secrets(here).get(Key(holder.metadata.namespace, secret_of(holder)))
    kept = certificate_in(stored, request, now)
    name = request_name(holder, kept)
    signing = here.of(CertificateSigningRequest, SIGNING_REQUESTS).get(Key("", name))
    return Case(holder, consumer, request, kept, signing, now)


def observe_known(here: Caches, tenant: Tenant, now: datetime) -> Case | None:
    """Of the key that we certified, whatever the Tenant shows now: by the request of that time.

    None: that request is not kept. Others may write there, so what is kept must be of that key.
    """
    stored = secrets(here).get(Key(tenant.metadata.namespace, secret_of(tenant)))
    request = b64decode(stored.data.get("csr", "")) if stored is not None else b""
    known, consumer = known_key(tenant), tenant.spec.cluster_id
    if not known or certificates.check_request(request, names.CONTROL_PLANES, consumer, known):
        return None
    asked = msgspec.structs.replace(tenant.spec, csr=request)
    return observe(here, msgspec.structs.replace(tenant, spec=asked), consumer, now)


def certificate_in(stored: Secret | None, request: bytes, now: datetime) -> bytes:
    """What is of another request, or of the past, is as good as none. Others may write there."""
    content = stored.data if stored is not None else {}
    certificate = b64decode(content.get("certificate", ""))
    if not certificate or b64decode(content.get("csr", "")) != request:
        return b""
    if not certificates.answers(certificate, request):
        return b""
    return certificate if certificates.expires_at(certificate) > now else b""


def known_key(tenant: Tenant) -> bytes | None:
    """The key we certified, not the one that the Tenant shows now: nobody has verified that yet.

    None: there is none so far. Empty: there is one, and nobody can use it.
    """
    params = tenant.status.auth_params
    if params is None or not params.signed_crt:
        return None
    try:
        return keys.public_pem(certificates.certified_key(params.signed_crt))
    except ValueError:
        return b""


def settle(case: Case) -> Outcome:
    """
    certificate | signing request       | handed out | what is done
    ------------+-----------------------+------------+---------------------------------------
    fresh       | any                   | it         | look again when it is due
    due or none | none                  | it, if any | ask
    due or none | of somebody else      | it, if any | delete it: never approve what we did not ask
    due or none | not approved yet      | it, if any | approve
    due or none | approved, not signed  | it, if any | wait; after half a minute say so
    due or none | signed, not for us    | it, if any | say so
    due or none | signed, still fresh   | the new    | keep it
    due or none | signed, due already   | it, if any | delete an old request, to ask again
    due or none | denied or failed      | it, if any | say so; Kubernetes forgets it in an hour
    """
    if case.kept and (left := certificates.seconds_until_renewal(case.kept, case.now)) > 0:
        return Outcome(case.kept, wake_after=left)
    if case.signing is None:
        return Outcome(case.kept, (Create(signing_request(case)),))
    if not _is_ours(case, case.signing):
        return Outcome(case.kept, (Delete(case.signing),))
    signed = b64decode(case.signing.status.get("certificate", ""))
    if not signed:
        return _unsigned(case, case.signing)
    return _signed(case, case.signing, signed)


def _signed(case: Case, signing: CertificateSigningRequest, signed: bytes) -> Outcome:
    name = signing.metadata.name
    if not certificates.answers(signed, case.request):
        problem = f"what was signed for {name} is no certificate of the key in it"
        return Outcome(case.kept, problem=problem)
    left = certificates.seconds_until_renewal(signed, case.now)
    if left > 0:
        return Outcome(signed, (Apply(secret(case, signed)),), wake_after=left)
    if (patience := _patience(case, signing)) > 0:  # else a clock that is wrong keeps a signer busy
        return Outcome(case.kept, wake_after=patience)
    return Outcome(case.kept, (Delete(signing),))


def _is_ours(case: Case, signing: CertificateSigningRequest) -> bool:
    """Its name can be foreseen, and others may create such objects too."""
    asked = signing.spec
    return (
        b64decode(asked.get("request", "")) == case.request
        and asked.get("signerName") == SIGNER
        and tuple(asked.get("usages", ())) == USAGES
    )


def _unsigned(case: Case, signing: CertificateSigningRequest) -> Outcome:
    said = {each["type"]: each for each in signing.status.get("conditions", ())}
    for refusal in ("Denied", "Failed"):
        if refusal in said:
            why = said[refusal].get("message", "")
            problem = f"the signing request {signing.metadata.name} is {refusal}: {why}"
            return Outcome(case.kept, problem=problem)
    if "Approved" not in said:
        return Outcome(case.kept, (approve(signing, *APPROVAL),))
    if (patience := _patience(case, signing)) > 0:
        return Outcome(case.kept, wake_after=patience)
    return Outcome(
        case.kept,
        problem=f"nobody has signed {signing.metadata.name}: is there a signer {SIGNER}?",
    )


def _patience(case: Case, signing: CertificateSigningRequest) -> float:
    """Seconds that a signing request may still take; nothing or less when it is an old one."""
    created = datetime.fromisoformat(signing.metadata.creation_timestamp or case.now.isoformat())
    return (created + PATIENCE - case.now).total_seconds()


def secret_of(holder: Holder) -> str:
    slice_name = holder.metadata.name if isinstance(holder, ResourceSlice) else ""
    return names.certificate_secret(slice_name)


def request_name(holder: Holder, kept: bytes) -> str:
    """Another for each object, each request, and each certificate that is to be replaced."""
    return names.signing_request(holder.metadata.uid.encode(), holder.spec.csr, kept)


def marks(case: Case) -> JSON:
    """Whose it is: so a change of it finds its way back to the holder."""
    return {labels.REMOTE_CLUSTER_ID: case.consumer}


def signing_request(case: Case) -> Manifest:
    return Manifest(
        CertificateSigningRequest.KIND,
        {
            "metadata": {
                "name": request_name(case.holder, case.kept),
                "labels": {**marks(case), labels.REMOTE_TENANT_CSR: "true", labels.MANAGED: "true"},
            },
            "spec": {
                "request": b64encode(case.request).decode(),
                "signerName": SIGNER,
                "usages": list(USAGES),
            },
        },
    )


def secret(case: Case, certificate: bytes) -> Manifest:
    """R2: it ends with its holder, so that no later peer is given what has expired."""
    return Manifest(
        Secret.KIND,
        {
            "metadata": {
                "name": secret_of(case.holder),
                "namespace": case.holder.metadata.namespace,
                "labels": {**marks(case), labels.MANAGED: "true"},
                "ownerReferences": [msgspec.to_builtins(owned_by(case.holder))],
            },
            "data": {
                "csr": b64encode(case.request).decode(),
                "certificate": b64encode(certificate).decode(),
            },
        },
    )
