"""Which stream, which prefix, which columns."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest
import yaml

from liqo.cli.output import Output
from liqo.errors import LiqoError

Captured = pytest.CaptureFixture[str]


def test_messages_go_to_stderr_with_a_plain_prefix_where_there_is_no_terminal(
    capsys: Captured,
) -> None:
    out = Output()
    out.info("up")
    out.warning("slow")
    out.error("gone")
    assert capsys.readouterr() == ("", "INFO: up\nWARN: slow\nERRO: gone\n")


def test_a_result_goes_to_stdout_as_one_line(capsys: Captured) -> None:
    Output().result("text")
    Output().result("with its own end\n")
    assert capsys.readouterr() == ("text\nwith its own end\n", "")


def test_a_table_has_columns_three_spaces_apart_and_no_blanks_at_the_end(capsys: Captured) -> None:
    Output().table(["NAME", "STATUS"], [["venice", "up"], ["rome", ""]])
    assert capsys.readouterr().out == "NAME     STATUS\nvenice   up\nrome\n"


def test_an_empty_table_is_its_heading(capsys: Captured) -> None:
    Output().table(["NAME", "STATUS"], [])
    assert capsys.readouterr().out == "NAME   STATUS\n"


def test_a_document_is_read_back_as_it_was(capsys: Captured) -> None:
    value = {"name": "venice", "nodes": [{"ready": True}]}
    Output().document(value, "json")
    assert json.loads(capsys.readouterr().out) == value
    Output().document(value, "yaml")
    assert yaml.safe_load(capsys.readouterr().out) == value


def test_a_step_says_what_is_done_and_then_that_it_is(capsys: Captured) -> None:
    with Output().step("Deleting tenant", "Tenant correctly deleted"):
        pass
    assert capsys.readouterr().err == "Deleting tenant\nINFO: Tenant correctly deleted\n"


def test_a_step_that_fails_claims_nothing(capsys: Captured) -> None:
    with pytest.raises(LiqoError), Output().step("Deleting tenant", "Tenant correctly deleted"):
        raise LiqoError("no")
    assert capsys.readouterr().err == "Deleting tenant\n"


def test_without_a_terminal_nothing_is_asked_and_the_flag_is_named() -> None:
    with pytest.raises(LiqoError, match="say yes with --skip-confirm"):
        Output().confirm("uninstall", skip=False)
    Output().confirm("uninstall", skip=True)


# A process of its own, whose streams are a terminal.
ON_A_TERMINAL = """
from liqo.cli.output import Output
from liqo.errors import LiqoError
out = Output()
with out.about("remote").step("Deleting tenant", "Tenant correctly deleted"):
    import time; time.sleep(0.25)
try:
    out.confirm("uninstall", skip=False)
    out.info("as you wish")
except LiqoError as no:
    out.error(str(no))
"""


def on_a_terminal(answer: str, **environment: str) -> str:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    process = subprocess.run(
        [sys.executable, "-c", ON_A_TERMINAL],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **environment},
        check=True,
    )
    assert process.returncode == 0
    os.close(theirs)
    text = b""
    with suppress(OSError):  # so ends a terminal that nobody writes to any more
        while part := os.read(ours, 65536):  # one read may give less than what was written
            text += part
    os.close(ours)
    return text.decode()


def test_on_a_terminal_waiting_is_seen_and_the_cluster_is_named() -> None:
    text = on_a_terminal("yes", NO_COLOR="1")
    assert "  Deleting tenant (0s)" in text
    assert " INFO   (remote) Tenant correctly deleted\r\n" in text
    assert "uninstall is a potentially destructive command.\r\n" in text
    assert "Are you sure you want to continue? [yes/no] " in text
    assert " INFO  as you wish\r\n" in text


def test_any_other_answer_aborts() -> None:
    assert "ERRO \x1b[0m action aborted" in on_a_terminal("maybe")
