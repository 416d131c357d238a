"""Certificate: what the webhook server shows, and why the API server believes it.

Runs on   both sides, in every replica of the webhook
Watches   Secret liqo-webhook-certs, webhook configurations (ours), Namespace (of the installation)
Writes    Secret liqo-webhook-certs; caBundle in the configurations

The Secret is the one truth: replicas that renew at the same moment agree on whatever was written
first. Each renewal brings a new authority, and the one before vouches for it: whether an API server
has read the new caBundle or still has the old, and whichever certificate a replica shows, the call
succeeds. docs/adr/0016-webhook-certificates.md
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from liqo.api import labels
from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import JSON, Key, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import Scope
from liqo.rules import certificates
from liqo.rules.certificates import Lifetime, Pair
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.plan import Create, Manifest, Patch, Plan, do
from liqo.webhooks.configuration import NAME

SECRET = "liqo-webhook-certs"
OURS = Scope(labels=f"{labels.WEBHOOK}=true", fields=f"metadata.name={NAME}")
NINETY_DAYS = timedelta(days=90)
LONGEST_COMMON_NAME = 64  # of X.520; what counts are the alternative names

Configuration: TypeAlias = MutatingWebhookConfiguration | ValidatingWebhookConfiguration


@dataclass(frozen=True)
class Place:
    """Where the server is reached, and for how long a certificate says so."""

    namespace: str
    service: str
    lifetime: timedelta = NINETY_DAYS

    @property
    def names(self) -> tuple[str, ...]:
        inside = f"{self.service}.{self.namespace}"
        return self.service, inside, f"{inside}.svc", f"{inside}.svc.cluster.local"


@dataclass(frozen=True)
class Material:
    """The content of the Secret, in PEM."""

    ca: bytes  # all authorities that count, the newest first
    ca_key: bytes  # of the newest
    certificate: bytes  # of the server, and of the authority as the one before vouches for it
    key: bytes


@dataclass(frozen=True)
class State:
    place: Place
    secret: Secret | None
    renewed: Material | None  # None: what is there is good
    configurations: tuple[Configuration, ...]
    now: datetime


def controller(here: Caches, place: Place, clock: Clock) -> Controller[State]:
    def the_secret(_: Resource) -> tuple[Key, ...]:
        return (Key(place.namespace, SECRET),)

    caches: tuple[Cache[Any], ...] = (
        secrets(here, place.namespace),
        installation(here, place.namespace),
        here.of(MutatingWebhookConfiguration, OURS),
        here.of(ValidatingWebhookConfiguration, OURS),
    )
    return Controller(
        name="webhooks/certificate",
        watches=dict.fromkeys(caches, the_secret),
        observe=partial(observe, here, place, clock),
        plan=plan,
    )


def secrets(here: Caches, namespace: str) -> Cache[Secret]:
    """The one Secret of that namespace that matters here."""
    return here.of(Secret, Scope(namespace, fields=f"metadata.name={SECRET}"))


def installation(here: Caches, namespace: str) -> Cache[Namespace]:
    return here.of(Namespace, Scope(fields=f"metadata.name={namespace}"))


def observe(here: Caches, place: Place, clock: Clock, key: Key) -> State | None:
    if installation(here, place.namespace).get(Key("", place.namespace)) is None:
        return None  # not installed yet, or uninstalled
    secret = secrets(here, place.namespace).get(key)
    now = clock()
    present = read(secret)
    configurations = (
        *here.of(MutatingWebhookConfiguration, OURS),
        *here.of(ValidatingWebhookConfiguration, OURS),
    )
    renewed = issue(place, present, now) if is_due(place, present, now) else None
    return State(place, secret, renewed, configurations, now)


def plan(state: State) -> Plan:
    """
    certificate      | Secret | what is done
    -----------------+--------+------------------------------------------------------
    due, or unusable | none   | create it; another replica may have been quicker
    due, or unusable | there  | replace its content, unless another replica just did
    good             | there  | every configuration believes its authorities
    """
    if state.renewed is not None:
        content = {"metadata": marks(state.place), "data": written(state.renewed)}
        if state.secret is not None:
            return do(Patch(state.secret, content, only_if_unchanged=True))
        return do(Create(Manifest(Secret.KIND, {**content, "type": "Opaque"})))
    assert state.secret is not None
    trusted = state.secret.data["ca"]
    pem = b64decode(state.secret.data["tls.crt"])
    wait = certificates.seconds_until_renewal(pem, state.now)
    return do(*believed(state.configurations, trusted), wake_after=wait)


def believed(configurations: tuple[Configuration, ...], trusted: str) -> Iterator[Patch]:
    for configuration in configurations:
        wrong = [
            entry["name"]
            for entry in configuration.webhooks
            if entry.get("clientConfig", {}).get("caBundle") != trusted
        ]
        if wrong:
            entries = [{"name": name, "clientConfig": {"caBundle": trusted}} for name in wrong]
            yield Patch(configuration, {"webhooks": entries}, form="strategic")


def is_due(place: Place, present: Material | None, now: datetime) -> bool:
    if present is None:
        return True
    try:
        served = certificates.pair(present.certificate, present.key).certificate
        served.verify_directly_issued_by(x509.load_pem_x509_certificate(present.ca))
        names = certificates.addresses(present.certificate)
    except (ValueError, InvalidSignature, x509.ExtensionNotFound):
        return True
    return certificates.renew_at(present.certificate) <= now or set(names) != set(place.names)


def issue(place: Place, before: Material | None, now: datetime) -> Material:
    lifetime = Lifetime(now, place.lifetime)
    signer = certificates.authority(f"{place.service} {now:%Y-%m-%dT%H:%M:%SZ}", lifetime)
    *_, full = place.names
    name = full if len(full) <= LONGEST_COMMON_NAME else place.service
    served = certificates.server(signer, name, place.names, lifetime)
    elder = elder_of(before, now)
    chain = certificates.vouched(signer, elder, now).certificate_pem if elder is not None else b""
    return Material(
        ca=signer.certificate_pem + still_trusted(before, now),
        ca_key=signer.key_pem,
        certificate=served.certificate_pem + chain,
        key=served.key_pem,
    )


def elder_of(before: Material | None, now: datetime) -> Pair | None:
    """The authority so far, if it can still vouch for another."""
    try:
        elder = certificates.pair(before.ca, before.ca_key) if before is not None else None
    except ValueError:
        return None
    return elder if elder is not None and elder.certificate.not_valid_after_utc > now else None


def still_trusted(before: Material | None, now: datetime) -> bytes:
    try:
        return certificates.unexpired(before.ca, now) if before is not None else b""
    except ValueError:
        return b""


def read(secret: Secret | None) -> Material | None:
    """None where it is incomplete. One of Liqo's own has no key of its authority."""
    content = secret.data if secret is not None else {}
    try:
        ca, certificate, key = (b64decode(content[name]) for name in ("ca", "tls.crt", "tls.key"))
        return Material(ca, b64decode(content.get("ca.key", "")), certificate, key)
    except (KeyError, ValueError):
        return None


def written(material: Material) -> JSON:
    content = {
        "ca": material.ca,
        "ca.key": material.ca_key,
        "tls.crt": material.certificate,
        "tls.key": material.key,
    }
    return {name: b64encode(value).decode() for name, value in content.items()}


def marks(place: Place) -> JSON:
    return {
        "name": SECRET,
        "namespace": place.namespace,
        "labels": {labels.WEBHOOK: "true"},
        "annotations": {labels.WEBHOOK_SERVICE_NAME: place.service},
    }
