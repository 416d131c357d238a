"""What is failing is said once."""

import pytest

from liqo.api.meta import Key
from liqo.kube.errors import Forbidden, Invalid, Throttled, Unreachable
from liqo.runtime.failures import Failures, reason_of

WEB = Key("rome", "web")
API = Key("rome", "api")


def test_a_failure_is_news_once_and_again_when_its_reason_changes() -> None:
    failures = Failures()
    news = [failures.note(WEB, error) for error in (Invalid("1"), Invalid("2"), Forbidden("3"))]
    assert news == [True, False, True]


def test_each_key_has_its_own_failure() -> None:
    failures = Failures()
    assert failures.note(WEB, Invalid("no"))
    assert failures.note(API, Invalid("no"))
    assert dict(failures) == {WEB: "Invalid", API: "Invalid"}


@pytest.mark.parametrize("error", [Unreachable("down"), Throttled("busy")])
def test_what_strikes_all_keys_is_said_once_for_all(error: Exception) -> None:
    failures = Failures()
    assert failures.note(WEB, error)
    assert not failures.note(API, error)
    assert len(failures) == 2


def test_it_is_news_again_when_it_had_been_over_for_everybody() -> None:
    failures = Failures()
    failures.note(WEB, Unreachable("down"))
    failures.note(API, Unreachable("down"))
    failures.clear(WEB)
    assert not failures.note(WEB, Unreachable("down"))
    failures.clear(WEB)
    failures.clear(API)
    assert failures.note(WEB, Unreachable("down"))


def test_a_key_that_was_not_failing_has_not_recovered() -> None:
    failures = Failures()
    failures.note(WEB, Invalid("no"))
    assert [failures.clear(WEB), failures.clear(WEB)] == [True, False]


def test_a_reason_is_the_api_servers_word_or_the_kind_of_error() -> None:
    assert reason_of(Invalid("Thing 5 is wrong", reason="Invalid")) == "Invalid"
    assert reason_of(Unreachable("no route")) == "Unreachable"
    assert reason_of(KeyError("spec")) == "KeyError: 'spec'"
