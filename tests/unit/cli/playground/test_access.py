"""What a shell is told."""

import subprocess
from pathlib import Path

import pytest

from liqo.cli.playground.access import exports
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from tests.unit.playground.layouts import a_layout


def sites(folder: Path, tools: Path, *names: str) -> list[Site]:
    layout = a_layout(**dict.fromkeys(names, Options()))
    executables = {"kubectl": tools / "kubectl"}
    return [Site(layout, each, folder / each.name, executables) for each in layout.clusters]


def in_shell(found: list[tuple[str, str]], variable: str) -> str:
    lines = [f"export {name}={value}" for name, value in found]
    script = "\n".join(["PATH=/usr/bin:/bin", *lines, f'printf %s "${variable}"'])
    return subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("folder", ["/srv/playgrounds", "/srv/my play's $HOME `grounds`"])
def test_a_shell_reads_every_path_as_it_is(folder: str) -> None:
    found = exports(sites(Path(folder), Path(folder) / "bin", "rome", "new-york"))
    rome = f"{folder}/rome/0/admin.kubeconfig"
    assert in_shell(found, "KUBECONFIG") == rome
    assert in_shell(found, "KUBECONFIG_ROME") == rome
    assert in_shell(found, "KUBECONFIG_NEW_YORK") == f"{folder}/new-york/0/admin.kubeconfig"
    assert in_shell(found, "PATH") == f"{folder}/bin:/usr/bin:/bin"


def test_the_first_cluster_is_the_one_kubectl_talks_to() -> None:
    found = exports(sites(Path("/srv"), Path("/opt/bin"), "rome", "milan"))
    assert [name for name, _ in found] == [
        "KUBECONFIG",
        "KUBECONFIG_ROME",
        "KUBECONFIG_MILAN",
        "PATH",
    ]
