"""The kernel ends a process whose lease has ended; tried on processes of their own."""

import signal
import subprocess
import sys

RING = "from liqo.runtime import alarm; import time; alarm.ring_in({}); {}; time.sleep({})"


def ended_with(seconds: float, then: str, sleep: float, *within: str) -> int:
    code = RING.format(seconds, then, sleep)
    return subprocess.run([*within, sys.executable, "-c", code], check=False, timeout=30).returncode


def test_a_process_that_outlives_its_alarm_is_ended() -> None:
    assert ended_with(0.01, "pass", 20) == signal.SIGALRM


def test_so_is_the_first_process_of_a_container() -> None:
    container = ("unshare", "--pid", "--fork", "--user", "--map-root-user")
    assert ended_with(0.01, "pass", 20, *container) == signal.SIGALRM


def test_an_alarm_that_is_due_already_rings_at_once() -> None:
    assert ended_with(-5, "pass", 20) == signal.SIGALRM


def test_an_alarm_can_be_put_off_and_turned_off() -> None:
    assert ended_with(0.2, "alarm.ring_in(100)", 0.4) == 0
    assert ended_with(0.2, "alarm.turn_off()", 0.4) == 0
