"""The first process of a container is told to go like any other, and must not be deaf.

The kernel drops a signal for which that process has no handler. Told to go while it is still
reading its modules, it would come to life, take its lease, and keep it until it is killed.
"""

import os
import signal
import sys


def listen(pid: int) -> None:
    """Until the program has a handler of its own: leave at once, there is nothing to hand over."""
    if pid == 1:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def listen_if_first() -> None:
    listen(os.getpid())
