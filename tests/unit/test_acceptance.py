"""How tests become verdicts: the table, and the plugin in a real run of pytest."""

from pathlib import Path

import pytest

from tests.acceptance import Outcome, Showing, Verdict, joined, line, rows_of, total, verdict

pytest_plugins = ["pytester"]

WHOLE, PART = True, False

LIST = """\
| Decision | We do |
| --- | --- |
| X10 | both |

| Row | Sentence | Seed |
| --- | --- | --- |
| A01 | A **node** appears | S2:3 |
| A02 | It is big | S2:4 |
| B01 | It shrinks | S2:5 |
"""


@pytest.mark.parametrize(
    ("showings", "says"),
    [
        ([], "not yet"),
        ([(WHOLE, "passed")], "passes"),
        ([(WHOLE, "passed"), (WHOLE, "passed")], "passes"),
        ([(WHOLE, "passed"), (PART, "passed")], "passes"),
        ([(PART, "passed")], "not yet"),
        ([(WHOLE, "skipped")], "not yet"),
        ([(WHOLE, "passed"), (WHOLE, "skipped")], "not yet"),
        ([(WHOLE, "passed"), (PART, "not run")], "not yet"),
        ([(WHOLE, "failed"), (WHOLE, "passed")], "fails"),
        ([(WHOLE, "skipped"), (PART, "failed")], "fails"),
    ],
)
def test_a_row_is_as_good_as_the_tests_that_carry_it(
    showings: list[tuple[bool, Outcome]], says: Verdict
) -> None:
    assert verdict([Showing(whole, outcome) for whole, outcome in showings]) == says


@pytest.mark.parametrize(
    ("phases", "outcome"),
    [
        ([("setup", "passed")], "not run"),
        ([("setup", "passed"), ("call", "passed"), ("teardown", "passed")], "passed"),
        ([("setup", "skipped"), ("teardown", "passed")], "skipped"),
        ([("setup", "passed"), ("call", "skipped"), ("teardown", "passed")], "skipped"),
        ([("setup", "failed"), ("teardown", "passed")], "failed"),
        ([("setup", "passed"), ("call", "passed"), ("teardown", "failed")], "failed"),
    ],
)
def test_a_test_is_as_good_as_its_phases(phases: list[tuple[str, str]], outcome: Outcome) -> None:
    so_far: Outcome = "not run"
    for phase, result in phases:
        so_far = joined(so_far, phase, result)
    assert so_far == outcome


def test_rows_are_read_from_the_tables_and_decisions_are_not_rows() -> None:
    assert rows_of(LIST) == {"A01": "A node appears", "A02": "It is big", "B01": "It shrinks"}


def test_the_list_of_this_project_has_its_157_rows(pytestconfig: pytest.Config) -> None:
    rows = rows_of((pytestconfig.rootpath / "docs/acceptance.md").read_text())
    assert len(rows) == 157
    assert (min(rows), max(rows)) == ("A01", "L24")


def test_a_long_sentence_is_cut_to_the_terminal() -> None:
    assert line("A01", "passes", "A node appears", width=80) == "A01  passes   A node appears"
    assert line("A01", "not yet", "A node appears", width=20) == "A01  not yet  A nod…"


def test_the_total_counts_each_verdict() -> None:
    assert total(["passes", "not yet", "passes"]) == "2 passes, 0 fails, 1 not yet"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project of its own with three rows, in which pytest can be run."""
    pytester.makeini(
        "[pytest]\nmarkers =\n  row(*ids): whole\n  part_of_row(*ids): part\n"
        "addopts = -p tests.acceptance --disable-plugin-autoload -p no:cacheprovider -q\n"
    )
    docs = Path(pytester.mkdir("docs"))
    (docs / "acceptance.md").write_text(LIST)
    return pytester


def test_only_carriers_run_and_every_row_is_printed(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.row("A01")
        def test_shows_it(): ...

        @pytest.mark.part_of_row("A02", "A01")
        def test_shows_a_piece(): ...

        def test_shows_nothing():
            assert False
        """
    )
    run = project.runpytest("--acceptance")
    assert run.ret == pytest.ExitCode.OK
    assert run.outlines[-4:] == [
        "A01  passes   A node appears",
        "A02  not yet  It is big",
        "B01  not yet  It shrinks",
        "1 passes, 0 fails, 2 not yet",
    ]


def test_any_run_can_end_with_the_verdicts(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.row("A01")
        def test_shows_it(): ...

        def test_shows_nothing():
            assert False
        """
    )
    run = project.runpytest("--verdicts")
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed" in run.stdout.str()
    assert run.outlines[-4] == "A01  passes   A node appears"
    assert run.outlines[-1] == "1 passes, 0 fails, 2 not yet"


def test_a_failure_fails_its_row_and_the_run(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.part_of_row("B01")
        def test_breaks():
            assert False
        """
    )
    run = project.runpytest("--acceptance")
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    assert run.outlines[-2:] == ["B01  fails    It shrinks", "0 passes, 1 fails, 2 not yet"]


def test_a_test_left_out_by_name_keeps_its_row_from_passing(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.row("A01")
        def test_first(): ...

        @pytest.mark.row("A01")
        def test_second(): ...
        """
    )
    run = project.runpytest("--acceptance", "-k", "first")
    assert run.ret == pytest.ExitCode.OK
    assert run.outlines[-1] == "0 passes, 0 fails, 3 not yet"


def test_no_carriers_at_all_is_not_a_failure(project: pytest.Pytester) -> None:
    project.makepyfile("def test_shows_nothing(): ...")
    run = project.runpytest("--acceptance")
    assert run.ret == pytest.ExitCode.OK
    assert run.outlines[-1] == "0 passes, 0 fails, 3 not yet"


def test_an_unknown_row_is_an_error_of_its_file_in_every_run(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        class TestJourney:
            @pytest.mark.row("Z99")
            def test_shows_it(self): ...
        """
    )
    run = project.runpytest()
    assert run.ret == pytest.ExitCode.INTERRUPTED
    run.stdout.fnmatch_lines(["*test_shows_it carries 'Z99': no such row in docs/acceptance.md*"])


def test_processes_that_share_a_run_give_one_verdict(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.row("A01")
        def test_shows_it(): ...

        @pytest.mark.row("A02")
        def test_is_broken():
            assert False
        """
    )
    run = project.runpytest("--acceptance", "-p", "xdist", "-n", "2")
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    assert run.outlines[-4:] == [
        "A01  passes   A node appears",
        "A02  fails    It is big",
        "B01  not yet  It shrinks",
        "1 passes, 1 fails, 1 not yet",
    ]
