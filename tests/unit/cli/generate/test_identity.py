"""generate identity: what a verified Tenant was granted, and why one was not."""

from __future__ import annotations

import pytest
import yaml

from liqo.api.authentication import AuthParams, Tenant, TenantSpec, TenantStatus
from liqo.api.meta import Meta
from liqo.cli.generate.verbs import identity as command
from liqo.errors import LiqoError
from tests.unit.cli.answers import a_home, an_installation, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import a_watch

MILAN = (things(an_installation("milan")), things(a_home("rome")))
WORDS = "--remote-cluster-id rome"


def tenant(granted: AuthParams | None = None, consumer: str = "rome") -> Tenant:
    return Tenant(
        metadata=Meta(name=consumer, namespace="liqo-tenant-rome", uid="u", resource_version="3"),
        spec=TenantSpec(cluster_id=consumer),
        status=TenantStatus(auth_params=granted),
    )


async def test_it_prints_what_the_consumer_was_granted(capsys: pytest.CaptureFixture[str]) -> None:
    there = things(tenant(AuthParams(api_server="https://m", signed_crt=b"x")))
    await called(command, WORDS, *MILAN, there, there)
    made = yaml.safe_load(capsys.readouterr().out)
    assert (made["kind"], made["metadata"]["name"]) == ("Identity", "controlplane-milan")
    assert made["metadata"]["namespace"] == "liqo-tenant-milan"
    assert made["spec"]["namespace"] == "liqo-tenant-rome"
    assert made["spec"]["authParams"]["apiServer"] == "https://m"


async def test_without_a_tenant_the_step_before_is_told() -> None:
    with pytest.raises(LiqoError, match=r'no Tenant of "rome" .* liqoctl generate tenant'):
        await called(command, WORDS, *MILAN, things(tenant(consumer="turin")))


async def test_R15_the_wait_ends_and_says_who_is_waited_for() -> None:
    there = things(tenant())
    script = (*MILAN, there, there, a_watch(stays=True))
    with pytest.raises(LiqoError, match=r'the status of the Tenant "liqo-tenant-rome/rome"'):
        await called(command, f"{WORDS} --timeout 1s", *script)
