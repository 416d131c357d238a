"""What `explain` takes."""

import click
import pytest

from liqo.cli.explain.verbs import capacity


def test_a_node_must_be_named() -> None:
    with pytest.raises(click.MissingParameter, match="node"):
        capacity.make_context("x", [])


def test_it_is_told_to_people_unless_a_form_is_asked_for() -> None:
    said = capacity.make_context("x", ["milan"]).params
    assert (said["node"], said["namespace"], said["form"]) == ("milan", "", None)
    assert capacity.make_context("x", ["milan", "-o", "json"]).params["form"] == "json"
