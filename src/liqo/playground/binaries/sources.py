"""What is built from what: one Build per call of `go build`, in the order of need.

The versions are those of the go.mod files in ../sources, and stand nowhere else.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from liqo.playground.errors import PlaygroundError

MODULES = Path(__file__).parent.parent / "sources"

KUBERNETES = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "kubectl",
)
FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")  # the committed go.sum is binding


@dataclass(frozen=True)
class Build:
    """One call of `go build`: some commands of one Go module."""

    name: str
    folder: str  # of the module, under sources/
    packages: Mapping[str, str]  # by the name of the binary
    pin: str = ""  # the required module whose version is the version of this
    stamped: tuple[str, ...] = ()  # packages with variables that tell the version
    takes: str = "a few seconds"  # from nothing, on two cores

    @property
    def binaries(self) -> tuple[str, ...]:
        return tuple(self.packages)


# Where Kubernetes and what is built on its libraries look up which version they are.
STAMPED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


def kubernetes(folder: str = "kubernetes") -> Build:
    return Build(
        name="kubernetes",
        folder=folder,
        packages={name: f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES},
        pin="k8s.io/kubernetes",
        stamped=STAMPED,
        takes="5 to 8 minutes",
    )


# Each is a call of its own, though some share a module: what they have in common is compiled once
# all the same, and local-path-provisioner and etcd name one library in two spellings, which one
# call refuses.
OTHERS = (
    Build("etcd", "kubernetes", {"etcd": "./etcd"}, "go.etcd.io/etcd/server/v3", takes="a minute"),
    Build("pause", "pause", {"pause": "."}),
    Build("demo", "demo", {"demo": "."}),
    Build(
        "coredns",
        "kubernetes",
        {"coredns": "./coredns"},
        "github.com/coredns/coredns",
        takes="up to two minutes",
    ),
    Build(
        "local-path-provisioner",
        "kubernetes",
        {"local-path-provisioner": "github.com/rancher/local-path-provisioner"},
        "github.com/rancher/local-path-provisioner",
        takes="up to two minutes",
    ),
    Build(
        "metrics-server",
        "addons",
        {"metrics-server": "sigs.k8s.io/metrics-server/cmd/metrics-server"},
        "sigs.k8s.io/metrics-server",
        STAMPED,
        takes="2 to 3 minutes",
    ),
    Build(
        "kwok",
        "addons",
        {"kwok": "sigs.k8s.io/kwok/cmd/kwok"},
        "sigs.k8s.io/kwok",
        takes="a minute or two",
    ),
)
ON_DEMAND = ("kwok",)  # only simulated nodes need it
NEEDED = KUBERNETES + tuple(
    name for build in OTHERS for name in build.binaries if name not in ON_DEMAND
)


def pinned(go_mod: str, module: str) -> str:
    """The version of a module that a go.mod file requires; "" when it does not."""
    found = re.search(rf"^(?:require)?\s+{re.escape(module)} (v\S+)", go_mod, re.MULTILINE)
    return found[1] if found else ""


def version_of(build: Build, modules: Path = MODULES) -> str:
    return pinned((modules / build.folder / "go.mod").read_text(), build.pin) if build.pin else ""


def default_version(modules: Path = MODULES) -> str:
    return version_of(kubernetes(), modules)


def versions(modules: Path = MODULES) -> dict[str, Build]:
    """The releases of Kubernetes there is a module for, the default first."""
    builds = [kubernetes(folder.name) for folder in sorted(modules.glob("kubernetes*"))]
    return {version_of(build, modules): build for build in builds}


def builds_for(names: Iterable[str], version: str, modules: Path = MODULES) -> list[Build]:
    """What must be built for these binaries, in the order of need."""
    wanted = set(names)
    known = versions(modules)
    if version not in known:
        raise PlaygroundError(
            f"Kubernetes {version} is not among the versions of the playground:"
            f" choose one of {', '.join(known)}"
        )
    builds = [build for build in (known[version], *OTHERS) if wanted.intersection(build.binaries)]
    unknown = wanted.difference(*(build.binaries for build in builds))
    if unknown:
        raise PlaygroundError(
            f"there is no binary {', '.join(sorted(unknown))}:"
            f" the playground knows {', '.join((*NEEDED, *ON_DEMAND))}"
        )
    return builds


def linker_flags(stamped: Iterable[str], version: str) -> str:
    """No debug information, and the version where the program looks for it."""
    major, minor, *_ = [*version.removeprefix("v").split("."), "", ""]
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    stamps = [
        f"-X {package}.{name}={value}" for package in stamped for name, value in values.items()
    ]
    return " ".join(["-s -w", *stamps])


def arguments(build: Build, modules: Path = MODULES) -> list[str]:
    """Of `go build`, all but where the result goes."""
    flags = linker_flags(build.stamped, version_of(build, modules))
    return [*FLAGS, "-ldflags", flags, *build.packages.values()]


def fingerprint(build: Build, go_version: str, modules: Path = MODULES) -> str:
    """Everything the result depends on, as twelve letters."""
    folder = modules / build.folder
    digest = hashlib.sha256(repr((go_version, arguments(build, modules))).encode())
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(folder)} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]
