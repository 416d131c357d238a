"""Restarts are counted over all remote pods; the check values are those of the wire contract."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.kubelet.pods.restarts import earlier_restarts, remembered
from tests.unit.kubelet.pods.things import a_pod, a_remote, container, known, running


def earlier(shown: int | None, counted: int, metadata: JSON | None = None) -> int:
    """Where the local pod shows so many restarts, and the remote one has counted so many."""
    here = [container(restarts=shown)] if shown is not None else []
    local = a_pod(running(containerStatuses=here), **(metadata or {}))
    remote = a_remote(running(containerStatuses=[container(restarts=counted)]))
    return earlier_restarts(local, local.status, remote, remote.status)


def test_what_another_kubelet_showed_goes_on_from_where_it_is() -> None:
    assert earlier(shown=5, counted=2) == 3
    assert earlier(shown=1, counted=2) == 0
    assert earlier(shown=None, counted=2) == 0


def test_of_a_container_that_the_remote_pod_does_not_tell_of_all_are_earlier() -> None:
    local = a_pod(running(containerStatuses=[container(restarts=4)]))
    remote = a_remote(running(containerStatuses=[]))
    assert earlier_restarts(local, local.status, remote, remote.status) == 4


def test_a_restarted_kubelet_reads_them_from_the_pod() -> None:
    assert earlier(shown=5, counted=2, metadata=known({labels.EARLIER_RESTARTS: "3"})) == 3
    assert earlier(shown=0, counted=0, metadata=known()) == 0


def test_a_new_remote_pod_is_a_restart() -> None:
    lost = known({labels.EARLIER_RESTARTS: "3"}, remote="remote-0")
    assert earlier(shown=3, counted=0, metadata=lost) == 4
    assert earlier(shown=0, counted=0, metadata=known(remote="remote-0")) == 1


def test_what_somebody_wrote_there_and_is_no_number_counts_as_none() -> None:
    assert earlier(shown=0, counted=0, metadata=known({labels.EARLIER_RESTARTS: "many"})) == 0


def test_only_what_is_new_is_written_on_the_pod() -> None:
    uid = (labels.REMOTE_POD_UID, "remote-1")
    assert remembered(a_pod(), a_remote(), 0) == (uid,)
    assert remembered(a_pod(), a_remote(), 2) == (uid, (labels.EARLIER_RESTARTS, "2"))
    assert remembered(a_pod(**known()), a_remote(), 0) == ()
    counted = a_pod(**known({labels.EARLIER_RESTARTS: "2"}))
    assert remembered(counted, a_remote(), 2) == ()
