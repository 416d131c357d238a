"""A run that several processes share (pytest-xdist): who runs what, and what is sent home.

The tests of one file stay together, and so do all that use the same clusters: these are started
once, in one process, and end with the last test that uses them, for clusters at rest work as well.
Only a process that collects tests knows their fixtures; it leaves word for the one that hands the
tests out.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

WORD = "LIQO_TEST_GROUPS"  # environment: the file in which the groups are
CLUSTERS = (
    "installed",
    "cities",
    "targets",
    "breakable",
)  # fixtures; a test uses one of them, or none
# In a soak these need the whole machine, one after the other: what shares it with thousands of pods
# may lose its lease.
CROWDS, CROWDED = "targets", frozenset({"test_large_provider.py"})
# Who takes longest begins: then all processes end at about the same time. The others follow.
FIRST = (
    *CLUSTERS,
    "test_install.py",
    "test_tutorial.py",
    "test_renewal.py",
    "test_engine_torture.py",
    "test_playground.py",
    "test_webhook_certificate.py",
)


def output_of(config: pytest.Config) -> dict[str, Any] | None:
    """What this process sends home when it ends; nothing, where it is home."""
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    return output


def group(file: str, fixtures: Iterable[str], *, soak: bool = False) -> str:
    if soak and Path(file).name in CROWDED:
        return CROWDS
    used = set(fixtures)
    return next((fixture for fixture in CLUSTERS if fixture in used), file)


def turn(name: str) -> int:
    """Of a group, among all groups."""
    file = Path(name).name
    return FIRST.index(file) if file in FIRST else len(FIRST)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    soak = bool(config.getoption("--soak", default=False))
    groups = {
        item.nodeid: group(str(item.path), getattr(item, "fixturenames", ()), soak=soak)
        for item in items
    }
    items.sort(key=lambda item: turn(groups[item.nodeid]))
    if output_of(config) is None or WORD not in os.environ:
        return
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        json.dump(groups, file)
    Path(file.name).replace(os.environ[WORD])  # all write the same


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After all else that ends with this test."""
    needed = getattr(nextitem, "fixturenames", ())
    for name in CLUSTERS:
        if name in getattr(item, "fixturenames", ()) and name not in needed:
            assert isinstance(item, pytest.Function)  # nothing else has fixtures here
            for fixture in item._fixtureinfo.name2fixturedefs.get(name, ()):
                # Of the request it needs the node alone, which both kinds of it have.
                fixture.finish(item._request)  # type: ignore[arg-type]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class Together(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types for mypy
        def _split_scope(self, nodeid: str) -> str:
            return told()[nodeid]

    config.option.loadscopereorder = False  # they are in order already
    return Together(config, log)


def told() -> Mapping[str, str]:
    groups: dict[str, str] = json.loads(Path(os.environ[WORD]).read_text())
    return groups


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[WORD] = str(Path(tempfile.mkdtemp()) / "groups.json")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        path = Path(os.environ.pop(WORD))
        path.unlink(missing_ok=True)
        path.parent.rmdir()
