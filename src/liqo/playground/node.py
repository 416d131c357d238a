"""One node: a first process in namespaces of its own, and the components around it.

The first process is a `tini` that only buries the dead. When it is killed, the kernel ends all
that runs on the node, containers included, and takes the node's mounts along; so a node can be
removed completely by whoever sees its network namespace, also when nobody remembers making it.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import signal
from collections.abc import Mapping
from pathlib import Path

from liqo.playground import cgroups, processes
from liqo.playground.command import CommandError, run
from liqo.playground.components import NODE, SOCKET, Component
from liqo.playground.errors import PlaygroundError, next_step
from liqo.playground.layout import PREFIX, Node
from liqo.playground.processes import NAMESPACES, Process
from liqo.playground.waiting import until

RUN, PLUGINS = "/run/containerd", "/var/lib/kubelet"  # where every kubelet has the same socket
MOUNT_POINTS = (Path(NODE), Path(RUN), Path(PLUGINS))  # empty folders of the machine
BIRTH = 5.0  # seconds until a process that was started is seen; one that dies at once never is
DEATH = 30.0  # seconds that the kernel may need, on a crowded machine, to end all of a node

TELLING = re.compile(
    r"^[EF]\d{4} |error|err=|panic|fatal|not defined", re.IGNORECASE
)  # a line that says why


async def start(node: Node, folder: Path) -> Process:
    """The node's first process; the one that runs already, if it does."""
    init = first_process(node)
    if init is not None:
        return init
    for mount_point in MOUNT_POINTS:
        mount_point.mkdir(parents=True, exist_ok=True)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    cgroups.create(node.cgroup)
    with (folder / "logs" / "boot.log").open("wb") as log:
        await asyncio.create_subprocess_exec(
            *("nsenter", f"--net={NAMESPACES / node.namespace}"),
            *("unshare", "--mount", "--pid", "--uts", "--fork", "--propagation=private"),
            *("--mount-proc", "sh", "-e", "-c", boot_script(node, folder)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    await until(
        lambda: (init := first_process(node)) is not None and init.name == "tini",
        DEATH,
        lambda: f'the node "{node.name}" did not start: {last_words(folder, "boot")}',
    )
    init = first_process(node)
    assert init is not None
    return init


def boot_script(node: Node, folder: Path) -> str:
    return (
        f"mount --bind {shlex.quote(str(folder))} {NODE}\n"
        f"mount -t tmpfs -o mode=755 tmpfs {RUN}\n"
        f"mount -t tmpfs -o mode=755 tmpfs {PLUGINS}\n"
        f"[ ! -e /etc/resolv.conf ] || mount --bind {NODE}/resolv.conf /etc/resolv.conf\n"
        "mount --make-rshared /\n"  # volumes may propagate between a node and its pods
        f"echo {node.name} >/proc/sys/kernel/hostname\n"
        "exec tini -- sleep infinity\n"
    )


def first_process(node: Node) -> Process | None:
    for process in processes.of_namespace(node.namespace):
        if process.is_init:
            return process
    return None


def running(node: Node) -> dict[str, Process]:
    """The components that run on a node, by name."""
    return {process.name: process for process in every(node)}


def every(node: Node) -> list[Process]:
    """The processes of the node itself; those of pods on the node's network are one deeper."""
    return [
        process
        for process in processes.of_namespace(node.namespace)
        if process.depth == 2 and not process.is_init and process.state != "Z"
    ]


def write_files(folder: Path, component: Component) -> None:
    for name, content in component.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


async def launch(
    node: Node, folder: Path, component: Component, executables: Mapping[str, Path]
) -> None:
    """Start a component, unless it runs. Its output goes to logs/<name>.log."""
    if component.name in running(node):
        return
    executable = executables.get(component.name, Path("/usr/bin") / component.name)
    command = shlex.join([str(executable), *component.arguments])
    log = f"{NODE}/logs/{component.name}.log"
    # The shell ends at once, and the node's first process becomes the parent.
    await inside(node, "sh", "-c", f"cd / && exec {command} </dev/null >>{log} 2>&1 &")
    await until(
        lambda: component.name in running(node),
        BIRTH,
        lambda: ended(node, folder, component.name),
    )


async def inside(node: Node, *arguments: str, text: str = "") -> str:
    """Run a command on a node."""
    init = first_process(node)
    if init is None:
        again = next_step(node.playground, "start", node.cluster, "node", *named(node))
        raise PlaygroundError(f'the node "{node.name}" is not running; start it with: {again}')
    namespaces = ("--mount", "--pid", "--net", "--uts")
    try:
        return await run("nsenter", f"--target={init.pid}", *namespaces, *arguments, text=text)
    except CommandError as error:  # which may say no more than that somebody killed it
        raise CommandError(f'{arguments[0]} on the node "{node.name}": {error}') from None


def named(node: Node) -> tuple[str, ...]:
    """How a command is told which node is meant."""
    return () if node.is_control_plane else ("--node", node.name)


async def load(node: Node, archive: Path) -> None:
    """Put the images of an archive into the node's containerd."""
    containerd = ("ctr", f"--address={SOCKET}", "--namespace=k8s.io")
    try:
        await inside(node, *containerd, "images", "import", str(archive))
    except CommandError as error:
        raise PlaygroundError(
            f'the images of {archive} do not get into "{node.name}" ({error}): '
            "is it an archive as `docker save` or `make image` writes it?"
        ) from None


async def destroy(namespace: str, group: str) -> None:
    """End everything in a node's namespace, and wait until it is gone.

    One that is ending has left the namespace before it lets go of its ports. Whom the kernel
    buries with the node can be waited for; the first process waits for others to do that.
    """
    ending: set[Process] = set()

    def is_empty() -> bool:
        alive = processes.of_namespace(namespace)
        ending.update(each for each in alive if each.depth > 1 and not each.is_init)
        # The first process first: the kernel then ends the others by itself.
        processes.send(signal.SIGKILL, sorted(alive, key=lambda process: not process.is_init))
        return not alive and not any(map(processes.exists, ending))

    await until(is_empty, DEATH, lambda: f"processes in {namespace} do not end")
    await until(
        lambda: cgroups.remove(group), DEATH, lambda: f"the control group {group} stays in use"
    )


def ended(node: Node, folder: Path, component: str) -> str:
    return f'{component} of "{node.name}" ended: {last_words(folder, component)}'


def last_words(folder: Path, component: str) -> str:
    """The line of its log that says why a component ended."""
    log = folder / "logs" / f"{component}.log"
    text = log.read_text(errors="replace") if log.exists() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line)]
    return (telling or lines or ["it left no word"])[-1]


def remove_mount_points() -> None:
    """The machine's empty folders, unless somebody else's node or containerd uses them."""
    for mount_point in MOUNT_POINTS:
        if mount_point.is_dir() and not any(mount_point.iterdir()) and not in_use():
            mount_point.rmdir()


def in_use() -> bool:
    return any(NAMESPACES.glob(f"{PREFIX}*"))


def all_processes(node: Node) -> list[Process]:
    """With those of its pods."""
    init = first_process(node)
    return processes.below(init) if init else []
