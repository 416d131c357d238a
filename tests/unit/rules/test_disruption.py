"""Whether a pod failed, or only its Node went."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.rules.disruption import is_swept

SWEEP: JSON = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([SWEEP], True),
        ([{"type": "Ready", "status": "False"}, SWEEP], True),
        ([], False),
        ([{**SWEEP, "reason": "TerminationByKubelet"}], False),
        ([{**SWEEP, "status": "False"}], False),
        ([{**SWEEP, "type": "Ready"}], False),
    ],
)
def test_a_pod_whose_node_is_no_more_is_known_by_its_condition(
    conditions: list[JSON], expected: bool
) -> None:
    status = msgspec.Raw(msgspec.json.encode({"phase": "Failed", "conditions": conditions}))
    assert is_swept(Pod(raw_status=status)) is expected


def test_words_of_a_container_are_no_condition() -> None:
    status = msgspec.Raw(b'{"phase": "Failed", "message": "DeletionByPodGC"}')
    assert not is_swept(Pod(raw_status=status))
