"""The product on the clusters of a playground."""

import io
import json
import tarfile
from pathlib import Path

from liqo.cli.playground.installing import fingerprint, region


def test_the_cities_of_the_tutorial_lie_in_three_regions() -> None:
    regions = {name: region(name) for name in ("venice", "florence", "naples", "rome")}
    label = "topology.liqo.io/region"
    assert regions == {
        "venice": {label: "north"},
        "florence": {label: "center"},
        "naples": {label: "south"},
        "rome": {},
    }


def test_the_tag_is_the_one_that_follows_every_change(tmp_path: Path) -> None:
    names = ["localhost/liqo/liqo:0.1.0", "localhost/liqo/liqo:0.1.0-0123456789abcdef"]
    table = json.dumps([{"RepoTags": names}]).encode()
    archive = tmp_path / "liqo.tar"
    with tarfile.open(archive, "w") as tar:
        header = tarfile.TarInfo("manifest.json")
        header.size = len(table)
        tar.addfile(header, io.BytesIO(table))
    assert fingerprint(archive) == "0.1.0-0123456789abcdef"
