"""Where everything is kept that was built once and need not be built again."""

from collections.abc import Mapping
from pathlib import Path


def caches(environ: Mapping[str, str], home: Path | None = None) -> Path:
    """Of all programs, where the XDG Base Directory Specification puts them."""
    return Path(environ.get("XDG_CACHE_HOME") or (home or Path.home()) / ".cache")


def folder(environ: Mapping[str, str], home: Path | None = None) -> Path:
    """Of this product."""
    return caches(environ, home) / "liqo"
