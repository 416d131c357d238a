"""Audiences: who comes hears what is there, and then what changes, until it leaves."""

from liqo.kube.audience import Audience


def test_who_comes_hears_what_is_there_then_what_changes_until_it_leaves() -> None:
    heard: list[tuple[str | None, str | None]] = []
    audience = Audience(lambda: ["shop", "bank"])
    leave = audience.subscribe(lambda old, new: heard.append((old, new)))
    audience.tell("museum")
    audience.tell("museum of art", old="museum")
    leave()
    audience.tell("zoo")
    assert heard == [
        (None, "shop"),
        (None, "bank"),
        (None, "museum"),
        ("museum", "museum of art"),
    ]
