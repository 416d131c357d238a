"""Images in a docker-archive: what `ctr images import`, `docker load` and `kind load` accept.

manifest.json               the table of images: names, configuration, layers
<digest>.json               how to run one of them
<digest>/layer.tar          each layer once, whoever shares it
"""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liqo.playground.images.layer import Layer

NONROOT = "65532:65532"
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # as the kernel and as OCI call them


@dataclass(frozen=True)
class Image:
    """Layers, lowest first, and how to run what they hold."""

    names: tuple[str, ...]
    layers: tuple[Layer, ...]
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    user: str = NONROOT


def write(images: Sequence[Image], path: Path) -> None:
    """The same images make the same bytes, so that a digest says whether something changed."""
    configurations = [_json(_configuration(image)) for image in images]
    table = [
        {
            "Config": f"{_digest(configuration)}.json",
            "RepoTags": list(image.names),
            "Layers": [_place(layer) for layer in image.layers],
        }
        for image, configuration in zip(images, configurations, strict=True)
    ]
    layers = {_place(layer): layer for image in images for layer in image.layers}
    with tarfile.open(path, "w") as tar:
        _add(tar, "manifest.json", _json(table))
        for configuration in sorted(set(configurations)):
            _add(tar, f"{_digest(configuration)}.json", configuration)
        for place, layer in sorted(layers.items()):
            header = tarfile.TarInfo(place)
            header.size = layer.path.stat().st_size
            with layer.path.open("rb") as file:
                tar.addfile(header, file)


def names(path: Path) -> list[str]:
    """The names of the images in an archive."""
    with tarfile.open(path) as tar:
        table = tar.extractfile("manifest.json")
        assert table is not None, "manifest.json is a file"
        return [name for image in json.load(table) for name in image["RepoTags"]]


def _configuration(image: Image) -> dict[str, Any]:
    environment = {"PATH": SEARCH_PATH, **image.environment}
    return {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {
            "User": image.user,
            "Env": [f"{name}={value}" for name, value in environment.items()],
            "Entrypoint": list(image.entrypoint),
            "Cmd": list(image.command),
            "WorkingDir": "/",
        },
        "rootfs": {
            "type": "layers",
            "diff_ids": [f"sha256:{layer.digest}" for layer in image.layers],
        },
    }


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _place(layer: Layer) -> str:
    return f"{layer.digest}/layer.tar"


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    header = tarfile.TarInfo(name)
    header.size = len(content)
    tar.addfile(header, io.BytesIO(content))
