"""Which words older versions had for a peering, and how resources add up."""

from __future__ import annotations

from msgspec.structs import replace

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, ResourceSliceStatus
from liqo.api.core import ForeignCluster, ForeignClusterSpec
from liqo.cli.info.boxes import draw
from liqo.cli.info.facts import Peers
from liqo.cli.status import layout
from tests.builders import a_slice


def granted(accepted: bool = True, **resources: str | int) -> ResourceSlice:
    one = a_slice(resources="Accepted" if accepted else "Denied")
    status = ResourceSliceStatus(conditions=one.status.conditions, resources=resources)
    marks = {labels.REMOTE_CLUSTER_ID: "milan"}
    return replace(one, status=status, metadata=replace(one.metadata, labels=marks))


def test_what_was_granted_adds_up_and_what_was_denied_does_not() -> None:
    slices = [granted(cpu="1500m", memory="1Gi"), granted(cpu="500m"), granted(False, cpu="9")]
    assert layout.total(slices) == {"cpu": "2", "memory": "1Gi"}


def test_a_peer_that_nobody_has_looked_at_is_shown_nevertheless() -> None:
    peer = ForeignCluster(spec=ForeignClusterSpec(cluster_id="milan"))
    text = draw([layout.peer(Peers(slices=(granted(cpu="1"),)), peer)])
    assert "Outgoing: None" in text
    assert "cpu: 1" in text
