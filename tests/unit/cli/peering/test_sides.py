"""A refusal names the object, the cluster, and what to do."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli.objects import nonce_secret
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import THERE, an_object, scene
from tests.unit.kube.scripted import refuses, says


async def test_what_was_written_is_given_back() -> None:
    async with scene(milan=[says(an_object("liqo-nonce", THERE))]) as world:
        written = await world.pair.provider.put(nonce_secret(THERE, "rome"), Secret)
    assert written.key == Key(THERE, "liqo-nonce")


async def test_a_refusal_names_the_object_and_the_next_step() -> None:
    no = refuses(403, "secrets is forbidden")
    async with scene(milan=[no, no]) as world:
        with pytest.raises(LiqoError) as refused:
            await world.pair.provider.put(nonce_secret(THERE, "rome"), Secret)
    assert str(refused.value) == (
        "the remote cluster: secrets is forbidden (the Secret "
        '"liqo-tenant-rome/liqo-nonce" of the remote cluster was refused); use a kubeconfig that '
        "may, such as one of: liqoctl generate peering-user"
    )


async def test_what_a_webhook_refuses_is_no_question_of_rights() -> None:
    no = refuses(403, 'admission webhook "secret.liqo.io" denied the request: not here')
    async with scene(milan=[no, no]) as world:
        with pytest.raises(LiqoError, match="see to that, and run the same command again"):
            await world.pair.provider.put(nonce_secret(THERE, "rome"), Secret)


async def test_what_is_not_there_is_none() -> None:
    async with scene(rome=[refuses(404, "gone")]) as world:
        assert await world.pair.consumer.find(Secret, Key("a", "b")) is None
