"""Asks the components of a node how they are. Runs on the node: python -m liqo.playground.probe

Prints one JSON object, component → "ok" or what is wrong. It imports the standard library alone:
it is started often, and has to be quick.
"""

import contextlib
import http.client
import json
import socket
import ssl
import struct
import sys

PATIENCE = 2.0  # seconds for one answer: a paused process accepts connections and says nothing
ENDPOINTS = {
    "etcd": ("http", 2379, "/health"),
    "kube-apiserver": ("https", 6443, "/readyz"),
    "kube-controller-manager": ("https", 10257, "/healthz"),
    "kube-scheduler": ("https", 10259, "/healthz"),
    "kubelet": ("http", 10248, "/healthz"),
    "kube-proxy": ("http", 10256, "/healthz"),
    "kwok": ("http", 10247, "/healthz"),
}
CONTAINERD = "/run/containerd/containerd.sock"


def main(arguments: list[str]) -> None:
    names = arguments or [*ENDPOINTS, "containerd"]
    sys.stdout.write(json.dumps({name: health(name) for name in names}))


def health(component: str) -> str:
    try:
        if component == "containerd":
            return connects(CONTAINERD)
        if component.startswith("dns="):
            return resolves(component.removeprefix("dns="))
        return answers(*ENDPOINTS[component])
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__


def answers(scheme: str, port: int, path: str) -> str:
    connection: http.client.HTTPConnection
    if scheme == "https":
        # On the node's own loopback, and nothing secret is sent: whose certificate does not matter.
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", port, timeout=PATIENCE, context=context
        )
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", path)
        status = connection.getresponse().status
    return "ok" if status == 200 else f"HTTP {status}"


def connects(path: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(PATIENCE)
        client.connect(path)
    return "ok"


def resolves(server: str) -> str:
    """Ask for the one name that every cluster has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE)
        client.sendto(query("kubernetes.default.svc.cluster.local"), (server, 53))
        return verdict(client.recv(512))


def verdict(answer: bytes) -> str:
    code, found = answer[3] & 0x0F, struct.unpack("!H", answer[6:8])[0]
    return "ok" if code == 0 and found else f"DNS code {code}, {found} answers"


def query(name: str) -> bytes:
    header = struct.pack("!6H", 1, 0x0100, 1, 0, 0, 0)  # one question, recursion desired
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return header + labels + struct.pack("!BHH", 0, 1, 1)  # an address, of the Internet


if __name__ == "__main__":
    main(sys.argv[1:])
