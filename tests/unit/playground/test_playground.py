"""The parts of a playground that are decided without one."""

import stat
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Layout, Options
from liqo.playground.playground import (
    Playground,
    digest,
    networks_of,
    with_clusters,
)
from tests.unit.playground.layouts import a_cluster, a_site

NEVER_MADE = "never-made-by-anybody"


def test_a_playground_has_a_name_that_linux_and_dns_take() -> None:
    with pytest.raises(PlaygroundError, match='the playground name "My_Own" is not a DNS label'):
        Playground("My_Own")


async def test_a_playground_that_is_not_there_says_how_to_make_it() -> None:
    with pytest.raises(PlaygroundError, match=f"liqoctl playground up -p {NEVER_MADE}$"):
        Playground(NEVER_MADE).existing()
    with pytest.raises(PlaygroundError, match=f'there is no playground "{NEVER_MADE}"'):
        await Playground(NEVER_MADE).sites(["venice"])


def test_a_cluster_is_made_of_its_options_and_its_images() -> None:
    archive = Path("images-1.tar")
    assert digest(a_cluster(), archive) == digest(a_cluster(), Path("/elsewhere") / archive)
    assert digest(a_cluster(), archive) != digest(a_cluster(audit=True), archive)
    assert digest(a_cluster(), archive) != digest(a_cluster(), Path("images-2.tar"))


def test_other_playgrounds_use_their_networks() -> None:
    known = [Layout("a", "172.30.0.0/24"), Layout("b", "172.30.1.0/24")]
    assert networks_of(known) == [IPv4Network("172.30.0.0/24"), IPv4Network("172.30.1.0/24")]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "site" / "0").mkdir(parents=True)
    (tmp_path / "site" / "0" / "admin.kubeconfig").write_text("venice")
    return folder


def test_a_copy_of_the_kubeconfig_is_for_its_owner_and_goes_with_the_cluster(
    tmp_path: Path, here: Path
) -> None:
    playground, site = Playground(), a_site(tmp_path / "site")
    copy = playground.write_kubeconfig(site, here)
    assert playground.write_kubeconfig(site, here) == copy == here / "liqo_kubeconf_venice"
    assert copy.read_text() == "venice"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    playground.forget_kubeconfigs(site.folder)
    assert list(here.iterdir()) == []


def test_a_copy_that_became_somebody_elses_file_stays(tmp_path: Path, here: Path) -> None:
    playground, site = Playground(), a_site(tmp_path / "site")
    copy = playground.write_kubeconfig(site, here)
    copy.write_text("another venice")
    playground.forget_kubeconfigs(site.folder)
    assert copy.read_text() == "another venice"


def test_a_cluster_of_which_nobody_took_a_copy_is_forgotten_too(tmp_path: Path, here: Path) -> None:
    Playground().forget_kubeconfigs(tmp_path / "site")
    Playground().forget_kubeconfigs(tmp_path / "nowhere")
    assert list(here.iterdir()) == []


def test_clusters_are_added_to_those_that_are_there() -> None:
    known = with_clusters(Layout("default", "172.30.0.0/24"), ["rome", "milan"], Options())
    assert [cluster.name for cluster in known.clusters] == ["rome", "milan"]
    with pytest.raises(PlaygroundError, match='no component "api" for the flag --v=4'):
        with_clusters(known, ["turin"], Options(flags=(("api", "--v=4"),)))
