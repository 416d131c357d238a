"""Who is admitted, what an admitted consumer gets, and how it loses it again."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Renew, ResourceSlice, Tenant, TenantSpec, TenantStatus
from liqo.api.kubernetes import ClusterRole, ClusterRoleBinding, RoleBinding
from liqo.api.meta import Key, Meta
from liqo.api.offloading import NamespaceMap
from liqo.provider.access import Access
from liqo.provider.certificate import Case
from liqo.provider.rights import Rights, to_cluster, to_namespace
from liqo.provider.tenant import PACE, WITHDRAWAL, State, controller, observe, plan
from liqo.rules import certificates, handshake, keys
from liqo.runtime.plan import Apply, Create, Delete, Patch, Plan, Record, do, identity
from tests import wire
from tests.unit.provider.things import (
    ADMITTED,
    CERTIFICATE,
    DOOR,
    HOME,
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
DRAINED = a_tenant(status=ADMITTED, tenant_condition="Drained")
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
        has_left=False,
        rights=RIGHTS,
        case=Case(tenant, "rome", tenant.spec.csr, CERTIFICATE, None, NOW),
        known=None,
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


def test_R1_a_drained_tenant_loses_rights_slices_namespaces_and_its_renew() -> None:
    """Of a consumer that comes back with another key nothing is left here then."""
    left: dict[str, Any] = {"slices": (a_slice(),), "maps": (a_map(),), "renews": (a_renew(),)}
    planned = plan(a_state(DRAINED, rights=GIVEN, **left))
    assert writes(planned) == [*TAKEN_BACK, *map(Delete, (a_slice(), a_map(), a_renew()))]
    assert said(planned) == [
        ("Normal", "ClusterRolesUnbindingSuccess"),
        ("Normal", "ResourceSlicesDeleted"),
        ("Normal", "NamespaceMapsDeleted"),
    ]
    assert planned.wake_after is None
    assert plan(a_state(DRAINED)) == do()


def made_at(when: datetime, *, going: bool = False) -> ResourceSlice:
    asked = a_slice()
    ends = when.isoformat() if going else None
    metadata = msgspec.structs.replace(
        asked.metadata, creation_timestamp=when.isoformat(), deletion_timestamp=ends
    )
    return msgspec.structs.replace(asked, metadata=metadata)


@pytest.mark.parametrize(
    ("given", "asked", "goes", "wake"),
    [
        (GIVEN, made_at(NOW), True, None),
        (RIGHTS, made_at(NOW), False, 10.0),
        (RIGHTS, made_at(NOW - timedelta(seconds=4)), False, 6.0),
        (RIGHTS, made_at(NOW - PACE), True, None),
        (RIGHTS, made_at(NOW, going=True), True, None),
    ],
)
def test_what_comes_to_a_drained_tenant_by_rights_that_are_not_ours_goes_at_a_walking_pace(
    given: Rights, asked: ResourceSlice, goes: bool, wake: float | None
) -> None:
    """A replicator with a binding of an administrator's own makes it again at once."""
    planned = plan(a_state(DRAINED, rights=given, slices=(asked,)))
    assert (Delete(asked) in planned.actions) is goes
    assert (("Normal", "ResourceSlicesDeleted") in said(planned)) is goes
    assert planned.wake_after == wake


def test_of_several_that_come_to_a_drained_tenant_each_goes_in_its_time() -> None:
    old, new = made_at(NOW - PACE), made_at(NOW - timedelta(seconds=9))
    planned = plan(a_state(DRAINED, slices=(old, new, made_at(NOW)), renews=(a_renew(),)))
    assert writes(planned) == [Delete(old), Delete(a_renew())]
    assert planned.wake_after == 1.0


def test_R7_who_leaves_keeps_its_rights_while_it_takes_back_what_it_asked_for() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW - timedelta(seconds=4))
    assert plan(a_state(tenant, rights=GIVEN, renews=(a_renew(),))) == do(wake_after=6.0)


def released(tenant: Tenant) -> Patch:
    return Patch(tenant, {"metadata": {"finalizers": None}}, only_if_unchanged=True)


def test_who_has_left_for_good_is_not_waited_for() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW)
    left = a_slice()
    decided = plan(a_state(tenant, rights=GIVEN, slices=(left,), has_left=True))
    assert [*TAKEN_BACK, Delete(left)] == writes(decided)[:3]
    assert decided.wake_after is None


def test_the_word_of_leaving_is_no_request_that_could_be_left() -> None:
    copied = a_renew()
    said = {labels.WITHDRAWAL: "true"}
    mark = msgspec.structs.replace(
        copied, metadata=msgspec.structs.replace(copied.metadata, name="mark", annotations=said)
    )
    here = holding(a_tenant(), copied, mark)
    state = observe(here, Access(), lambda: NOW, a_tenant().key)
    assert state is not None
    assert (state.renews, state.has_left) == ((copied,), True)


def test_R7_what_is_left_after_that_is_deleted_and_nobody_waits_any_longer() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW - WITHDRAWAL)
    planned = plan(a_state(tenant, rights=GIVEN, renews=(a_renew(),), nonce=None))
    assert planned == do(*TAKEN_BACK, Delete(a_renew()), released(tenant))


def test_S2_the_nonce_of_a_tenant_that_left_is_forgotten() -> None:
    tenant = leaving(a_tenant(status=ADMITTED), NOW)
    forgotten = Patch(a_nonce(), {"data": {"nonce": None}})
    assert plan(a_state(tenant)) == do(forgotten, released(tenant))
    assert plan(a_state(tenant, nonce=a_nonce(b""))) == do(released(tenant))


def unheld(tenant: Tenant) -> Tenant:
    metadata = msgspec.structs.replace(tenant.metadata, finalizers=("rome/its-own",))
    return msgspec.structs.replace(tenant, metadata=metadata)


def test_who_strips_our_finalizer_and_holds_its_tenant_itself_loses_its_rights_all_the_same() -> (
    None
):
    tenant = unheld(leaving(a_tenant(status=ADMITTED), NOW - WITHDRAWAL))
    forgotten = Patch(a_nonce(), {"data": {"nonce": None}})
    planned = plan(a_state(tenant, rights=GIVEN, slices=(a_slice(),)))
    assert planned == do(*TAKEN_BACK, Delete(a_slice()), forgotten)


def test_who_has_been_released_is_left_alone() -> None:
    tenant = unheld(leaving(a_tenant(), NOW))
    fresh = a_nonce(handshake.nonce(b"n" * 64))  # of the Tenant that comes next
    assert plan(a_state(tenant, nonce=fresh)) == do()


@pytest.mark.parametrize(
    ("which", "copied", "kept"),
    [
        ("slices", a_slice(), None),
        ("maps", a_map(), [labels.NAMESPACE_MAP_FINALIZER]),  # the work of it is not done yet
        ("renews", a_renew(), None),
    ],
)
def test_what_a_consumer_holds_with_a_finalizer_of_its_own_goes_when_it_is_dismissed(
    which: str, copied: ResourceSlice | NamespaceMap | Renew, kept: list[str] | None
) -> None:
    names = ("rome/its-own", labels.NAMESPACE_MAP_FINALIZER)
    metadata = msgspec.structs.replace(copied.metadata, finalizers=names)
    held = msgspec.structs.replace(copied, metadata=metadata)
    tenant = leaving(a_tenant(status=ADMITTED), NOW - WITHDRAWAL)
    planned = plan(a_state(tenant, nonce=None, **{which: (held,)}))
    let_go = Patch(held, {"metadata": {"finalizers": kept}}, only_if_unchanged=True)
    assert planned == do(let_go, Delete(held), released(tenant))


def test_what_a_drained_tenant_holds_with_a_finalizer_of_its_own_goes_too() -> None:
    asked = a_slice()
    metadata = msgspec.structs.replace(asked.metadata, finalizers=("rome/its-own",))
    held = msgspec.structs.replace(asked, metadata=metadata)
    let_go = Patch(held, {"metadata": {"finalizers": None}}, only_if_unchanged=True)
    planned = plan(a_state(DRAINED, rights=GIVEN, slices=(held,)))
    assert writes(planned) == [*TAKEN_BACK, let_go, Delete(held)]


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


def test_of_all_roles_those_that_consumers_have_concern_their_tenants() -> None:
    here = holding(a_tenant())
    concerned = controller(here, Access()).watches[here.of(ClusterRole)]
    assert [list(concerned(role)) for role in roles()] == [[a_tenant().key]] * 2
    assert list(concerned(ClusterRole(metadata=Meta(name="view")))) == []
