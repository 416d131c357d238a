"""generate peering-user: what is made, in which order, and that nothing is left of a failure."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode

import pytest
import yaml

from liqo.cli.call import Deadline, TimedOut
from liqo.cli.generate.peering_user import all_or_nothing, is_compatible, new_user
from liqo.cli.generate.verbs import peering_user as command
from liqo.cli.release import MARKS
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.rules import keys
from tests.unit.cli.answers import a_home, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import Answer, scripted

WORDS = "--consumer-cluster-id rome"
NOBODY = (things(), things())
NO_ADDRESS = [things()] * 4  # neither of an endpoint nor of a node, by three labels
NO_DEPLOYMENT, HOME = things(), things(a_home("rome"))
MADE = thing({"metadata": {"name": "made"}})
SIGNED = things(
    {
        "metadata": {"name": "liqo-peer-user-rome"},
        "status": {"certificate": b64encode(b"crt").decode()},
    }
)
ROLES = (things({"metadata": {"name": "reader"}}), things({"metadata": {"name": "writer"}}))

MAKING = (NO_DEPLOYMENT, HOME, MADE, MADE, SIGNED, *ROLES, MADE, MADE, *NO_ADDRESS)
OURS = things({"metadata": {"name": "ours", "namespace": "liqo-tenant-rome"}})


async def test_a_user_is_a_certificate_and_two_bindings(capsys: pytest.CaptureFixture[str]) -> None:
    requests = await called(command, WORDS, *NOBODY, things(), *MAKING)
    signing, approval = (json.loads(request.body) for request in requests[5:7])
    user = signing["metadata"]["name"]
    assert user == signing["metadata"]["labels"]["liqo.io/peering-user-name"]
    assert approval["status"]["conditions"][0]["message"] == (
        "This CSR was approved by liqoctl generate token"
    )
    reader, writer = (json.loads(request.body) for request in requests[10:12])
    assert reader["metadata"]["name"] == "liqo-peer-user-rome-liqo-ns-reader"
    assert writer["metadata"]["namespace"] == "liqo-tenant-rome"
    told = capsys.readouterr()
    assert told.err.count("WARN: ") == 3
    assert told.err.splitlines()[-1] == "INFO: User generated successfully"
    config = yaml.safe_load(told.out)
    assert config["clusters"][0]["name"] == "rome"
    assert config["contexts"][0]["context"] == {
        "cluster": "rome",
        "user": "rome-user",
        "namespace": "liqo-tenant-rome",
    }


@pytest.mark.parametrize("ours", [(OURS,), (things(), OURS)])
async def test_who_would_read_credentials_of_ours_is_given_nothing_unasked(
    ours: tuple[Answer, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(LiqoError, match="no terminal to ask on; say yes with --skip-confirm"):
        await called(command, WORDS, *NOBODY, HOME, *ours)
    said = 'borrows from "rome": its credentials are in the namespace "liqo-tenant-rome"'
    assert said in capsys.readouterr().err


async def test_who_borrows_both_ways_may_say_yes(capsys: pytest.CaptureFixture[str]) -> None:
    await called(command, f"{WORDS} --skip-confirm", *NOBODY, HOME, OURS, *MAKING)
    assert capsys.readouterr().out.startswith("apiVersion: v1")


async def test_a_namespace_without_credentials_of_ours_is_no_question() -> None:
    requests = await called(command, WORDS, *NOBODY, HOME, things(), things(), *MAKING)
    identities, secrets = requests[3:5]
    assert identities.path.startswith(
        "/apis/authentication.liqo.io/v1beta1/namespaces/liqo-tenant-rome/identities"
    )
    assert "labelSelector=liqo.io%2Fidentity-type" in secrets.path


async def test_R20_there_is_one_user_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    there = things({"metadata": {"name": "x"}})
    with pytest.raises(LiqoError, match="liqoctl delete peering-user --consumer-cluster-id rome"):
        await called(command, WORDS, things(), there)
    assert capsys.readouterr().err == ""


LEFT = things({"metadata": {"name": "liqo-peer-user-rome"}})


async def test_what_fails_half_way_leaves_nothing() -> None:
    async with scripted(things(), LEFT, thing({})) as server, Cluster(server.access) as here:
        with pytest.raises(LiqoError, match="half-way"):
            async with all_or_nothing(here, "rome", Deadline(10)):
                raise LiqoError("half-way")
    assert server.asked[-1].method == "DELETE"


async def test_a_certificate_that_nobody_signs_leaves_nothing() -> None:
    async with scripted(things(), LEFT, thing({})) as server, Cluster(server.access) as here:
        with pytest.raises(TimedOut, match="the certificate of the user, which nobody signs"):
            async with all_or_nothing(here, "rome", Deadline(0)):
                await asyncio.Event().wait()
    gone = server.asked[-1]
    assert gone.method == "DELETE"
    assert gone.path.endswith("/certificatesigningrequests/liqo-peer-user-rome")


@pytest.mark.parametrize(
    ("mode", "told", "compatible"),
    [
        ("auto", [], False),
        ("auto", ["--tls-compatibility-mode=true"], True),
        ("auto", ["--tls-compatibility-mode"], True),
        ("auto", ["--tls-compatibility-mode=false"], False),
        ("true", [], True),
        ("false", ["--tls-compatibility-mode=true"], False),
    ],
)
def test_the_key_is_as_liqo_is_installed_unless_said(
    mode: str, told: list[str], compatible: bool
) -> None:
    assert is_compatible(mode, {"args": told}) is compatible


async def test_auto_reads_the_flags_of_the_controllers(capsys: pytest.CaptureFixture[str]) -> None:
    container = {"name": "controller-manager", "args": ["--tls-compatibility-mode=true"]}
    spec = {"template": {"spec": {"containers": [container]}}}
    deployed = things({"metadata": {"name": "c", "labels": MARKS}, "spec": spec})
    script = (*NOBODY, things(), deployed, *MAKING[1:])
    await called(command, WORDS, *script)
    assert len(yaml.safe_load(capsys.readouterr().out)["users"][0]["user"]["client-key-data"]) > 999


def test_no_two_users_have_the_same_name() -> None:
    one, other = (new_user("rome", compatible=False) for _ in range(2))
    assert one.common_name != other.common_name
    assert len(one.common_name) == len("liqo-peer-user-rome-") + 32
    assert keys.private_pem(keys.private_key(one.key)) == one.key
