"""`python -m liqo.api.crds FOLDER` writes every CustomResourceDefinition into it."""

import sys
from pathlib import Path

from liqo.api.crds.files import files


def write(folder: Path) -> None:
    """Ours as they are now; those of kinds that are no more go."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.liqo.io_*.yaml"):
        old.unlink()
    for name, text in files().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
