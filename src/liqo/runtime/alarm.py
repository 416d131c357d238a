"""The kernel's alarm clock: it ends a process that has outlived its lease.

A process may be stopped, or starved, between its last look at the clock and the moment its bytes
leave; no check of its own can help then. The alarm is due when the lease ends, and the kernel
delivers it before the process executes one more instruction.
"""

import signal


def ring_in(seconds: float) -> None:
    """End this process then, unless asked again; zero or less is now."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))


def turn_off() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
