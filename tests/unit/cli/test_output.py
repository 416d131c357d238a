"""Which stream, which prefix, which columns."""

import json

import pytest
import yaml

from liqo.cli.output import Output

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
