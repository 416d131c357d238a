"""Which rights our programs used, as the audit logs of a test run tell, and which they did not.

A right never used needs its reason in `tests/rights_unused.py`; a refusal needs none: it is a bug.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from liqo.install import rights
from liqo.install.rights import Right
from liqo.install.settings import NAMESPACE
from liqo.rules import names
from tests.rights_unused import UNUSED, Place

ACCOUNT = f"system:serviceaccount:{NAMESPACE}:"  # and its name
FORBIDDEN, CREATED = 403, 201
TABLES: tuple[tuple[str, Place, tuple[Right, ...]], ...] = (
    (names.CONTROLLER_MANAGER, "everywhere", rights.CONTROLLERS),
    (names.CONTROLLER_MANAGER, "liqo", rights.CONTROLLERS_AT_HOME),
    (names.CONTROLLER_MANAGER, "default", rights.CONTROLLERS_AT_THE_API_SERVER),
    (names.CONTROLLER_MANAGER, "tenants", rights.CONTROLLERS_IN_TENANTS),
    (names.WEBHOOK, "everywhere", rights.WEBHOOKS),
    (names.WEBHOOK, "liqo", rights.WEBHOOKS_AT_HOME),
    (names.WEBHOOK, "tenants", rights.WEBHOOKS_IN_TENANTS),
    (names.METRIC_AGENT, "everywhere", rights.METRIC_AGENTS),
    (names.METRIC_AGENT, "kube-system", rights.METRIC_AGENTS_AT_THE_API_SERVER),
)
PROGRAMS = frozenset(account for account, _, _ in TABLES)
# Kubernetes says 403 also for these, of requests that the rights allow.
NOT_FOR_LACK_OF_RIGHTS = (
    "being terminated",
    "admission webhook",
    "violates PodSecurity",
    "maximum cpu usage per Container",  # a LimitRange
)


@dataclass(frozen=True)
class Use:
    """One request of a program of ours."""

    account: str
    verb: str
    group: str
    resource: str  # with its subresource: "tenants/status"
    namespace: str
    name: str
    refused: bool = False
    created: bool = False

    def __str__(self) -> str:
        where = f"in {self.namespace}" if self.namespace else "in the whole cluster"
        return f"{self.account}: {self.verb} {_called(self.group, self.resource)} {where}"


@dataclass(frozen=True)
class Held:
    """One verb on one resource: the smallest piece of a right."""

    account: str
    place: Place
    group: str
    resource: str
    verb: str
    name: str = ""  # empty: whatever its name

    def __str__(self) -> str:
        name = f" {self.name}" if self.name else ""
        what = f"{self.verb} {_called(self.group, self.resource)}{name}"
        return f"{self.account}: {what} ({self.place})"

    def allows(self, use: Use) -> bool:
        return (
            (self.account, self.group, self.resource) == (use.account, use.group, use.resource)
            and self.verb in _verbs(use)
            and self.name in ("", use.name)
            and self.place in ("everywhere", place_of(use.namespace))
        )


@dataclass
class Audit:
    """What was found in the logs of a run so far."""

    uses: set[Use] = field(default_factory=set)

    def read(self, log: Iterable[str]) -> None:
        self.uses.update(uses(log))

    def refusals(self) -> list[str]:
        """Whatever part of the tests ran, nobody may have asked for this."""
        all_secrets = (f"{use}: of all namespaces" for use in self.uses if reads_all_secrets(use))
        return sorted({*all_secrets, *map(str, forbidden(self.uses))})

    def unused(self) -> list[str]:
        """When all tests ran."""
        left = (each for each in held() if not any(map(each.allows, self.uses)))
        return sorted(str(each) for each in left if not reasons(each))


def uses(log: Iterable[str]) -> Iterator[Use]:
    for line in log:
        if ACCOUNT not in line:
            continue
        event = json.loads(line)
        account = event["user"]["username"].removeprefix(ACCOUNT)
        about = event.get("objectRef", {})
        if account not in PROGRAMS or "resource" not in about:
            continue
        said = event.get("responseStatus", {})
        excused = any(words in said.get("message", "") for words in NOT_FOR_LACK_OF_RIGHTS)
        yield Use(
            account=account,
            verb=event["verb"],
            group=about.get("apiGroup", ""),
            resource="/".join(filter(None, (about["resource"], about.get("subresource")))),
            namespace=about.get("namespace", ""),
            name=about.get("name", ""),
            refused=said.get("code") == FORBIDDEN and not excused,
            created=said.get("code") == CREATED,
        )


def held() -> Iterator[Held]:
    for account, place, table in TABLES:
        for right in table:
            for resource in right.resources.split():
                for verb in right.verbs.split():
                    for name in right.only or ("",):
                        yield Held(account, place, right.group, resource, verb, name)


def forbidden(found: Iterable[Use]) -> Iterator[Use]:
    """Refused, but not for a binding in a tenant namespace that is not there yet, or any more."""
    in_tenants = [each for each in held() if each.place == "tenants"]
    for use in found:
        if use.refused and not any(each.allows(use) for each in in_tenants):
            yield use


def reads_all_secrets(use: Use) -> bool:
    return (use.group, use.resource, use.namespace) == ("", "secrets", "")


def reasons(right: Held) -> list[str]:
    """Why that right is held although it was not used."""
    return [
        why
        for each, why in UNUSED.get((right.account, right.place), ())
        if each.group == right.group
        and right.resource in each.resources.split()
        and right.verb in each.verbs.split()
        and (not each.only or right.name in each.only)
    ]


def place_of(namespace: str) -> Place:
    match namespace:
        case "":
            return "everywhere"
        case "liqo" | "default" | "kube-system":
            return namespace
        case _:
            return "tenants"


def _verbs(use: Use) -> tuple[str, ...]:
    """An object that an apply creates is created, and patched."""
    return (use.verb, "create") if use.verb == "patch" and use.created else (use.verb,)


def _called(group: str, resource: str) -> str:
    name, slash, part = resource.partition("/")
    return f"{name}.{group}{slash}{part}" if group else resource
