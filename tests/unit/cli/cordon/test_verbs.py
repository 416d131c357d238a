"""What `cordon` and its relatives take, and which of them ask first."""

import click
import pytest

from liqo.cli.cordon import verbs
from liqo.errors import LiqoError
from tests.unit.cli.calling import called

OF_ROME = "mypool --remote-cluster-id rome"


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        (verbs.cordon_tenant, "rome"),
        (verbs.drain_tenant, "rome"),
        (verbs.cordon_slice, OF_ROME),
        (verbs.uncordon_slice, OF_ROME),
    ],
)
async def test_what_hurts_is_not_done_unasked(verb: click.Command, words: str) -> None:
    with pytest.raises(LiqoError, match="potentially destructive command"):
        await called(verb, words)


@pytest.mark.parametrize("verb", [verbs.cordon_slice, verbs.uncordon_slice])
def test_the_consumer_of_a_slice_must_be_named(verb: click.Command) -> None:
    with pytest.raises(click.MissingParameter, match="remote_cluster_id"):
        verb.make_context("x", ["mypool"])
