"""Who comes to a port by itself, past the API server: from inside a node's network."""

from __future__ import annotations

import json
from pathlib import Path

from liqo.playground import node, pki
from liqo.playground.cluster import Site
from liqo.rules import certificates

KUBELET = 10250

# Run on a node: the port is a pod's, and not reached from here.
SCRIPT = """
import json, socket, ssl, sys
told = json.load(sys.stdin)
context = ssl._create_unverified_context()
if told["chain"]:
    context.load_cert_chain(told["chain"])
bare = socket.create_connection((told["host"], told["port"]), 10)
bare.settimeout(20)
said = b""
try:
    with (context.wrap_socket(bare) if told["tls"] else bare) as end:
        end.sendall(told["words"].encode("latin-1"))
        while chunk := end.recv(65536):
            said += chunk
except OSError:
    pass
sys.stdout.write(said.decode("latin-1"))
"""


async def visit(
    site: Site, where: str, words: str, chain: Path | None = None, *, tls: bool = True
) -> str:
    """What is answered there, until it closes the connection; a kubelet's port need not be said."""
    host, _, port = where.partition(":")
    told = {
        "host": host,
        "port": int(port or KUBELET),
        "words": words,
        "chain": str(chain) if chain else "",
        "tls": tls,
    }
    member = site.cluster.control_plane
    return await node.inside(member, "python3", "-c", SCRIPT, text=json.dumps(told))


async def get(
    site: Site, where: str, path: str, chain: Path | None = None, token: str = "", **more: str
) -> tuple[int, str]:
    """With more headers, if any: `X_Remote_User="rome"`. No code where nobody answers."""
    headers = {"Host": "x", "Connection": "close", **more}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    said = await visit(site, where, f"GET {path} HTTP/1.1\r\n{lines}\r\n", chain)
    head, _, body = said.partition("\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


async def shown(site: Site, host: str) -> bytes:
    """The certificate that the kubelet there shows, in PEM."""
    script = f"import ssl; print(ssl.get_server_certificate(('{host}', 10250), timeout=10))"
    return (await node.inside(site.cluster.control_plane, "python3", "-c", script)).encode()


async def address(site: Site, name: str) -> str:
    """Of a virtual node."""
    path = 'jsonpath={.status.addresses[?(@.type=="InternalIP")].address}'
    return await site.kubectl("get", "node", name, "-o", path)


def certificate(site: Site, folder: Path, user: str, *groups: str, front: bool = False) -> Path:
    """Of the authority that also signs those of consumers; or of the API server's own."""
    known = pki.authorities(site.folder / "pki", site.cluster.name)
    signer = known.front_proxy if front else known.cluster
    pair = certificates.client(signer, user, groups, pki.lifetime())
    path = folder / f"{user}.pem"
    path.write_bytes(pair.certificate_pem + pair.key_pem)
    return path
