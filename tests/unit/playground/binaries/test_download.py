"""Official files, good and bad, from a server on loopback."""

import os
from pathlib import Path

import pytest

from liqo.playground.binaries import default_version, download
from liqo.playground.binaries.download import UnavailableError
from liqo.playground.errors import PlaygroundError


@pytest.mark.parametrize(
    ("machine", "architecture"), [("x86_64", "amd64"), ("aarch64", "arm64"), ("riscv64", "riscv64")]
)
def test_an_address_is_that_of_the_official_layout(machine: str, architecture: str) -> None:
    address = download.url("https://mirror.example/", "v1.35.4", machine, "kubectl")
    assert address == f"https://mirror.example/v1.35.4/bin/linux/{architecture}/kubectl"


async def test_a_file_that_matches_its_checksum_becomes_executable(
    tmp_path: Path, releases: str
) -> None:
    said: list[str] = []
    await download.download(releases, default_version(), ["kubectl"], tmp_path, said.append)
    assert (tmp_path / "kubectl").read_text() == "#!/bin/sh\necho kubectl\n"
    assert os.access(tmp_path / "kubectl", os.X_OK)
    assert said == [f"downloading kubectl {default_version()}"]


async def test_a_file_that_does_not_match_is_refused(
    tmp_path: Path, mirror: Path, releases: str
) -> None:
    (mirror / "kubectl").write_text("something else")
    with pytest.raises(PlaygroundError, match="is not what its checksum says"):
        await download.download(releases, default_version(), ["kubectl"], tmp_path, lambda _: None)


async def test_a_page_of_a_captive_portal_is_no_checksum(
    tmp_path: Path, mirror: Path, releases: str
) -> None:
    (mirror / "kubectl.sha256").write_text("<html>please log in</html>")
    with pytest.raises(UnavailableError, match="is no checksum"):
        await download.download(releases, default_version(), ["kubectl"], tmp_path, lambda _: None)


async def test_a_release_that_is_not_there_is_unavailable(tmp_path: Path, releases: str) -> None:
    with pytest.raises(UnavailableError, match="File not found"):
        await download.download(releases, "v1.0.0", ["kubectl"], tmp_path, lambda _: None)


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:1"  # a port that no server may take
    with pytest.raises(UnavailableError, match="refused"):
        await download.download(nobody, "v1.0.0", ["kubectl"], tmp_path, lambda _: None)


async def test_an_address_that_is_none_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="unknown url type"):
        await download.download("mirror", "v1.0.0", ["kubectl"], tmp_path, lambda _: None)
