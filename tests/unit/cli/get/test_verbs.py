"""What `get` takes."""

import click
import pytest

from liqo.cli.get.verbs import kubeconfig, nonce


@pytest.mark.parametrize(("verb", "words"), [(nonce, []), (kubeconfig, ["controlplane-milan"])])
def test_the_other_cluster_must_be_named(verb: click.Command, words: list[str]) -> None:
    with pytest.raises(click.MissingParameter, match="remote_cluster_id"):
        verb.make_context("x", words)
