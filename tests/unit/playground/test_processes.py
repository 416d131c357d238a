"""What /proc says, of made-up processes and of this very one."""

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from liqo.playground.processes import Process, below, exists, of_namespace, parse, read, send

STATUS = """\
Name:\tkube-apiserver
State:\tS (sleeping)
Pid:\t4711
NSpid:\t4711\t12
VmRSS:\t  204800 kB
"""


@pytest.fixture
def child() -> Iterator[Process]:
    """A process that waits to be told to end."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as program:
        found = read(program.pid)
        assert found is not None
        yield found
        program.kill()


def test_a_process_of_a_node_is_read() -> None:
    assert parse(4711, "kube-apiserver", STATUS) == Process(
        pid=4711, name="kube-apiserver", depth=2, inner_pid=12, state="S", memory=200 << 20
    )


@pytest.mark.parametrize(
    ("ids", "is_init"),
    [("4711", False), ("4711 1", True), ("4711 12", False), ("4711 12 1", False)],
)
def test_the_first_process_of_a_node_is_not_that_of_a_pod(ids: str, is_init: bool) -> None:
    process = parse(4711, "tini", STATUS.replace("4711\t12", ids))
    assert process.is_init is is_init


def test_a_process_that_ended_has_no_memory() -> None:
    dead = parse(7, "etcd", "State:\tZ (zombie)\nNSpid:\t7\t3\n")
    assert (dead.state, dead.memory) == ("Z", 0)


def test_a_replaced_executable_keeps_its_name() -> None:
    assert parse(4711, "kubelet (deleted)", STATUS).name == "kubelet"


def test_this_process_is_found_with_its_children(child: Process) -> None:
    me = read(os.getpid())
    assert me is not None
    found = {process.pid for process in below(me)}
    assert {me.pid, child.pid} <= found
    assert {process.pid for process in below(child)} == {child.pid}


def test_the_processes_of_a_network_namespace_are_found(child: Process) -> None:
    own = of_namespace("/proc/self/ns/net")  # a name that leads out of the folder of namespaces
    assert {os.getpid(), child.pid} <= {process.pid for process in own}
    assert of_namespace("lqp-nobody.made.0") == []


def test_a_signal_reaches_its_process_and_a_dead_one_is_no_trouble(child: Process) -> None:
    assert exists(child)
    send(signal.SIGKILL, [child])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet buried
    assert exists(child)
    os.waitpid(child.pid, 0)
    assert not exists(child)
    assert read(child.pid) is None
    send(signal.SIGKILL, [child])
