"""Who is admitted, what an admitted consumer gets, and how it loses it again."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Tenant, TenantSpec, TenantStatus
from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.api.meta import Key, Meta
from liqo.provider.access import Access
from liqo.provider.certificate import Case
from liqo.provider.rights import Rights, to_cluster, to_namespace
from liqo.provider.tenant import WITHDRAWAL, State, controller, observe, plan
from liqo.rules import certificates, handshake, keys
from liqo.runtime.plan import Apply, Create, Delete, Patch, Plan, Record, do, identity
from tests import wire
from tests.unit.provider.things import (
    ADMITTED,
    CERTIFICATE,
    DOOR,
    HOME,
    NONCE,
    NOW,
    OTHER,
    REQUEST,
    a_certificate,
    a_certificate_secret,
    a_home,
    a_map,
    a_node,
    a_nonce,
    a_renew,
    a_signing_request,
    a_slice,
    a_tenant,
    holding,
    leaving,
    marked,
    roles,
)

RIGHTS = Rights("liqo-remote-controlplane", "liqo-virtual-kubelet-remote-clusterwide")
GIVEN = replace(
    RIGHTS,
    in_namespace=RoleBinding(metadata=Meta(name="inner", namespace=HOME)),
    in_cluster=ClusterRoleBinding(metadata=Meta(name="outer")),
)
TAKEN_BACK = [Delete(GIVEN.in_cluster), Delete(GIVEN.in_namespace)]  # type: ignore[arg-type]  # set above


def a_state(tenant: Tenant | None = None, **changes: Any) -> State:
    """Rome has signed, and its certificate is there."""
    tenant = tenant or a_tenant()
    state = State(
        tenant=tenant,
        home=a_home(),
        nonce=a_nonce(),
        slices=(),
        maps=(),
        renews=(),
        rights=RIGHTS,
        case=Case(tenant, "rome", tenant.spec.csr, CERTIFICATE, None, NOW),
        door=DOOR,
        now=NOW,
    )
    return replace(state, **changes)


def said(planned: Plan) -> list[tuple[str, str]]:
    return [(each.type, each.reason) for each in planned.actions if isinstance(each, Record)]


def writes(planned: Plan) -> list[object]:
    return [each for each in planned.actions if not isinstance(each, Record)]


def test_who_has_signed_gets_rights_and_all_it_needs_to_come_in() -> None:
    state = a_state()
    planned = plan(state)
    status = TenantStatus(
        tenant_namespace=HOME, auth_params=msgspec.structs.replace(DOOR, signed_crt=CERTIFICATE)
    )
    assert writes(planned) == [
        *to_namespace(state.tenant, RIGHTS),
        *to_cluster(state.tenant, RIGHTS),
        Apply(Tenant(metadata=identity(state.tenant), status=status), subresource="status"),
    ]
    assert said(planned) == [("Normal", "Reconciled")]
    assert planned.wake_after is not None


def test_the_status_has_the_fields_that_were_captured() -> None:
    [status] = [each for each in writes(plan(a_state())) if isinstance(each, Apply)]
    written = msgspec.to_builtins(status.object)
    [captured] = wire.captured(Tenant)[:1]
    assert written["status"].keys() == captured["status"].keys()
    assert written["status"]["authParams"].keys() == captured["status"]["authParams"].keys()
    assert written["status"]["tenantNamespace"] == captured["status"]["tenantNamespace"]


def test_a_proxy_is_passed_on() -> None:
    [*_, status, _] = plan(a_state(a_tenant(proxy_url="http://10.71.0.2:8118"))).actions
    assert isinstance(status, Apply)
    assert isinstance(status.object, Tenant)
    assert status.object.status.auth_params == msgspec.structs.replace(
        DOOR, signed_crt=CERTIFICATE, proxy_url="http://10.71.0.2:8118"
    )


def test_R24_what_is_said_already_is_not_said_again() -> None:
    planned = plan(a_state(a_tenant(status=ADMITTED)))
    assert [type(each) for each in planned.actions] == [Create, Create]


def test_a_new_tenant_is_held_before_anything_is_made_for_it() -> None:
    tenant = a_tenant()
    bare = msgspec.structs.replace(
        tenant, metadata=msgspec.structs.replace(tenant.metadata, finalizers=())
    )
    held = {"metadata": {"finalizers": [labels.TENANT_FINALIZER]}}
    assert plan(a_state(bare)).actions[0] == Patch(bare, held, only_if_unchanged=True)


def test_while_the_certificate_is_made_nothing_is_said_yet() -> None:
    state = a_state()
    waiting = replace(state, case=replace(state.case, kept=b""))
    asked, *given = plan(waiting).actions
    assert isinstance(asked, Create)
    assert given == [*to_namespace(state.tenant, RIGHTS), *to_cluster(state.tenant, RIGHTS)]


def test_a_certificate_that_was_renewed_is_told() -> None:
    newer = a_certificate(born=NOW + timedelta(days=1))
    state = a_state(a_tenant(status=ADMITTED))
    planned = plan(replace(state, case=replace(state.case, kept=newer)))
    assert said(planned) == [("Normal", "CertificateRenewed")]


def test_who_is_trusted_without_handshake_gets_the_rights_of_its_users_alone() -> None:
    tenant = Tenant(
        metadata=a_tenant().metadata,
        spec=TenantSpec(cluster_id="rome", authz_policy="TolerateNoHandshake"),
    )
    planned = plan(a_state(tenant, nonce=None))
    status = TenantStatus(tenant_namespace=HOME)
    assert writes(planned) == [
        *to_cluster(tenant, RIGHTS),
        Apply(Tenant(metadata=identity(tenant), status=status), subresource="status"),
    ]


def refused(state: State) -> str:
    """The reason, where nothing else is done."""
    [only] = plan(state).actions
    assert isinstance(only, Record)
    assert only.type == "Warning"
    return only.reason


def test_R15_who_has_not_signed_gets_nothing_but_a_warning_that_says_why() -> None:
    assert refused(a_state(nonce=None)) == "NonceNotFound"
    assert refused(a_state(nonce=a_nonce(b""))) == "NonceNotFound"
    assert refused(a_state(a_tenant(signature=b"x" * 64))) == "SignatureVerificationFailed"
    assert refused(a_state(a_tenant(public_key=b"rubbish"))) == "SignatureVerificationFailed"


def test_S2_the_signature_of_an_older_nonce_is_no_good() -> None:
    newer = a_nonce(handshake.nonce(b"n" * 64))
    assert refused(a_state(nonce=newer)) == "SignatureVerificationFailed"


def test_S1_a_request_for_more_than_its_own_name_is_refused() -> None:
    other = certificates.request(keys.private_pem(OTHER), "liqo.io", "rome")
    for csr in (b"", b"rubbish", other, certificates.request(keys.private_pem(OTHER), "x", "y")):
        assert refused(a_state(a_tenant(csr=csr))) == "InvalidCSR"


def test_S3_a_tenant_outside_its_namespace_is_refused() -> None:
    assert refused(a_state(home=None)) == "TenantNamespaceCreationFailed"
    elsewhere = a_home(**{labels.REMOTE_CLUSTER_ID: "paris"})
    assert refused(a_state(home=elsewhere)) == "TenantNamespaceCreationFailed"


def test_without_the_roles_of_the_installation_nobody_is_admitted() -> None:
    assert refused(a_state(rights=Rights())) == "ClusterRolesBindingFailed"


def with_key_of_another() -> Tenant:
    pem = keys.private_pem(OTHER)
    return a_tenant(
        status=ADMITTED,
        public_key=keys.public_pem(OTHER.public_key()),
        csr=certificates.request(pem, "liqo.io", "rome"),
        signature=handshake.sign(pem, NONCE),
    )


def test_R1_a_consumer_installed_anew_is_admitted_with_its_new_key() -> None:
    newer = a_certificate(key=OTHER)
    state = a_state(with_key_of_another())
    planned = plan(replace(state, case=replace(state.case, kept=newer)))
    assert said(planned) == [("Normal", "CertificateRenewed")]


@pytest.mark.parametrize(
    "left", [{"slices": (a_slice(),)}, {"maps": (a_map(),)}, {"renews": (a_renew(),)}]
)
def test_R1_a_second_cluster_with_the_same_id_is_refused(left: dict[str, Any]) -> None:
    assert refused(a_state(with_key_of_another(), **left)) == "InvalidCSR"


def test_R1_the_same_key_in_another_request_is_the_same_cluster() -> None:
    planned = plan(a_state(a_tenant(status=ADMITTED), slices=(a_slice(),)))
    assert said(planned) == []


def test_without_an_address_or_a_signer_somebody_should_know() -> None:
    assert said(plan(a_state(door=None))) == [("Warning", "AuthParamsFailed")]
    state = a_state()
    denied = replace(state.case, kept=b"", signing=a_signing_request("x", "Denied"))
    assert said(plan(replace(state, case=denied))) == [("Warning", "AuthParamsFailed")]


def test_a_cordoned_tenant_marks_its_slices_and_an_active_one_clears_them() -> None:
    free, cordoned = a_slice(), marked(a_slice(), cordon_tenant="true")
    mark = {"metadata": {"annotations": {labels.CORDON_TENANT: "true"}}}
    clear = {"metadata": {"annotations": {labels.CORDON_TENANT: None}}}
    cordon = a_tenant(status=ADMITTED, tenant_condition="Cordoned")
    assert plan(a_state(cordon, slices=(free, cordoned))).actions[0] == Patch(free, mark)
    active = a_tenant(status=ADMITTED)
    assert plan(a_state(active, slices=(free, cordoned))).actions[0] == Patch(cordoned, clear)


def test_a_drained_tenant_loses_rights_slices_and_namespaces_but_not_its_renew() -> None:
    drained = a_tenant(status=ADMITTED, tenant_condition="Drained")
    left: dict[str, Any] = {"slices": (a_slice(),), "maps": (a_map(),), "renews": (a_renew(),)}
    planned = plan(a_state(drained, rights=GIVEN, **left))
    assert writes(planned) == [*TAKEN_BACK, Delete(a_slice()), Delete(a_map())]
    assert said(planned) == [
        ("Normal", "ClusterRolesUnbindingSuccess"),
        ("Normal", "ResourceSlicesDeleted"),
        ("Normal", "NamespaceMapsDeleted"),
    ]
    assert plan(a_state(drained)) == do()


def test_R7_who_leaves_keeps_its_rights_while_it_takes_back_what_it_asked_for() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW - timedelta(seconds=4))
    assert plan(a_state(tenant, rights=GIVEN, renews=(a_renew(),))) == do(wake_after=6.0)


def released(tenant: Tenant) -> Patch:
    return Patch(tenant, {"metadata": {"finalizers": None}}, only_if_unchanged=True)


def test_R7_what_is_left_after_that_is_deleted_and_nobody_waits_any_longer() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW - WITHDRAWAL)
    planned = plan(a_state(tenant, rights=GIVEN, renews=(a_renew(),), nonce=None))
    assert planned == do(*TAKEN_BACK, Delete(a_renew()), released(tenant))


def test_S2_the_nonce_of_a_tenant_that_left_is_forgotten() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW)
    forgotten = Patch(a_nonce(), {"data": {"nonce": None}})
    assert plan(a_state(tenant)) == do(forgotten, released(tenant))
    assert plan(a_state(tenant, nonce=a_nonce(b""))) == do(released(tenant))


def test_who_has_been_released_is_left_alone() -> None:
    tenant = leaving(a_tenant(), NOW)
    bare = msgspec.structs.replace(
        tenant, metadata=msgspec.structs.replace(tenant.metadata, finalizers=())
    )
    assert plan(a_state(bare)) == do()


def test_what_is_observed_is_all_that_is_decided_upon() -> None:
    own = msgspec.structs.replace(
        a_slice(), metadata=Meta(name="own", namespace=HOME, resource_version="1")
    )
    things = (a_home(), a_nonce(), a_nonce(namespace="elsewhere"), a_slice(), own, a_map())
    node = a_node("control-plane", ("InternalIP", "10.200.0.12"))
    kept = a_certificate_secret(CERTIFICATE, REQUEST)
    tenant = a_tenant()
    here = holding(tenant, *things, a_renew(), *roles(), node, kept)
    found = observe(here, Access(ca=b"ca"), lambda: NOW, tenant.key)
    assert found == a_state(slices=(a_slice(),), maps=(a_map(),), renews=(a_renew(),))
    assert observe(here, Access(), lambda: NOW, Key(HOME, "paris")) is None


def test_everything_that_is_observed_is_watched() -> None:
    here = holding()
    caches = set(controller(here, Access()).watches)
    observe(here, Access(), lambda: NOW, Key(HOME, "rome"))
    assert caches == set(here)
