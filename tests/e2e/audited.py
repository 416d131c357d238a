"""When the audit logs of a run can be judged: a part of the tests does not use every right.

A run may be shared by several processes. Each sends home what it found, and the whole is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from liqo.playground.cluster import Site
from tests.audit import Audit, Use
from tests.shared import output_of

HERE = Path(__file__).parent
FIXTURE = "audit"


@dataclass(eq=False)  # a plugin is itself and no other
class Judge:
    """Of one process, or of the one that the others report to."""

    audit: Audit = field(default_factory=Audit)
    journeys: set[str] = field(default_factory=set)  # those that a whole run consists of
    ended: set[str] = field(default_factory=set)
    whole: bool = False  # no file was left out, and no test named
    names: dict[pytest.Item, str] = field(default_factory=dict)  # before anybody adds to them

    # First, before -k and its like.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        named = any("::" in argument for argument in config.args)
        self.whole = not named and {item.path for item in items} >= set(HERE.glob("test_*.py"))
        self.names = {item: item.nodeid for item in items}
        using = (item for item in items if FIXTURE in getattr(item, "fixturenames", ()))
        self.journeys = {self.names[item] for item in using}

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Well, or skipped: what fails fails the run anyway."""
        skipped = call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception)
        if skipped or (call.when == "call" and call.excinfo is None):
            self.ended.add(self.names[item])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A process that shared the run has ended."""
        told: Mapping[str, Any] = getattr(node, "workeroutput", {}).get(__name__, {})
        self.audit.uses.update(Use(*use) for use in told.get("uses", ()))
        self.journeys.update(told.get("journeys", ()))
        self.ended.update(told.get("ended", ()))
        self.whole = bool(told.get("whole"))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = output_of(session.config)
        if output is not None:
            uses = [astuple(use) for use in self.audit.uses]
            told = {"journeys": list(self.journeys), "ended": list(self.ended)}
            output[__name__] = {"uses": uses, "whole": self.whole, **told}
        elif self.problems():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for problem in self.problems():
            terminalreporter.write_line(f"RIGHTS {problem}", red=True)

    def problems(self) -> list[str]:
        found = self.audit.refusals()
        if self.whole and self.journeys and self.journeys <= self.ended:
            unused = self.audit.unused()
            found += [f"never used, and no reason in UNUSED: {each}" for each in unused]
        return found


JUDGE = pytest.StashKey[Judge]()


def pytest_configure(config: pytest.Config) -> None:
    judge = config.stash[JUDGE] = Judge()
    config.pluginmanager.register(judge)


def read(audit: Audit, sites: Iterable[Site]) -> None:
    """The log of each API server, and what was rotated away of it."""
    for site in sites:
        logs = site.folder_of(site.cluster.control_plane) / "logs"
        for path in logs.glob("audit*.log"):
            with path.open() as log:
                audit.read(log)
