"""Whose certificates count, as Kubernetes tells it."""

import json

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Meta
from liqo.kube.authentication import SCOPE, Front, client_authority, front

TOLD = {
    "client-ca-file": "PEM of clients",
    "requestheader-client-ca-file": "PEM",
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
}
FRONT = Front("PEM", frozenset({"front-proxy-client"}), ("X-Remote-User",), ("X-Remote-Group",))


def config_map(told: dict[str, str]) -> ConfigMap:
    raw = msgspec.Raw(json.dumps(told).encode())
    return ConfigMap(metadata=Meta(name="extension-apiserver-authentication"), raw_data=raw)


def test_the_config_map_says_whom_to_believe() -> None:
    assert front(config_map(TOLD)) == FRONT


@pytest.mark.parametrize(
    "told",
    [
        {},
        {**TOLD, "requestheader-client-ca-file": ""},
        {**TOLD, "requestheader-allowed-names": "x"},
    ],
)
def test_without_it_or_with_one_that_is_broken_nobody_is_believed(told: dict[str, str]) -> None:
    assert front(config_map(told)) is None
    assert front(None) is None


def test_clients_have_an_authority_of_their_own() -> None:
    assert client_authority(config_map(TOLD)) == "PEM of clients"
    assert client_authority(config_map({})) == client_authority(None) == ""


def test_it_is_one_config_map() -> None:
    assert (SCOPE.namespace, SCOPE.fields) == (
        "kube-system",
        "metadata.name=extension-apiserver-authentication",
    )
