"""What a machine must have before clusters can live on it, and how the rest is brought there."""

import asyncio
import os
import platform
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from liqo.playground import binaries, caches
from liqo.playground.errors import PlaygroundError

# What is looked for, by name or by path, and the Debian package that brings it.
PACKAGES = {
    "containerd": "containerd",
    "containerd-shim-runc-v2": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "/usr/lib/cni/ptp": "containernetworking-plugins",
    "/usr/lib/cni/host-local": "containernetworking-plugins",
    "/usr/lib/cni/portmap": "containernetworking-plugins",
    "nft": "nftables",
    "ip": "iproute2",
    "iptables": "iptables",  # the CNI plugin portmap calls it
    "conntrack": "conntrack",
    "tini": "tini",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "mount": "mount",
    "/bin/busybox": "busybox-static",
}
FOR_IMAGES = {"mmdebstrap": "mmdebstrap"}  # only who builds the product's image needs it
STATIC = frozenset({"/bin/busybox"})  # goes into an image that has no libraries
SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"  # not on the PATH that `su` leaves

GB = 10**9
ROOM_TO_BUILD = 10 * GB  # modules 3.5 GB, what is compiled of them 3.5 GB, and they grow
ROOM_TO_RUN = 2 * GB  # images, etcd and logs of three clusters

# Several kubelets share one kernel. Raised where lower, and never lowered again: other programs
# may have come to rely on it by the time the playground goes.
LIMITS = {
    "fs.inotify.max_user_instances": 4096,
    "fs.inotify.max_user_watches": 524_288,
}

Say = Callable[[str], None]


@dataclass(frozen=True)
class Room:
    """Free space of a file system, and how much of it will be used."""

    path: Path
    free: int
    needed: int


@dataclass(frozen=True)
class Machine:
    """What was found, as far as a decision needs it."""

    system: str = "Linux"
    is_root: bool = True
    has_apt: bool = True
    missing: Mapping[str, str] = field(default_factory=dict)  # to be found in which package
    has_overlay: bool = True
    has_cgroups: bool = True
    has_tun: bool = True
    room: tuple[Room, ...] = ()


def missing_packages(missing: Mapping[str, str]) -> list[str]:
    return sorted(set(missing.values()))


def problems(machine: Machine) -> list[str]:
    """Everything that stands in the way, each with its next step; installing is not tried yet."""
    if machine.system != "Linux":
        return [
            f"clusters need Linux, and this is {machine.system}:"
            " use a Linux machine, virtual or not"
        ]
    found = []
    if not machine.is_root:
        found.append("clusters need root (namespaces, mounts, containers): run it with sudo")
    if machine.missing and not (machine.is_root and machine.has_apt):
        found.append(
            f"these are missing: {', '.join(machine.missing)}. On Debian, root installs them with"
            f" `{' '.join(install_command(missing_packages(machine.missing)))}`;"
            " elsewhere, the packages that have them are called alike"
        )
    if not machine.has_overlay:
        found.append("the kernel has no overlay file system: load it with `modprobe overlay`")
    if not machine.has_cgroups:
        found.append(
            "no cgroups are mounted, and no container runs without:"
            " `mount -t cgroup2 none /sys/fs/cgroup`"
        )
    return [*found, *map(too_little, filter(is_too_little, machine.room))]


def is_too_little(room: Room) -> bool:
    return room.free < room.needed


def too_little(room: Room) -> str:
    return (
        f"{room.path} has {room.free / GB:.1f} GB free and {room.needed / GB:.0f} GB are needed:"
        " make room there, or point XDG_CACHE_HOME, GOCACHE and GOMODCACHE elsewhere"
    )


def modules_to_load(machine: Machine) -> list[str]:
    """A kernel that was built with modules lists none before its first use."""
    wanted = {"overlay": machine.has_overlay, "tun": machine.has_tun}
    return [module for module, is_there in wanted.items() if not is_there and machine.is_root]


def install_command(packages: Iterable[str]) -> list[str]:
    # Recommended packages would bring a kernel image along.
    return ["apt-get", "install", "--yes", "--no-install-recommends", *packages]


def room_needed(environ: Mapping[str, str], home: Path, *, building: bool) -> dict[Path, int]:
    """Which folder grows by how much."""
    needed = {caches.folder(environ, home): ROOM_TO_RUN}
    if building:
        needed[Path(environ.get("GOCACHE") or caches.caches(environ, home) / "go-build")] = (
            ROOM_TO_BUILD
        )
        needed[Path(environ.get("GOMODCACHE") or home / "go")] = ROOM_TO_BUILD
    return needed


def require_root() -> None:
    if found := problems(Machine(system=platform.system(), is_root=os.geteuid() == 0)):
        raise PlaygroundError("\n".join(found))


async def prepare(say: Say, *, version: str = "", images: bool = False) -> None:
    """Bring this machine to where clusters can start, or say all that is missing.

    Nothing is changed while a problem is known that only a person can solve.
    """
    building = bool(binaries.must_be_made(binaries.NEEDED, version))
    machine = look(building=building, images=images)
    for module in modules_to_load(machine):
        await load_module(module)
    machine = look(building=building, images=images)
    if found := problems(machine):
        raise PlaygroundError("\n".join(found))
    if machine.missing:
        await install(missing_packages(machine.missing), say)
        if still := look(images=images).missing:
            raise PlaygroundError(
                f"apt-get succeeded, and yet these are missing: {', '.join(still)}."
                " Put them on PATH by hand"
            )
    if not machine.has_tun:
        say("there is no /dev/net/tun: clusters start, but no tunnel between them will")
    raise_limits(LIMITS, say)


def look(*, building: bool = False, images: bool = False) -> Machine:
    """This machine, as it is."""
    wanted = {**PACKAGES, **(FOR_IMAGES if images else {})}
    needed = room_needed(os.environ, Path.home(), building=building)
    return Machine(
        system=platform.system(),
        is_root=os.geteuid() == 0,
        has_apt=shutil.which("apt-get") is not None,
        missing={name: package for name, package in wanted.items() if not is_here(name)},
        has_overlay=has_word(Path("/proc/filesystems"), {"overlay"}),
        has_cgroups=has_word(Path("/proc/self/mounts"), {"cgroup", "cgroup2"}),
        has_tun=Path("/dev/net/tun").exists(),
        room=tuple(Room(path, free_bytes(path), size) for path, size in needed.items()),
    )


def is_here(name: str) -> bool:
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_FOLDERS}")
    return path is not None and (name not in STATIC or is_static(Path(path)))


def is_static(program: Path) -> bool:
    """Whether it names no loader; a dynamic program does, right behind the head of the file."""
    with program.open("rb") as file:
        return b"/ld-" not in file.read(4096)


def has_word(file: Path, words: Collection[str]) -> bool:
    try:
        return not set(words).isdisjoint(file.read_text().split())
    except FileNotFoundError:
        return False


def free_bytes(path: Path) -> int:
    """Of the file system on which a folder lies or will lie."""
    existing = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    return shutil.disk_usage(existing).free


async def load_module(name: str) -> None:
    """Whether it worked shows in what is there afterwards."""
    if modprobe := shutil.which("modprobe", path=SYSTEM_FOLDERS):
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            modprobe, "--quiet", name, stdout=quiet, stderr=quiet
        )
        await process.wait()


async def install(packages: list[str], say: Say) -> None:
    say(f"installing the Debian packages {', '.join(packages)}")
    await _apt(["apt-get", "update"])
    await _apt(install_command(packages))


async def _apt(command: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    output, _ = await process.communicate()
    if process.returncode:
        lines = output.decode(errors="replace").strip().splitlines()
        raise PlaygroundError(
            f"`{' '.join(command)}` failed:\n" + "\n".join(lines[-20:]) + "\n"
            "Solve that, or install the packages by hand, and run it again"
        )


def raise_limits(limits: Mapping[str, int], say: Say, kernel: Path = Path("/proc/sys")) -> None:
    for name, wanted in limits.items():
        file = kernel / name.replace(".", "/")
        now = int(file.read_text())
        if now >= wanted:
            continue
        say(f"raising {name} from {now} to {wanted}, for all of this machine and until it restarts")
        try:
            file.write_text(str(wanted))
        except OSError as error:
            raise PlaygroundError(
                f"{name} is {now} and cannot be raised ({error.strerror}):"
                f" run `sysctl -w {name}={wanted}` where this kernel belongs"
            ) from error
