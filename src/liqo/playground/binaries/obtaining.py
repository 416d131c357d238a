"""From a name to an executable file: given, kept, downloaded or built, in this order."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from liqo.playground import caches
from liqo.playground.binaries import cache, download, sources
from liqo.playground.binaries.build import NO_GO, Go, compile_with_go, find_go
from liqo.playground.binaries.sources import KUBERNETES, Build
from liqo.playground.errors import PlaygroundError

Say = Callable[[str], None]


@dataclass(frozen=True)
class Origins:
    """Where binaries may come from on this machine."""

    given: Mapping[str, Path]  # folders, by the variable that names them
    releases: str  # base URL of official releases; "" to build always
    cache: Path


def origins(environ: Mapping[str, str]) -> Origins:
    variables = ("LIQO_KUBE_BIN", "KUBEBUILDER_ASSETS")
    return Origins(
        given={name: Path(environ[name]) for name in variables if environ.get(name)},
        releases=environ.get("LIQO_KUBE_DOWNLOAD", download.OFFICIAL),
        cache=caches.folder(environ) / "binaries",
    )


async def obtain(names: Iterable[str], *, version: str = "", say: Say) -> dict[str, Path]:
    """An executable file for every name."""
    return await obtain_from(origins(os.environ), tuple(names), version, say)


async def obtain_from(
    where: Origins, names: Collection[str], version: str, say: Say
) -> dict[str, Path]:
    found = given(where, names, version)
    for build in _builds(names, found, version):
        found = {**await _kept_or_new(where, build, say), **found}
    return {name: found[name] for name in names}


def given(where: Origins, names: Collection[str], version: str = "") -> dict[str, Path]:
    """What the folders of the environment have; the first folder that has it wins.

    A version of Kubernetes that is asked for does not come from there: of which version the
    binaries in such a folder are is not known.
    """
    if version:
        names = [name for name in names if name not in KUBERNETES]
    found: dict[str, Path] = {}
    for variable, folder in where.given.items():
        if not folder.is_dir():
            raise PlaygroundError(
                f"{variable} names {folder}, which is no folder: correct or unset it"
            )
        found = {**cache.executables(folder.absolute(), names), **found}
    return found


def must_be_made(names: Collection[str], version: str = "") -> list[str]:
    """What `obtain` would have to download or build; needs no network and writes nothing."""
    where = origins(os.environ)
    builds = _builds(names, given(where, names, version), version)
    return [build.name for build in builds if not kept(where, build)]


def _builds(names: Collection[str], found: Collection[str], version: str) -> list[Build]:
    missing = [name for name in names if name not in found]
    return sources.builds_for(missing, version or sources.default_version())


def kept(where: Origins, build: Build) -> dict[str, Path]:
    """The binaries of a Build, if they lie in the cache."""
    folders = [_official_folder(where, build)]
    if go := find_go():
        folders.append(_built_folder(where, build, go))
    for folder in folders:
        found = cache.executables(folder, build.binaries)
        if len(found) == len(build.binaries):
            return found
    return {}


def _official_folder(where: Origins, build: Build) -> Path:
    version = sources.version_of(build)
    return where.cache / cache.folder_name(build.name, version, cache.OFFICIAL)


def _built_folder(where: Origins, build: Build, go: Go) -> Path:
    fingerprint = sources.fingerprint(build, go.version)
    return where.cache / cache.folder_name(build.name, sources.version_of(build), fingerprint)


async def _kept_or_new(where: Origins, build: Build, say: Say) -> dict[str, Path]:
    if found := kept(where, build):
        return found
    try:
        async with cache.locked(where.cache, say):
            if found := kept(where, build):  # by whoever held the lock before
                return found
            if not await _downloaded(where, build, say):
                await _compiled(where, build, say)
    except OSError as error:
        raise PlaygroundError(
            f"{build.name} cannot be kept in {where.cache}: {error.strerror or error}."
            " Make room there, or set XDG_CACHE_HOME to a folder elsewhere"
        ) from error
    return kept(where, build)


async def _downloaded(where: Origins, build: Build, say: Say) -> bool:
    if build.binaries != KUBERNETES or not where.releases:
        return False  # only Kubernetes itself is released as files of this kind
    version = sources.version_of(build)
    try:
        with cache.appearing(_official_folder(where, build)) as folder:
            await download.download(where.releases, version, build.binaries, folder, say)
    except download.UnavailableError as why:
        say(f"the official release cannot be downloaded ({why}): compiling it instead")
        return False
    return True


async def _compiled(where: Origins, build: Build, say: Say) -> None:
    go = find_go()
    if go is None:
        raise PlaygroundError(NO_GO)
    with cache.appearing(_built_folder(where, build, go)) as folder:
        await compile_with_go(build, folder, go, say)


def built_versions() -> list[str]:
    """The releases of Kubernetes that are here already."""
    return sorted(cache.kept_versions(origins(os.environ).cache))
