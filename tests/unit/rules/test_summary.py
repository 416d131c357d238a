"""Five words for a peering, from its role and its conditions."""

from __future__ import annotations

import pytest

from liqo.api.core import (
    ConditionStatus,
    ConditionType,
    ForeignClusterCondition,
    Module,
    Modules,
    PeeringSummary,
    Role,
)
from liqo.rules.summary import summary

OFF = Module(enabled=False)


def on(kind: ConditionType, status: ConditionStatus) -> Module:
    return Module(enabled=True, conditions=(ForeignClusterCondition(type=kind, status=status),))


def modules(
    networking: Module = OFF, authentication: Module = OFF, offloading: Module = OFF
) -> Modules:
    return Modules(networking=networking, authentication=authentication, offloading=offloading)


def words(role: Role, said: Modules, proxy: str = "") -> tuple[str, ...]:
    made: PeeringSummary = summary(role, said, proxy)
    return made.type, made.outgoing, made.incoming, made.networking, made.authentication


IDENTITY = on("AuthIdentityControlPlaneStatus", "Ready")
TENANT = on("AuthTenantStatus", "Ready")
NODE = on("OffloadingNodeStatus", "Ready")


@pytest.mark.parametrize(
    ("role", "said", "outgoing", "incoming", "authentication"),
    [
        ("Unknown", modules(), "None", "None", "None"),
        ("Provider", modules(authentication=IDENTITY), "Pending", "None", "Established"),
        (
            "Provider",
            modules(authentication=IDENTITY, offloading=NODE),
            "Established",
            "None",
            "Established",
        ),
        ("Consumer", modules(authentication=TENANT), "None", "Established", "Established"),
        (
            "ConsumerAndProvider",
            modules(authentication=on("AuthTenantStatus", "NotReady")),
            "Pending",
            "Pending",
            "Pending",
        ),
    ],
)
def test_directions_follow_the_role_and_are_established_when_their_end_is_ready(
    role: Role, said: Modules, outgoing: str, incoming: str, authentication: str
) -> None:
    assert words(role, said) == ("OutOfBand", outgoing, incoming, "Disabled", authentication)


def test_behind_a_proxy_a_peering_is_in_band() -> None:
    assert words("Unknown", modules(), "http://10.70.0.1:8118")[0] == "InBand"


@pytest.mark.parametrize(
    ("networking", "word"),
    [
        (OFF, "Disabled"),
        (Module(enabled=True), "Pending"),
        (on("NetworkConnectionStatus", "Pending"), "Pending"),
        (on("NetworkConnectionStatus", "Established"), "Established"),
        (on("NetworkConnectionStatus", "Error"), "Error"),
    ],
)
def test_the_network_is_as_its_connection(networking: Module, word: str) -> None:
    assert words("Provider", modules(networking))[3] == word
