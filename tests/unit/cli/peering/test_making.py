"""What the flags of `peer` mean."""

from __future__ import annotations

import pytest

from liqo.cli.objects import Wish
from liqo.cli.peering.making import Terms, ensuring
from liqo.errors import LiqoError


def terms(**said: object) -> Terms:
    nothing = {
        "networking_disabled": False,
        "create_resource_slice": True,
        "resource_slice_class": "default",
        "create_virtual_node": True,
        "in_band": False,
        "proxy_url": "",
        "cpu": "",
        "memory": "",
        "pods": "",
        "resource": (),
    }
    return Terms(**{**nothing, **said})  # type: ignore[arg-type]


def test_only_what_was_said_is_asked_for() -> None:
    assert terms().wish == Wish()
    more = ({"nvidia.com/gpu": "1"}, {"cpu": "8"})
    assert terms(cpu="4", memory="1Gi", resource=more).wish == Wish(
        resources={"cpu": "8", "memory": "1Gi", "nvidia.com/gpu": "1"}
    )


def test_a_failure_says_which_part_failed() -> None:
    with pytest.raises(LiqoError) as failed, ensuring("authentication"):
        raise LiqoError("no nonce")
    assert str(failed.value) == "Unable to ensure authentication: no nonce"
