"""What an API server asks before it stores an object, and where it asks: admission."""

from __future__ import annotations

from typing import ClassVar, TypedDict

import msgspec

from liqo.api.kubernetes import NULL, Decoded, undecoded
from liqo.api.meta import JSON, Kind, Model, Resource

GROUP = "admissionregistration.k8s.io"


class ClientConfig(TypedDict, total=False):
    service: JSON
    url: str
    caBundle: str


class WebhookEntry(TypedDict, total=False):
    name: str
    clientConfig: ClientConfig


class MutatingWebhookConfiguration(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        GROUP,
        "v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        namespaced=False,
    )

    raw_webhooks: msgspec.Raw = undecoded("webhooks")

    webhooks = Decoded[list[WebhookEntry]]("raw_webhooks", empty=b"[]")


class ValidatingWebhookConfiguration(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        GROUP,
        "v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        namespaced=False,
    )

    raw_webhooks: msgspec.Raw = undecoded("webhooks")

    webhooks = Decoded[list[WebhookEntry]]("raw_webhooks", empty=b"[]")


class UserInfo(Model, frozen=True):
    username: str = ""
    groups: tuple[str, ...] = ()


class AdmissionRequest(Model, frozen=True):
    """Who wants to do what to which object. What we do not read of it is not here."""

    uid: str
    operation: str
    namespace: str = ""
    name: str = ""
    sub_resource: str = ""
    dry_run: bool | None = None
    user_info: UserInfo = UserInfo()
    object: msgspec.Raw = NULL
    old_object: msgspec.Raw = NULL


class AdmissionReview(Model, frozen=True):
    """The envelope of a question."""

    request: AdmissionRequest
