"""What `create` takes, and what it refuses before a cluster is asked."""

import click
import pytest

from liqo.cli.create.verbs import nonce, resourceslice, virtualnode

OF_MILAN = ["--remote-cluster-id", "milan"]


@pytest.mark.parametrize("verb", [nonce, resourceslice, virtualnode])
def test_the_other_cluster_must_be_named(verb: click.Command) -> None:
    words = [] if verb is nonce else ["mine"]
    with pytest.raises(click.MissingParameter, match="remote_cluster_id"):
        verb.make_context("x", words)


@pytest.mark.parametrize("verb", [resourceslice, virtualnode])
def test_a_name_that_no_object_can_have_is_refused(verb: click.Command) -> None:
    with pytest.raises(click.BadParameter, match="My_Pool"):
        verb.make_context("x", ["My_Pool", *OF_MILAN])


def test_a_node_is_made_and_waited_for_unless_told_otherwise() -> None:
    said = virtualnode.make_context("x", ["mine", *OF_MILAN]).params
    assert (said["create_node"], said["disable_network_check"], said["timeout"]) == (
        True,
        False,
        120,
    )
