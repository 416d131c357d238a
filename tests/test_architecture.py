"""What docs/architecture.md promises about the tree and ruff, mypy and import-linter cannot see."""

import ast
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import liqo
from liqo.api.meta import Model
from tests import markdown

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/liqo"

LONGEST_FILE = 400  # lines; a file that reaches it has two subjects
LONGEST_EXAMPLE = 30  # lines that do something: more is not read before it is copied
BANNED_NAMES = {"utils", "helpers", "common", "manager", "handler", "data"}

# Modules that no unit test mirrors, and why. Nothing else is without one.
DECLARES_ONLY = {
    "errors.py": "a class and its drawing",
    "playground/errors.py": "a class and its drawing",
    "plugin/errors.py": "a class and its drawing",
    "runtime/errors.py": "two classes and their drawing",
    "runtime/sights.py": "two names",
}
# Their whole work is on real clusters: a unit test would only repeat the calls.
SHOWN_ON_CLUSTERS: Mapping[str, str] = {  # module: the file of tests/e2e that covers it
    "cli/uninstalling.py": "tests/e2e/test_install.py",
    "install/applying.py": "tests/e2e/test_install.py",
    "install/removal.py": "tests/e2e/test_install.py",
    "install/surroundings.py": "tests/e2e/test_install.py",
}

HTTP_DOORS = {
    "kube/http.py",
    "runtime/health.py",
    "kubelet/api/server.py",
    "webhooks/server.py",
    "metrics/server.py",
    "plugin/http.py",
}

# Written so that they do not match themselves.
MACHINE_PATH = re.compile(r"(?<![\w.}~])/(?:root/|work/|home/[a-z])")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|(?:proxy|sum)\.golang\.org|npmjs\.org|deb\.debian\.org)\b"
)
ADR_PARTS = ["Context", "Decision", "Price", "When to think again"]
REQUIREMENT = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
LOCKS = ("requirements.lock", "deploy/image/requirements.lock")


def files(pattern: str) -> list[Path]:
    """Our own files, without what tools and playgrounds leave beside them."""
    left_behind = re.compile(r"\.(?!ci$)|build$|dist$|liqo_kubeconf_")
    ours = [path for path in ROOT.iterdir() if not left_behind.match(path.name)]
    found = [path for start in ours if start.is_dir() for path in start.rglob(pattern)]
    found += [path for path in ours if path.is_file() and path.match(pattern)]
    return sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def texts() -> Iterator[tuple[Path, str]]:
    for path in files("*"):
        try:
            yield path, path.read_text()
        except UnicodeDecodeError:
            continue  # a picture or an archive


def modules() -> dict[str, Path]:
    """Every module of the product, by its path inside the package; packages' own files left out."""
    paths = [path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]
    return {path.relative_to(SOURCE).as_posix(): path for path in paths}


def imports(path: Path) -> set[str]:
    """The top-level names that a module imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def descendants(model: type[Model]) -> Iterator[type[Model]]:
    for child in model.__subclasses__():
        yield child
        yield from descendants(child)


def locked(lock: str) -> set[tuple[str, str]]:
    return set(REQUIREMENT.findall((ROOT / lock).read_text()))


def dead_links(page: Path) -> Iterator[str]:
    for link in markdown.links(page.read_text()):
        if re.match(r"[a-z]+:", link):
            continue  # another site, or a mail address
        target, _, anchor = link.partition("#")
        place = (page.parent / target).resolve() if target else page
        if not place.exists() or (anchor and anchor not in markdown.anchors(place.read_text())):
            yield link


def test_no_file_has_two_subjects() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in files("*.py")}
    assert {path for path, length in lengths.items() if length > LONGEST_FILE} == set()


@pytest.mark.parametrize("example", files("fixed_*.py"), ids=name)
def test_a_resource_plugin_is_thirty_lines(example: Path) -> None:
    assert len(list(doing(example.read_text()))) <= LONGEST_EXAMPLE


def doing(text: str) -> Iterator[str]:
    """Lines without blank ones, comments and docstrings."""
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    nodes = [each for each in ast.walk(ast.parse(text)) if isinstance(each, documented)]
    said = [each.body[0] for each in nodes if ast.get_docstring(each) is not None]
    quiet = {line for each in said for line in range(each.lineno, (each.end_lineno or 0) + 1)}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#") and number not in quiet:
            yield line


def test_every_module_says_in_its_docstring_what_it_is() -> None:
    written = [path for path in files("*.py") if path.read_text().strip()]
    silent = [name(path) for path in written if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    parts = {path: {path.stem, *path.relative_to(ROOT).parts} for path in files("*.py")}
    assert [name(path) for path, words in parts.items() if words & BANNED_NAMES] == []


def test_every_module_has_its_unit_test() -> None:
    expected = set(modules()) - set(DECLARES_ONLY) - set(SHOWN_ON_CLUSTERS)
    mirrors = {path: f"tests/unit/{Path(path).parent}/test_{Path(path).name}" for path in expected}
    missing = [mirror for mirror in mirrors.values() if not (ROOT / mirror).is_file()]
    assert sorted(missing) == []


def test_every_exception_from_the_mirror_is_still_one() -> None:
    assert set(DECLARES_ONLY) | set(SHOWN_ON_CLUSTERS) <= set(modules())
    assert {test for test in SHOWN_ON_CLUSTERS.values() if not (ROOT / test).is_file()} == set()


def test_every_known_pitfall_has_its_test_or_its_limit() -> None:
    """Of the original, by number: S are those of security, R of correctness and races."""
    known = {*(f"S{number}" for number in range(1, 10)), *(f"R{number}" for number in range(1, 29))}
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    tested = re.findall(r"def test_(?:\w+?_)??([sr]\d+)_", tests, re.IGNORECASE)
    limits = re.findall(r"\b([SR]\d+)\b", (ROOT / "docs/limits.md").read_text())
    assert sorted(known - {number.upper() for number in tested} - set(limits)) == []


def test_every_model_is_frozen() -> None:
    for module in pkgutil.walk_packages(liqo.__path__, "liqo."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert [model for model in descendants(Model) if not model.__struct_config__.frozen] == []


def test_http_has_six_doors() -> None:
    users = {path for path, source in modules().items() if "aiohttp" in imports(source)}
    assert users - HTTP_DOORS == set()


def test_nothing_knows_the_machine_it_was_written_on() -> None:
    found = {name(path): MACHINE_PATH.findall(text) for path, text in texts()}
    assert {path: paths for path, paths in found.items() if paths} == {}


def test_nothing_names_a_package_registry() -> None:
    """Where packages come from is a setting of the machine, not of the project."""
    found = {name(path): REGISTRY.findall(text) for path, text in texts()}
    assert {path: hosts for path, hosts in found.items() if hosts} == {}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert [line for line in text.splitlines() if "://" in line] == []
    assert text.count("==") > 0
    assert "--hash=sha256:" in text


def test_the_image_has_the_versions_that_were_tested() -> None:
    everything, image = map(locked, LOCKS)
    assert image - everything == set()


@pytest.mark.parametrize("page", files("*.md"), ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(dead_links(page)) == []


@pytest.mark.parametrize("record", sorted((ROOT / "docs/adr").glob("*.md")), ids=name)
def test_a_decision_says_why_at_what_price_and_until_when(record: Path) -> None:
    title, *parts = markdown.headings(record.read_text())
    assert title.startswith(f"{record.name[:4]}. ")
    assert parts == ADR_PARTS


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs/adr").glob("*.md"))
    assert numbers[0] == 1
    assert all(after == before + 1 for before, after in pairwise(numbers))


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = [line for group in (project["dependencies"], *extras) for line in group]
    names = {re.split(r"[<>=\[]", line)[0] for line in wanted} - {"liqo"}
    reasons = list(markdown.table_rows((ROOT / "docs/adr/0006-dependencies.md").read_text()))
    explained = {markdown.plain(cells[0]) for cells in reasons}
    assert names - explained == set()


def test_the_map_shows_every_package() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {package for package in packages if f"── {package}/" not in page} == set()
