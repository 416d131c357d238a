"""A real bash, with our script loaded, asks the real program what could come next."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from liqo.cli.completion import CLASSES, NAMES, script
from liqo.cli.lazy import COMPLETION_VARIABLE
from liqo.cli.main import command, run

PROGRAM = """\
#!{python}
import sys
from liqo.cli.main import main
sys.argv[0] = "{name}"
main()
"""
# What bash does when somebody presses the tab key.
PRESS_TAB = """
source "$SCRIPT"
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
compopt() {{ :; }}
$(complete -p {name} | sed "s/.*-F \\([^ ]*\\) .*/\\1/") {name}
printf "%s\\n" "${{COMPREPLY[@]}}"
"""


def offered(folder: Path, name: str, *words: str) -> list[str]:
    program = folder / name
    program.write_text(PROGRAM.format(python=sys.executable, name=name))
    program.chmod(0o755)
    (folder / "script").write_text(script("bash", command))
    quoted = " ".join(f"'{word}'" for word in (name, *words))
    pressed = subprocess.run(
        ["bash", "-c", PRESS_TAB.format(words=quoted, name=name)],
        env={
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "SCRIPT": str(folder / "script"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert pressed.stderr == ""
    return pressed.stdout.split()


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("liqoctl", ["inf"], ["info"]),
        ("kubectl-liqo", ["stat"], ["status"]),
        ("liqoctl", ["--kubeconfig", "x", "info", "p"], ["peer"]),
        ("liqoctl", ["info", "peer", "--out"], ["--output"]),
        ("liqoctl", ["info", "--output", ""], ["json", "yaml"]),
        ("liqoctl", ["completion", "z"], ["zsh"]),
    ],
)
def test_bash_completes_verbs_flags_and_values(
    name: str, words: list[str], expected: list[str], tmp_path: Path
) -> None:
    assert offered(tmp_path, name, *words) == expected


@pytest.mark.parametrize("shell", [*CLASSES, "powershell"])
def test_every_script_is_for_both_names(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["liqoctl", "completion", shell]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in NAMES)
    assert COMPLETION_VARIABLE in printed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_script_is_one_that_its_shell_can_read(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    file = tmp_path / "script"
    file.write_text(script(shell, command))
    subprocess.run([shell, "-n", str(file)], check=True)
