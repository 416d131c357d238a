"""The kernel's alarm clock: it ends a process that has outlived its lease.

A process may be stopped, or starved, between its last look at the clock and the moment its bytes
leave; no check of its own can help then. The alarm is due when the lease ends, and the kernel
delivers it before the process executes one more instruction of what it did.

The first process of a container does not end by a signal that it leaves to the kernel. So the
signal calls `_exit` of the C library itself, with its own number as the exit code.
"""

import ctypes
import signal

_libc = ctypes.CDLL(None)
_libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
_libc.signal.restype = ctypes.c_void_p
_EXIT = ctypes.cast(_libc._exit, ctypes.c_void_p)


def ring_in(seconds: float) -> None:
    """End this process then, unless asked again; zero or less is now."""
    _libc.signal(signal.SIGALRM, _EXIT)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))


def turn_off() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
