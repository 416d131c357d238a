"""An archive is what Docker writes: a table of images, their configurations, their layers."""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from liqo.playground.images import archive, layer
from liqo.playground.images.archive import Image
from liqo.playground.images.layer import File, Layer

ROME, MILAN = "localhost/city/rome:1", "localhost/city/milan:1"


@pytest.fixture
def shared(tmp_path: Path) -> Layer:
    return layer.write({"etc/country": File(b"Italy")}, tmp_path / "shared")


@pytest.fixture
def own(tmp_path: Path) -> Layer:
    return layer.write({"etc/city": File(b"Rome")}, tmp_path / "own")


@pytest.fixture
def images(shared: Layer, own: Layer) -> list[Image]:
    rome = Image((ROME,), (shared, own), ("/bin/rome",), ("--help",), {"CITY": "Rome"})
    return [rome, Image((MILAN,), (shared,), user="0:0")]


@pytest.fixture
def written(images: list[Image], tmp_path: Path) -> dict[str, bytes]:
    archive.write(images, tmp_path / "archive.tar")
    with tarfile.open(tmp_path / "archive.tar") as tar:
        files = {member.name: tar.extractfile(member) for member in tar.getmembers()}
        return {name: file.read() for name, file in files.items() if file is not None}


def configuration(written: dict[str, bytes], name: str) -> dict[str, Any]:
    table = json.loads(written["manifest.json"])
    (place,) = [image["Config"] for image in table if name in image["RepoTags"]]
    found: dict[str, Any] = json.loads(written[place])
    return found


def test_the_table_names_every_image_and_its_layers_lowest_first(
    written: dict[str, bytes], shared: Layer, own: Layer
) -> None:
    rome, milan = json.loads(written["manifest.json"])
    assert (rome["RepoTags"], milan["RepoTags"]) == ([ROME], [MILAN])
    assert rome["Layers"] == [f"{shared.digest}/layer.tar", f"{own.digest}/layer.tar"]
    assert milan["Layers"] == [f"{shared.digest}/layer.tar"]


def test_a_shared_layer_is_there_once_and_whole(written: dict[str, bytes], shared: Layer) -> None:
    assert len(written) == 1 + 2 + 2  # the table, two configurations, two layers
    assert written[f"{shared.digest}/layer.tar"] == shared.path.read_bytes()


def test_a_configuration_is_named_by_its_digest(written: dict[str, bytes]) -> None:
    for image in json.loads(written["manifest.json"]):
        digest = hashlib.sha256(written[image["Config"]]).hexdigest()
        assert image["Config"] == f"{digest}.json"


def test_the_diff_ids_are_the_digests_of_the_layers(
    written: dict[str, bytes], shared: Layer, own: Layer
) -> None:
    diff_ids = configuration(written, ROME)["rootfs"]["diff_ids"]
    assert diff_ids == [f"sha256:{shared.digest}", f"sha256:{own.digest}"]


def test_the_configuration_says_how_to_run_the_image(written: dict[str, bytes]) -> None:
    assert configuration(written, ROME)["config"] == {
        "User": "65532:65532",
        "Env": [f"PATH={archive.SEARCH_PATH}", "CITY=Rome"],
        "Entrypoint": ["/bin/rome"],
        "Cmd": ["--help"],
        "WorkingDir": "/",
    }
    assert configuration(written, MILAN)["config"]["User"] == "0:0"


def test_the_same_images_make_the_same_bytes(images: list[Image], tmp_path: Path) -> None:
    archive.write(images, tmp_path / "first.tar")
    archive.write(images, tmp_path / "second.tar")
    assert (tmp_path / "first.tar").read_bytes() == (tmp_path / "second.tar").read_bytes()


def test_an_archive_tells_its_names(images: list[Image], tmp_path: Path) -> None:
    archive.write(images, tmp_path / "archive.tar")
    assert archive.names(tmp_path / "archive.tar") == [ROME, MILAN]
