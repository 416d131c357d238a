"""News are kept for a moment, what is not news as long as it is there."""

from __future__ import annotations

from liqo.api.kubernetes import Event
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.fading import MOMENT, Fading
from liqo.kube.listing import Listing
from liqo.kube.reading import Reading
from tests.unit.kube.scripted import scripted


def an_event(name: str, reason: str = "Pulled") -> Event:
    return Event(metadata=Meta(name=name, namespace="shop"), reason=reason)


def went_well(event: Event) -> bool:
    return event.reason == "Pulled"


def test_news_fade_the_oldest_first_and_once() -> None:
    now = 0.0
    fading = Fading(went_well, lambda: now)
    for name in ("first", "second"):
        fading.note(an_event(name))
        now += 1
    now = MOMENT
    assert fading.over() == [Key("shop", "first")]
    now = MOMENT + 1
    assert fading.over() == [Key("shop", "second")]
    assert fading.over() == []


def test_what_is_heard_again_stays_for_another_moment() -> None:
    now = 0.0
    fading = Fading(went_well, lambda: now)
    fading.note(an_event("first"))
    now = MOMENT - 1
    fading.note(an_event("first"))
    now = MOMENT
    assert fading.over() == []
    now = 2 * MOMENT
    assert fading.over() == [Key("shop", "first")]


def test_what_is_no_news_or_is_none_any_more_stays() -> None:
    now = 0.0
    fading = Fading(went_well, lambda: now)
    fading.note(an_event("other", "Failed"))
    fading.note(an_event("first"))
    fading.note(an_event("first", "Failed"))
    now = MOMENT
    assert fading.over() == []


async def test_a_cache_tells_of_news_and_lets_them_go() -> None:
    now = 0.0
    told: list[tuple[Event | None, Event | None]] = []
    news, state = an_event("first"), an_event("other", "Failed")
    async with scripted() as server, Cluster(server.access, name="rome") as cluster:
        cache = Cache(cluster, Reading(Event.KIND, Event, went_well), clock=lambda: now)
        cache.subscribe(lambda old, new: told.append((old, new)))
        await cache.adopt(Listing([news, state], "10"))
        assert cache.values() == [news, state]
        now = MOMENT
        await cache.adopt(Listing([news, state], "10"))
        assert cache.values() == [state]
    assert told == [(None, news), (None, state), (news, None)]
