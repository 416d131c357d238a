"""Which tests stay in one process, in which order, and when their clusters end."""

import pytest

from tests.shared import CLUSTERS, FIRST, group, turn

pytest_plugins = ["pytester"]
SAID = ("with", "without", "rome ends", "cities end")


@pytest.mark.parametrize(
    ("fixtures", "name"),
    [
        (["request", "shop", "peered", "installed"], "installed"),
        (["audit", "installed"], "installed"),
        (["cities", "rome"], "cities"),
        (["targets", "crowd"], "targets"),
        (["tmp_path"], "test_x.py"),
    ],
)
def test_what_uses_the_same_clusters_stays_together(fixtures: list[str], name: str) -> None:
    assert group("test_x.py", fixtures) == name


def test_in_a_soak_what_needs_the_whole_machine_is_never_two_at_a_time() -> None:
    large = "/e2e/capacity/test_large_provider.py"
    assert group(large, ["market"]) == large
    assert group(large, ["market"], soak=True) == group("/e2e/test_many_pods.py", ["targets"])
    assert group("/e2e/test_x.py", ["market"], soak=True) == "/e2e/test_x.py"


def test_the_longest_begin_and_are_files_that_exist(pytestconfig: pytest.Config) -> None:
    known = sorted(["/e2e/test_x.py", "/e2e/test_tutorial.py", "cities", "installed"], key=turn)
    assert known == ["installed", "cities", "/e2e/test_tutorial.py", "/e2e/test_x.py"]
    journeys = pytestconfig.rootpath / "tests" / "e2e"
    assert [name for name in FIRST if name not in CLUSTERS and not (journeys / name).exists()] == []


def test_clusters_end_with_the_last_test_that_uses_them(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def cities():
            yield
            print("cities end")

        @pytest.fixture(scope="session")
        def rome(cities):
            yield
            print("rome ends")
        """
    )
    pytester.makepyfile(
        test_a="def test_1(): print('without')",
        test_b="def test_2(rome): print('with')",
        test_c="def test_3(cities): print('with')",
    )
    run = pytester.runpytest_subprocess("-p", "tests.shared", "-p", "no:xdist", "-s", "-q")
    run.assert_outcomes(passed=3)
    said = [line.strip(".") for line in run.outlines if line.strip(".") in SAID]
    assert said == ["with", "with", "rome ends", "cities end", "without"]


def test_processes_that_share_a_run_keep_clusters_apart(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makeconftest(
        """
        import os, pytest

        @pytest.fixture
        def cities(): return os.getpid()

        @pytest.fixture
        def installed(): return os.getpid()
        """
    )
    for name in "abcd":
        fixture = "cities" if name in "ab" else "installed"
        text = f"def test_it({fixture}): open('{fixture}', 'a').write(f'{{{fixture}}} ')"
        pytester.makepyfile(**{f"test_{name}": text})
    # As a process of its own: this one has its own word in the environment.
    plugins = ("-p", "tests.shared", "-p", "xdist", "-p", "no:cacheprovider")
    run = pytester.runpytest_subprocess(*plugins, "-n", "2", "--dist", "loadscope")
    run.assert_outcomes(passed=4)
    made = [(pytester.path / each).read_text().split() for each in ("cities", "installed")]
    assert [len(set(processes)) for processes in made] == [1, 1]
