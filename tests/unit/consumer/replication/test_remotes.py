"""Replication to one provider is one controller for each kind, and one for the credentials."""

from liqo.consumer.replication.remotes import controllers, replication
from liqo.consumer.replication.route import KINDS
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import ROUTE


def test_a_provider_has_a_set_of_controllers() -> None:
    names = [each.name for each in controllers(things.caches(), ROUTE, things.caches())]
    assert names == ["consumer/replication/credentials", *["consumer/replication/copies"] * 3]


async def test_what_is_replicated_is_followed_before_the_first_provider_is_there() -> None:
    here = things.caches()
    remotes = replication(here, things.HOME)
    assert {cache.reading.model for cache in here} >= set(KINDS)
    assert remotes.alive("milan") is None
