"""TLS: what a server shows and asks of clients, without a file on a disk; how both ends read."""

from __future__ import annotations

import os
import ssl
from typing import Any

RECORD = 16 * 1024  # bytes: OpenSSL never gives more at a time


class Modest(ssl.SSLObject):
    """Asked for 256 kB, as uvloop asks it, the original sets that much memory aside for each read,
    and asks the kernel for it: a tenth of a kubelet's CPU."""

    def read(self, len: int = RECORD, buffer: Any = None) -> Any:  # noqa: A002  as there
        return super().read(min(len, RECORD), buffer)


def reads_modestly(context: ssl.SSLContext) -> ssl.SSLContext:
    context.sslobject_class = Modest
    return context


def server(chain: bytes) -> ssl.SSLContext:
    """That shows this chain and key, in PEM. SSLError where it is none."""
    made = reads_modestly(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    # A resumed session would be believed by what was true when it began.
    made.options |= ssl.OP_NO_TICKET
    made.num_tickets = 0
    load_chain(made, chain)
    return made


def ask_clients(context: ssl.SSLContext, authorities: str) -> None:
    """For certificates that these vouch for, in PEM; who has none may come all the same."""
    context.load_verify_locations(cadata=authorities)
    context.verify_mode = ssl.CERT_OPTIONAL
    # Kubernetes' own certificates are not always as RFC 5280 wants them, and Go does not mind.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT


def load_chain(context: ssl.SSLContext, pem: bytes) -> None:
    """OpenSSL reads files only; this one is in memory. SSLError where it is no chain and key."""
    with os.fdopen(os.memfd_create("chain"), "wb") as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
