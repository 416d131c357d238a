"""The images of a playground's own pods, packed from binaries: no registry is asked for any."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from liqo.playground.command import run
from liqo.playground.images import archive, layer
from liqo.playground.images.archive import NONROOT, Image
from liqo.playground.images.cache import slot
from liqo.playground.images.layer import File, Folder, Link, Tree

PAUSE = "localhost/playground/pause:1"
COREDNS = "localhost/playground/coredns:1.14.3"
METRICS_SERVER = "localhost/playground/metrics-server:0.9.0"
LOCAL_PATH = "localhost/playground/local-path-provisioner:0.0.30"
DEMO = "localhost/playground/demo:1"
HELPER = "localhost/playground/helper:1"  # a shell and the usual tools, and nothing else

BUSYBOX = Path("/bin/busybox")  # a static one, from Debian's busybox-static
ROOT = "0:0"
SCRATCH: Tree = {"tmp": Folder(0o1777)}


@dataclass(frozen=True)
class Addon:
    """An image that is one static program, as a rule with nothing beside it."""

    name: str
    user: str = NONROOT
    has_shell: bool = False  # and the usual tools


ADDONS: Mapping[str, Addon] = {
    "pause": Addon(PAUSE),
    "coredns": Addon(COREDNS, ROOT),  # it binds port 53; its pod drops every other privilege
    "metrics-server": Addon(METRICS_SERVER),
    "local-path-provisioner": Addon(LOCAL_PATH),
    "demo": Addon(DEMO, has_shell=True),  # for `kubectl exec`
}


async def addons(
    binaries: Mapping[str, Path], say: Callable[[str], None], busybox: Path = BUSYBOX
) -> Path:
    """One archive of the helper and every image whose binary is given."""
    wanted = {name: path for name, path in binaries.items() if name in ADDONS}
    inputs = sorted({**wanted, "busybox": busybox}.items())
    archived = slot("addons", __file__, [(name, *_identity(path)) for name, path in inputs])
    if not archived.is_filled():
        say(f"packing the images helper, {', '.join(wanted)}")
        applets = (await run(busybox, "--list")).split()
        with archived.filling() as scratch:
            await asyncio.to_thread(_pack, wanted, helper_tree(busybox, applets), scratch)
    return archived.path


def helper_tree(busybox: Path, applets: list[str]) -> Tree:
    """A file system with one program that has many names."""
    links = {f"bin/{name}": Link("busybox") for name in applets if name != "busybox"}
    return {
        **SCRATCH,
        **links,
        "bin/busybox": File(busybox, 0o755),
        "etc/passwd": File(b"root:x:0:0:root:/:/bin/sh\nnonroot:x:65532:65532::/tmp:/bin/sh\n"),
        "etc/group": File(b"root:x:0:\nnonroot:x:65532:\n"),
    }


def _pack(binaries: Mapping[str, Path], helper: Tree, scratch: Path) -> None:
    shell = layer.write(helper, scratch / "helper")
    images = [Image((HELPER,), (shell,), command=("sh",), user=ROOT)]
    for name, path in binaries.items():
        only = layer.write({**SCRATCH, f"bin/{name}": File(path, 0o755)}, scratch / name)
        addon = ADDONS[name]
        layers = (shell, only) if addon.has_shell else (only,)
        images.append(Image((addon.name,), layers, entrypoint=(f"/bin/{name}",), user=addon.user))
    archive.write(images, scratch / "tar")


def _identity(path: Path) -> tuple[str, int, int]:
    """Tells one build from another without reading hundreds of megabytes."""
    status = path.stat()
    return str(path.resolve()), status.st_size, status.st_mtime_ns
