"""The ConfigMap of shares."""

from liqo.install.sharing import manifests
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
