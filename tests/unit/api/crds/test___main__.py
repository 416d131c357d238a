"""Writing the CRDs into a folder."""

from pathlib import Path

from liqo.api.crds.__main__ import write
from liqo.api.crds.files import files


def test_every_definition_is_written(tmp_path: Path) -> None:
    write(tmp_path / "new" / "crds")
    assert {file.name for file in (tmp_path / "new" / "crds").iterdir()} == set(files())


def test_the_definition_of_a_kind_that_is_no_more_goes(tmp_path: Path) -> None:
    (tmp_path / "old.liqo.io_things.yaml").write_text("")
    (tmp_path / "README.md").write_text("")
    write(tmp_path)
    assert not (tmp_path / "old.liqo.io_things.yaml").exists()
    assert (tmp_path / "README.md").exists()
