"""generate tenant: a proof for the provider, on stdout and nowhere else."""

from __future__ import annotations

import msgspec
import pytest
import yaml

from liqo.api.authentication import Tenant
from liqo.cli.generate.verbs import tenant as command
from liqo.errors import LiqoError
from liqo.rules import certificates, handshake, keys
from tests.unit.cli.answers import a_home, a_secret, an_installation, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import refuses

KEY = keys.new_key(tls_compatible=False)
PRIVATE, PUBLIC = keys.private_pem(KEY), keys.public_pem(KEY.public_key())
HOME = "liqo-tenant-milan"
SIGNED = a_secret(
    HOME, "liqo-signed-nonce", {}, nonce=b"text", signedNonce=handshake.sign(PRIVATE, b"text")
)
PAIR = a_secret("liqo", "authentication-keys", {}, privateKey=PRIVATE, publicKey=PUBLIC)


SCRIPT = (things(an_installation("rome")), things(a_home("milan")), things(PAIR))


@pytest.mark.parametrize("nonce", ["", "--nonce text"])
async def test_it_prints_a_tenant_that_proves_who_we_are(
    nonce: str, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = await called(
        command,
        f"--remote-cluster-id milan {nonce}",
        *SCRIPT,
        *[thing(SIGNED)] * (2 if nonce else 3),
    )
    tenant = msgspec.convert(yaml.safe_load(capsys.readouterr().out), Tenant)
    assert tenant.key == ("liqo-tenant-rome", "rome")
    assert handshake.verify(tenant.spec.public_key, b"text", tenant.spec.signature)
    assert certificates.check_request(tenant.spec.csr, "liqo.io", "rome", PUBLIC) == ""
    assert [request.method for request in requests if request.method != "GET"] == ["PATCH"]


async def test_it_is_made_for_the_place_and_the_proxy_that_were_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "--remote-cluster-id milan --remote-tenant-namespace lent --proxy-url http://p:8118"
    await called(command, words, *SCRIPT, *[thing(SIGNED)] * 3)
    made = yaml.safe_load(capsys.readouterr().out)
    assert (made["metadata"]["namespace"], made["spec"]["proxyURL"]) == ("lent", "http://p:8118")


async def test_R18_without_any_nonce_there_is_nothing_to_sign() -> None:
    with pytest.raises(LiqoError, match="nonce not provided and no nonce secret found"):
        await called(command, "--remote-cluster-id milan", *SCRIPT, refuses(404))
