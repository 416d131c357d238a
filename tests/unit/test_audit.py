"""Log lines and rights in, what is wrong with them out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from liqo.rules import names
from tests.audit import Audit, Held, Use, held, place_of, reasons, uses
from tests.rights_unused import UNUSED

CONTROLLERS, WEBHOOK = names.CONTROLLER_MANAGER, names.WEBHOOK
TENANT = "liqo-tenant-milan"


def a_line(
    verb: str, resource: str, namespace: str = "", code: int = 200, message: str = "", **more: Any
) -> str:
    who = more.pop("by", CONTROLLERS)
    resource, _, part = resource.partition("/")
    about = {"resource": resource, "subresource": part, "namespace": namespace, **more}
    return json.dumps(
        {
            "user": {"username": f"system:serviceaccount:liqo:{who}"},
            "verb": verb,
            "objectRef": {name: value for name, value in about.items() if value},
            "responseStatus": {"code": code, "message": message},
        }
    )


def audit(*lines: str) -> Audit:
    made = Audit()
    made.read(lines)
    return made


def test_a_request_is_read_with_its_subresource() -> None:
    line = a_line("patch", "tenants/status", TENANT, apiGroup="authentication.liqo.io", name="rome")
    assert list(uses([line])) == [
        Use(CONTROLLERS, "patch", "authentication.liqo.io", "tenants/status", TENANT, "rome")
    ]


@pytest.mark.parametrize(
    "line",
    [
        a_line("list", "pods", by="liqo-peer-1"),  # somebody whom we let in
        json.dumps(
            {"user": {"username": "system:serviceaccount:liqo:liqo-webhook"}, "verb": "get"}
        ),
        json.dumps({"user": {"username": "admin"}, "verb": "list"}),
    ],
)
def test_others_and_what_is_about_no_object_are_left_out(line: str) -> None:
    assert list(uses([line])) == []


def test_a_right_is_used_where_it_is_held() -> None:
    at_home = Held(CONTROLLERS, "liqo", "", "secrets", "patch")
    everywhere = Held(CONTROLLERS, "everywhere", "", "secrets", "patch")
    [use] = uses([a_line("patch", "secrets", TENANT)])
    assert (at_home.allows(use), everywhere.allows(use)) == (False, True)
    assert [place_of(name) for name in ("", "liqo", "default", TENANT)] == [
        "everywhere",
        "liqo",
        "default",
        "tenants",
    ]


def test_a_right_on_one_name_is_used_for_that_name() -> None:
    named = Held(WEBHOOK, "liqo", "", "secrets", "list", "liqo-webhook-certs")
    mine, another = uses(
        a_line("list", "secrets", "liqo", by=WEBHOOK, name=name)
        for name in ("liqo-webhook-certs", "authentication-keys")
    )
    assert (named.allows(mine), named.allows(another)) == (True, False)


def test_an_apply_that_creates_uses_both_rights() -> None:
    create = Held(CONTROLLERS, "everywhere", "", "secrets", "create")
    made, changed = uses(a_line("patch", "secrets", TENANT, code) for code in (201, 200))
    assert (create.allows(made), create.allows(changed)) == (True, False)


def test_what_was_refused_is_reported() -> None:
    line = a_line("list", "pods", code=403, message="pods is forbidden: User cannot list")
    assert audit(line, line).refusals() == [f"{CONTROLLERS}: list pods in the whole cluster"]


@pytest.mark.parametrize(
    "message",
    [
        "unable to create new content in namespace x because it is being terminated",
        "admission webhook denied the request",
    ],
)
def test_a_refusal_for_another_reason_than_rights_is_none(message: str) -> None:
    assert audit(a_line("create", "pods", TENANT, 403, message)).refusals() == []


def test_a_binding_in_a_tenant_namespace_may_come_late() -> None:
    assert audit(a_line("list", "secrets", TENANT, 403)).refusals() == []
    assert audit(a_line("list", "secrets", "kube-system", 403, by=WEBHOOK)).refusals() != []


@pytest.mark.parametrize("code", [200, 403])
@pytest.mark.parametrize("verb", ["list", "watch"])
def test_nobody_asks_for_all_secrets(verb: str, code: int) -> None:
    [first, *_] = audit(a_line(verb, "secrets", code=code)).refusals()
    assert first.startswith(f"{CONTROLLERS}: {verb} secrets in the whole cluster")


def test_a_right_never_used_is_reported_unless_there_is_a_reason() -> None:
    unused = audit().unused()
    assert f"{CONTROLLERS}: list pods (everywhere)" in unused
    assert f"{CONTROLLERS}: watch secrets (tenants)" in unused
    assert not any(": bind " in each for each in unused)
    assert f"{CONTROLLERS}: list pods (everywhere)" not in audit(a_line("list", "pods")).unused()


def test_every_reason_is_about_a_right_that_is_held() -> None:
    explained = {why for right in held() for why in reasons(right)}
    assert {why for table in UNUSED.values() for _, why in table} == explained
