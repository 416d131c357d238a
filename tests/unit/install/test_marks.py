"""Labels of an installation."""

from liqo.install.marks import OURS, chosen, marks
from tests.unit.install.settled import settings


def test_a_selector_does_not_follow_the_version() -> None:
    assert chosen("webhook").items() <= marks(settings(), "webhook").items()
    assert not set(chosen("webhook").values()) & {"1.2.3"}


def test_everything_we_made_is_found_by_one_selector() -> None:
    made = marks(settings(), "webhook")
    assert dict(each.split("=") for each in OURS.split(",")).items() <= made.items()


def test_a_long_tag_still_fits_into_a_label() -> None:
    assert len(marks(settings(tag="x" * 100), "webhook")["app.kubernetes.io/version"]) == 63
