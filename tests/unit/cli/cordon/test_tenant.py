"""cordon, uncordon, drain, activate tenant: from which condition to which, and in which words."""

from __future__ import annotations

import json

import click
import pytest

from liqo.api.authentication import Tenant, TenantCondition, TenantSpec
from liqo.api.meta import Meta
from liqo.cli.cordon import verbs
from liqo.errors import LiqoError
from tests.unit.cli.answers import thing, things
from tests.unit.cli.calling import called


def known(condition: TenantCondition) -> Tenant:
    return Tenant(
        metadata=Meta(name="rome", namespace="lent"), spec=TenantSpec(tenant_condition=condition)
    )


@pytest.mark.parametrize(
    ("verb", "before", "after", "said"),
    [
        (verbs.cordon_tenant, "Active", "Cordoned", 'INFO: Tenant "rome" cordoned'),
        (verbs.uncordon_tenant, "Cordoned", "Active", 'INFO: Tenant "rome" uncordoned'),
        (verbs.drain_tenant, "Active", "Drained", 'INFO: Tenant "rome" drained'),
        (verbs.drain_tenant, "Cordoned", "Drained", 'INFO: Tenant "rome" drained'),
        (verbs.activate_tenant, "Drained", "Active", 'INFO: Tenant "rome" activated'),
        (verbs.activate_tenant, "Cordoned", "Active", 'INFO: Tenant "rome" activated'),
    ],
)
async def test_one_field_is_changed(
    verb: click.Command,
    before: TenantCondition,
    after: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = (things(known(before)), thing(known(before)))
    requests = await called(verb, "rome --skip-confirm", *script)
    assert requests[1].path.startswith(
        "/apis/authentication.liqo.io/v1beta1/namespaces/lent/tenants/rome"
    )
    assert json.loads(requests[1].body) == {"spec": {"tenantCondition": after}}
    assert capsys.readouterr().err == f"{said}\n"


@pytest.mark.parametrize(
    ("verb", "before", "said"),
    [
        (
            verbs.cordon_tenant,
            "Cordoned",
            'WARN: Tenant "rome" is not active. Activate the tenant to cordon it.',
        ),
        (
            verbs.cordon_tenant,
            "Drained",
            'WARN: Tenant "rome" is not active. Activate the tenant to cordon it.',
        ),
        (verbs.uncordon_tenant, "Active", 'WARN: Tenant "rome" is not cordoned'),
    ],
)
async def test_what_makes_no_sense_changes_nothing(
    verb: click.Command,
    before: TenantCondition,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    requests = await called(verb, "rome --skip-confirm", things(known(before)))
    assert [request.method for request in requests] == ["GET"]
    assert capsys.readouterr().err == f"{said}\n"


async def test_an_unknown_tenant_is_told_with_those_that_are_known() -> None:
    with pytest.raises(LiqoError, match=r'no Tenant "turin" in this cluster \(there: rome\)'):
        await called(verbs.activate_tenant, "turin", things(known("Active")))
