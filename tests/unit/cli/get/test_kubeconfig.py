"""get kubeconfig: of an Identity that has one."""

from __future__ import annotations

import pytest

from liqo.api.authentication import Identity, IdentityStatus
from liqo.api.meta import Meta
from liqo.api.values import LocalReference
from liqo.cli.get.verbs import kubeconfig as command
from liqo.errors import LiqoError
from tests.unit.cli.answers import a_home, a_secret, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import refuses

WORDS = "controlplane-milan --remote-cluster-id milan"
HOME = things(a_home("milan"))


def identity(secret: str = "") -> Identity:
    named = LocalReference(name=secret) if secret else None
    return Identity(
        metadata=Meta(name="controlplane-milan", namespace="liqo-tenant-milan"),
        status=IdentityStatus(kubeconfig_secret_ref=named),
    )


async def test_it_is_printed_as_it_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    kept = thing(a_secret("liqo-tenant-milan", "mine", {}, kubeconfig=b"kind: Config\n"))
    requests = await called(command, WORDS, HOME, things(identity("mine")), kept)
    assert capsys.readouterr().out == "kind: Config\n"
    assert requests[-1].path.endswith("/namespaces/liqo-tenant-milan/secrets/mine")


async def test_those_that_are_there_are_told() -> None:
    with pytest.raises(LiqoError, match=r"\(there: controlplane-milan\)"):
        await called(command, "x --remote-cluster-id milan", HOME, things(identity()))


async def test_one_that_is_still_to_come_is_told() -> None:
    with pytest.raises(LiqoError, match="no kubeconfig has been made"):
        await called(command, WORDS, HOME, things(identity()))
    with pytest.raises(LiqoError, match="no kubeconfig has been made"):
        await called(command, WORDS, HOME, things(identity("mine")), refuses(404))
