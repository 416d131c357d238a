"""The product's image: a change of our code changes one layer, and nothing is packed twice."""

import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from liqo.playground.images.archive import names
from liqo.playground.images.product import ENVIRONMENT, PACKAGES, product
from tests.unit.playground.images import programs


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs.install(tmp_path / "programs", monkeypatch)
    files = {
        "pyproject.toml": '[project]\nversion = "1.2.3"\n',
        "deploy/image/requirements.lock": "wheel==1",
        "src/liqo/__init__.py": "",
        "src/liqo/cli/main.py": "def main() -> None: ...",
        "src/liqo/cli/__pycache__/main.cpython-310.pyc": "of another Python",
    }
    for name, content in files.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "checkout"


def layers(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        table = tar.extractfile("manifest.json")
        assert table is not None
        (image,) = json.load(table)
    return list(image["Layers"])


def files(archive: Path, layer: str) -> dict[str, int]:
    """The modes of a layer's files, by name."""
    with tarfile.open(archive) as tar:
        content = tar.extractfile(layer)
        assert content is not None
        with tarfile.open(fileobj=io.BytesIO(content.read())) as inner:
            return {member.name: member.mode for member in inner if member.isfile()}


async def test_an_image_is_a_base_the_dependencies_and_our_code(checkout: Path) -> None:
    archive = await product(checkout, print)
    _, dependencies, code = layers(archive)
    assert f"{PACKAGES}/wheel/__init__.py" in files(archive, dependencies)
    assert f"{PACKAGES}/bin/tool" not in files(archive, dependencies)
    assert files(archive, code)["usr/bin/liqoctl"] == 0o755
    assert f"{PACKAGES}/liqo-1.2.3.dist-info/METADATA" in files(archive, code)


async def test_our_code_comes_without_what_another_python_left_beside_it(checkout: Path) -> None:
    archive = await product(checkout, print)
    ours = files(archive, layers(archive)[-1])
    assert f"{PACKAGES}/liqo/cli/main.py" in ours
    assert not [name for name in ours if "cpython-310" in name]


async def test_a_change_of_our_code_changes_one_layer_and_one_name(checkout: Path) -> None:
    before = await product(checkout, print)
    (checkout / "src/liqo/__init__.py").write_text("CHANGED = True\n")
    after = await product(checkout, print)
    assert layers(after)[:-1] == layers(before)[:-1]
    assert layers(after)[-1] != layers(before)[-1]
    assert names(after)[0] == names(before)[0] == "localhost/liqo/liqo:1.2.3"
    assert names(after)[1] != names(before)[1]


async def test_nothing_is_packed_twice(checkout: Path) -> None:
    said: list[str] = []
    archive = await product(checkout, said.append)
    assert said[-1] == "packing liqo 1.2.3"
    told = len(said)
    assert await product(checkout, said.append) == archive
    assert len(said) == told


def test_both_ways_to_an_image_give_the_same_to_its_programs() -> None:
    """Where certificates are, the other one's base knows by itself."""
    written = Path("deploy/image/Dockerfile").read_text()
    *_, line = re.findall(r"^ENV (.*)$", written, flags=re.MULTILINE)
    ours = {name: value for name, value in ENVIRONMENT.items() if name != "SSL_CERT_FILE"}
    assert dict(each.split("=") for each in line.split()) == ours
