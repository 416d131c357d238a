"""How a component is, from what its process and its port say."""

from pathlib import Path

from liqo.playground.processes import Process
from liqo.playground.status import ComponentStatus, component_status, status_of_node
from tests.unit.playground.layouts import a_site


def a_process(state: str = "S") -> Process:
    return Process(pid=4711, name="etcd", depth=2, inner_pid=12, state=state, memory=1 << 20)


def test_a_component_is_as_well_as_it_says() -> None:
    well = ComponentStatus("etcd", 4711, 1 << 20, "ok")
    assert component_status("etcd", a_process(), "ok") == well
    assert component_status("etcd", a_process(), "HTTP 503").health == "HTTP 503"


def test_a_frozen_component_is_paused_whatever_its_port_says() -> None:
    assert component_status("etcd", a_process("T"), "timed out").health == "paused"


def test_a_component_without_a_process_does_not_run() -> None:
    assert component_status("etcd", None, "connection refused") == ComponentStatus(
        "etcd", None, 0, "not running"
    )


async def test_a_node_that_is_gone_is_shown_with_all_that_should_run_there(tmp_path: Path) -> None:
    site = a_site(tmp_path, workers=1)
    found = await status_of_node(site, site.cluster.nodes[1], "Unknown")
    assert (found.name, found.address, found.ready, found.memory) == (
        "venice-worker-1",
        "172.30.0.17",
        "Unknown",
        0,
    )
    assert [(each.name, each.health) for each in found.components] == [
        ("containerd", "not running"),
        ("kubelet", "not running"),
        ("kube-proxy", "not running"),
    ]
