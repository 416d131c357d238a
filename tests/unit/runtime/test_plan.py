"""Plans are values."""

from liqo.api.kubernetes import Pod
from liqo.api.meta import Meta
from liqo.runtime.plan import NOTHING, Delete, Plan, do, identity

WEB = Pod(metadata=Meta(name="web", namespace="rome", uid="1", labels={"a": "b"}))


def test_a_plan_without_actions_and_time_is_nothing() -> None:
    assert do() == NOTHING


def test_a_plan_keeps_its_actions_in_order_and_says_when_to_look_again() -> None:
    first, second = Delete(WEB), Delete(WEB, grace=0)
    assert do(first, second, wake_after=60) == Plan((first, second), 60)


def test_an_identity_names_an_object_and_echoes_nothing_else() -> None:
    assert identity(WEB) == Meta(name="web", namespace="rome", uid="1")
