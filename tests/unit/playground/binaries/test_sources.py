"""Which commands come from which module, and in which version."""

from pathlib import Path

import pytest

from liqo.playground.binaries import sources
from liqo.playground.binaries.sources import KUBERNETES, NEEDED, OTHERS, Build
from liqo.playground.errors import PlaygroundError

TINY = Build("tiny", "tiny", {"tiny": "."}, "example.com/tiny")


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "go.mod").write_text("module tiny\n\nrequire example.com/tiny v1.2.3\n")
    (tmp_path / "tiny" / "main.go").write_text("package main\n\nfunc main() {}\n")
    return tmp_path


def test_up_needs_everything_but_what_simulates_nodes() -> None:
    assert set(KUBERNETES) < set(NEEDED)
    assert {"etcd", "coredns", "metrics-server", "local-path-provisioner", "pause", "demo"} < set(
        NEEDED
    )
    assert "kwok" not in NEEDED


@pytest.mark.parametrize(
    "go_mod",
    [
        "require k8s.io/kubernetes v1.35.4\n",
        "require (\n\tk8s.io/kubernetes v1.35.4 // indirect\n)\n",
        "require k8s.io/kubernetes-extras v9.9.9\n\nrequire k8s.io/kubernetes v1.35.4\n",
    ],
)
def test_a_pin_is_read_from_go_mod(go_mod: str) -> None:
    assert sources.pinned(go_mod, "k8s.io/kubernetes") == "v1.35.4"


def test_a_replaced_module_is_no_pin() -> None:
    assert sources.pinned("replace k8s.io/api => k8s.io/api v0.35.4\n", "k8s.io/api") == ""


def test_the_default_version_is_the_first_of_those_there_are() -> None:
    assert next(iter(sources.versions())) == sources.default_version()


@pytest.mark.parametrize("version", sources.versions())
def test_every_library_of_kubernetes_is_of_the_same_release(version: str) -> None:
    folder = sources.versions()[version].folder
    go_mod = (sources.MODULES / folder / "go.mod").read_text()
    replaced = go_mod.partition("replace (")[2].partition(")")[0].strip().splitlines()
    assert {line.split()[-1] for line in replaced} == {version.replace("v1.", "v0.", 1)}


@pytest.mark.parametrize("build", [build for build in OTHERS if build.pin], ids=lambda b: b.name)
def test_what_has_a_pin_finds_it_in_its_module(build: Build) -> None:
    assert sources.version_of(build).startswith("v")
    assert (sources.MODULES / build.folder / "go.sum").exists()


def test_builds_come_in_the_order_of_need() -> None:
    builds = sources.builds_for(["kwok", "coredns", "kubectl", "etcd"], sources.default_version())
    assert [build.name for build in builds] == ["kubernetes", "etcd", "coredns", "kwok"]


def test_nothing_is_built_for_nothing() -> None:
    assert sources.builds_for([], sources.default_version()) == []


def test_an_unknown_version_is_told_which_there_are() -> None:
    with pytest.raises(PlaygroundError, match=rf"v1\.2\.3 .* {sources.default_version()}"):
        sources.builds_for(KUBERNETES, "v1.2.3")


def test_an_unknown_binary_is_told_which_there_are() -> None:
    with pytest.raises(PlaygroundError, match=r"no binary helm.*kube-apiserver"):
        sources.builds_for(["helm", "kubectl"], sources.default_version())


def test_a_program_is_told_its_version() -> None:
    flags = sources.linker_flags(["example.com/version"], "v1.35.4")
    assert flags.startswith("-s -w ")
    assert "-X example.com/version.gitVersion=v1.35.4" in flags
    assert "-X example.com/version.gitMajor=1" in flags
    assert "-X example.com/version.gitMinor=35" in flags


def test_the_committed_sums_are_binding(modules: Path) -> None:
    assert "-mod=readonly" in sources.arguments(TINY, modules)


def test_the_fingerprint_stays_while_nothing_changes(modules: Path) -> None:
    assert sources.fingerprint(TINY, "go1.26.6", modules) == sources.fingerprint(
        TINY, "go1.26.6", modules
    )


def test_the_fingerprint_tells_another_compiler(modules: Path) -> None:
    assert sources.fingerprint(TINY, "go1.26.6", modules) != sources.fingerprint(
        TINY, "go1.26.7", modules
    )


@pytest.mark.parametrize("changed", ["go.mod", "main.go", "go.sum"])
def test_the_fingerprint_tells_another_source(modules: Path, changed: str) -> None:
    before = sources.fingerprint(TINY, "go1.26.6", modules)
    with (modules / "tiny" / changed).open("a") as file:
        file.write("\n")
    assert sources.fingerprint(TINY, "go1.26.6", modules) != before
