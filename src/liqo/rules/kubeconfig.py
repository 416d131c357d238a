"""A kubeconfig as we write it: the same bytes for the same content, so that only news is news."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

import yaml

from liqo.api.meta import JSON

CONTEXT = "default-context"


@dataclass(frozen=True)
class Login:
    """Where an API server is, and who we are to it."""

    cluster: str
    server: str
    user: str
    certificate: bytes
    key: bytes
    authority: bytes = b""  # empty: one that everybody trusts
    proxy: str = ""
    namespace: str = ""


def kubeconfig(login: Login) -> bytes:
    context = {"cluster": login.cluster, "user": login.user, "namespace": login.namespace}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": CONTEXT,
        "clusters": [{"name": login.cluster, "cluster": _cluster(login)}],
        "contexts": [{"name": CONTEXT, "context": _said(context)}],
        "users": [{"name": login.user, "user": _user(login)}],
    }
    return yaml.safe_dump(config, sort_keys=False).encode()


def _cluster(login: Login) -> JSON:
    return _said(
        {
            "server": login.server,
            "certificate-authority-data": b64encode(login.authority).decode(),
            "proxy-url": login.proxy,
        }
    )


def _user(login: Login) -> JSON:
    return {
        "client-certificate-data": b64encode(login.certificate).decode(),
        "client-key-data": b64encode(login.key).decode(),
    }


def _said(fields: JSON) -> JSON:
    return {name: value for name, value in fields.items() if value}
