"""The ConfigMap of shares."""

from typing import Any

import pytest

from liqo.install.sharing import forgotten, manifests
from liqo.provider.share.settings import read
from liqo.rules.capacity import Sharing
from tests.unit.install.settled import settings


def test_what_is_said_is_written_where_the_controllers_read_it() -> None:
    [made] = manifests(settings())
    assert made["data"] == {"percentage": "90", "rounding": "floor"}
    assert (made["metadata"]["namespace"], made["metadata"]["name"]) == ("liqo", "liqo-sharing")


def test_what_is_written_is_read_as_it_was_said() -> None:
    given = {
        "controllerManager.config.resourceSharingPercentage": 50,
        "controllerManager.config.sharingRounding": "ceil",
        "controllerManager.config.sharingPercentageOfPeers": {"rome": "10"},
    }
    [made] = manifests(settings(**given))
    assert read(made["data"], Sharing()) == Sharing(50, "ceil", {"rome": 10})


PERCENTAGE = "controllerManager.config.resourceSharingPercentage"
ROUNDING = "controllerManager.config.sharingRounding"
OF_PEERS = "controllerManager.config.sharingPercentageOfPeers"


@pytest.mark.parametrize(
    ("before", "given", "said"),
    [
        ({}, {}, []),
        ({"percentage": "90", "rounding": "floor", "what": "ever"}, {}, []),
        (
            {"percentage": "50"},
            {},
            [
                "the sharing percentage goes from 50 to 90, its default; "
                f"to keep it, add --set {PERCENTAGE}=50"
            ],
        ),
        ({"percentage": "50"}, {PERCENTAGE: 90}, []),
        ({"percentage": "50"}, {PERCENTAGE: 20}, []),
        (
            {"rounding": "ceil"},
            {},
            [
                "the sharing rounding goes from ceil to floor, its default; "
                f"to keep it, add --set {ROUNDING}=ceil"
            ],
        ),
        (
            {"percentage.rome": "10", "percentage.turin": "20"},
            {OF_PEERS: {"turin": "30"}},
            [
                'the sharing percentage of cluster "rome", 10, is not repeated: if liqoctl set '
                f"it, it goes back to 90; to keep it, add --set {OF_PEERS}.rome=10"
            ],
        ),
    ],
)
def test_what_goes_back_because_nobody_repeated_it_is_said(
    before: dict[str, str], given: dict[str, Any], said: list[str]
) -> None:
    assert [*forgotten(before, given, settings(**given))] == said
