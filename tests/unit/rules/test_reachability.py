"""When a cluster counts as gone for good: tests/unit/consumer/replication/test_route.py has all."""

import msgspec
import pytest

from liqo.api.core import (
    ConditionStatus,
    ForeignClusterCondition,
    ForeignClusterStatus,
    Module,
    Modules,
)
from liqo.rules.reachability import answers, carries, is_given_up
from tests.unit.consumer.kubelet.things import a_foreign_cluster


def test_a_cluster_that_nobody_gave_up_is_not() -> None:
    assert not is_given_up(a_foreign_cluster())
    assert not answers(a_foreign_cluster())


def test_a_cluster_that_was_given_up_and_says_nothing_is() -> None:
    assert is_given_up(a_foreign_cluster(foreign_cluster_permanently_unreachable="true"))


def standing(
    called: ConditionStatus | None, tunnel: ConditionStatus | None, *, networking: bool
) -> ForeignClusterStatus:
    def said(kind: str, status: ConditionStatus | None) -> tuple[ForeignClusterCondition, ...]:
        condition = {"type": kind, "status": status}
        return (msgspec.convert(condition, ForeignClusterCondition),) if status else ()

    off = Module(enabled=False)
    network = Module(enabled=networking, conditions=said("NetworkConnectionStatus", tunnel))
    return ForeignClusterStatus(
        role="Consumer",
        conditions=said("APIServerStatus", called),
        modules=Modules(networking=network, authentication=off, offloading=off),
    )


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, True),
        (ForeignClusterStatus(role="Consumer"), True),
        (standing(None, None, networking=False), True),
        (standing("None", None, networking=False), True),
        (standing("Established", None, networking=False), True),
        (standing("Error", None, networking=False), False),
        (standing("Error", "Established", networking=True), False),
        (standing(None, None, networking=True), False),
        (standing(None, "Pending", networking=True), False),
        (standing("Established", "Established", networking=True), True),
    ],
)
def test_what_is_sent_there_arrives_unless_somebody_knows_better(
    status: ForeignClusterStatus | None, expected: bool
) -> None:
    cluster = msgspec.structs.replace(a_foreign_cluster(), status=status)
    assert carries(cluster) == expected
