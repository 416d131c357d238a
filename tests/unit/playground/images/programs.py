"""Stand-ins for the programs that bring what an image is made of from elsewhere."""

import os
from pathlib import Path

import pytest

# Its last argument is the tar to write.
MMDEBSTRAP = 'for path; do :; done; cd "$(mktemp -d)"; mkdir etc; tar -cf "$path" --mtime=@0 etc'
UV = """
for option; do
    case $option in --target=*) target=${option#--target=} ;; esac
done
mkdir -p "$target/bin" "$target/wheel"
echo 'NAME = "wheel"' > "$target/wheel/__init__.py"
echo made for another Python > "$target/bin/tool"
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins first on the path, and a cache of their own."""
    folder.mkdir()
    for name, script in {"mmdebstrap": MMDEBSTRAP, "uv": UV}.items():
        (folder / name).write_text(f"#!/bin/sh\nset -e\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent / "cache"))
