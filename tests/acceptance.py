"""`pytest --acceptance`: which promises of docs/acceptance.md the tests show to be kept.

It runs the tests that carry a row, and no others; `pytest --verdicts` runs all that it would run
anyway.

A test carries a row by a marker: `@pytest.mark.row("I02")` shows the row's whole sentence,
`@pytest.mark.part_of_row("I02")` a piece of it.

    the tests that carry a row                          | the row
    ----------------------------------------------------+--------
    one failed, whichever marker it has                 | fails
    all passed, and one of them shows the whole         | passes
    none; only pieces; or one was skipped or did not run | not yet
"""

import re
import shutil
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

from tests import markdown
from tests.shared import output_of

Verdict: TypeAlias = Literal["passes", "fails", "not yet"]
Outcome: TypeAlias = Literal["passed", "failed", "skipped", "not run"]

LIST = Path("docs/acceptance.md")
ROW_ID = re.compile(r"[A-L]\d\d")  # X1 to X16 are decisions
WHOLE, PART = "row", "part_of_row"
ROWS = pytest.StashKey[Mapping[str, str]]()


@dataclass(frozen=True)
class Showing:
    """What one test says about one row."""

    whole: bool
    outcome: Outcome


def rows_of(text: str) -> dict[str, str]:
    """The rows of the acceptance list: id and sentence."""
    tables = markdown.table_rows(text)
    return {cells[0]: markdown.plain(cells[1]) for cells in tables if ROW_ID.fullmatch(cells[0])}


def verdict(showings: Sequence[Showing]) -> Verdict:
    """The table of this module's docstring."""
    outcomes = {showing.outcome for showing in showings}
    if "failed" in outcomes:
        return "fails"
    if outcomes == {"passed"} and any(showing.whole for showing in showings):
        return "passes"
    return "not yet"


def joined(so_far: Outcome, phase: str, result: str) -> Outcome:
    """A test's outcome after one more of its phases: setup, call, teardown."""
    if so_far == "failed" or result == "failed":
        return "failed"
    if so_far == "skipped" or result == "skipped":
        return "skipped"
    return "passed" if phase == "call" else so_far


def line(row: str, says: Verdict, sentence: str, width: int) -> str:
    text = f"{row}  {says:<7}  {sentence}"
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def total(verdicts: Iterable[Verdict]) -> str:
    count = Counter(verdicts)
    return f"{count['passes']} passes, {count['fails']} fails, {count['not yet']} not yet"


def carried(item: pytest.Item) -> Iterator[tuple[str, bool]]:
    """The rows that a test carries, and whether it shows the whole of each."""
    for name in (WHOLE, PART):
        for marker in item.iter_markers(name):
            yield from ((str(row), name == WHOLE) for row in marker.args)


@dataclass(eq=False)  # a plugin is itself and no other: other plugins keep it in sets
class Acceptance:
    """One run: selects, watches, reports."""

    rows: Mapping[str, str]
    alone: bool  # the tests that carry a row
    carriers: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)  # by test
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # by test
    names: dict[pytest.Item, str] = field(default_factory=dict)  # before anybody adds to them

    # First, before -k and its like: a test that they leave out still keeps its row from passing.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        self.names = {item: item.nodeid for item in items}
        self.carriers = {item.nodeid: list(carried(item)) for item in items}
        if not self.alone:
            return
        others = [item for item in items if not self.carriers[item.nodeid]]
        items[:] = [item for item in items if self.carriers[item.nodeid]]
        config.hook.pytest_deselected(items=others)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        test = self.names[item]
        so_far = self.outcomes.get(test, "not run")
        self.outcomes[test] = joined(so_far, report.when, report.outcome)
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A process that shared the run has ended. All know all tests; each ran some."""
        told = getattr(node, "workeroutput", {}).get(__name__, {})
        self.carriers |= told.get("carriers", {})
        self.outcomes |= told.get("outcomes", {})

    # Outermost, so that the total is the last line, after pytest's own.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        output = output_of(session.config)
        if output is not None:
            output[__name__] = {"carriers": self.carriers, "outcomes": self.outcomes}
        yield
        if output is None:
            self.print(session)

    def print(self, session: pytest.Session) -> None:
        if self.alone and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK  # no row has a test yet: that is an answer
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        assert isinstance(terminal, pytest.TerminalReporter)
        verdicts = self.verdicts()
        width = shutil.get_terminal_size((100, 24)).columns
        terminal.write_line("")
        for row, says in verdicts.items():
            colour = {"green": says == "passes", "red": says == "fails"}
            terminal.write_line(line(row, says, self.rows[row], width), **colour)
        terminal.write_line(total(verdicts.values()))

    def verdicts(self) -> dict[str, Verdict]:
        showings: dict[str, list[Showing]] = {row: [] for row in self.rows}
        for test, carries in self.carriers.items():
            for row, whole in carries:
                showings[row].append(Showing(whole, self.outcomes.get(test, "not run")))
        return {row: verdict(shown) for row, shown in showings.items()}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--acceptance",
        action="store_true",
        help=f"run the tests that carry a row of {LIST}, and print every row's verdict",
    )
    parser.addoption("--verdicts", action="store_true", help="print them after any run")


def pytest_configure(config: pytest.Config) -> None:
    rows = rows_of((config.rootpath / LIST).read_text())
    config.stash[ROWS] = rows
    alone = config.getoption("--acceptance")
    if alone or config.getoption("--verdicts"):
        config.pluginmanager.register(Acceptance(rows, alone))


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector,
) -> Generator[None, object, object]:
    """A marker with a row that is not in the list is an error of its file, in every run."""
    made = yield
    rows = collector.config.stash[ROWS]
    for item in made if isinstance(made, list) else ():
        for row, _ in carried(item):
            if row not in rows:
                raise collector.CollectError(f"{item.name} carries {row!r}: no such row in {LIST}")
    return made
