"""What a consumer is answered that asks for a share: how much, why, and what of it is none."""

import msgspec

from liqo.provider import grant
from liqo.provider.grant import UNKNOWN, Offered, Prospect, Terms
from liqo.provider.quota import forge
from liqo.provider.resourceslice import plan, share
from liqo.provider.share.supply import LISTING
from liqo.runtime.plan import Record
from tests.unit.provider.test_resourceslice import a_state, answers, change, reasons
from tests.unit.provider.things import a_slice, a_tenant, answered, holding, lending

GPU = "nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one"
SHARED = Offered({"cpu": "45", "nvidia.com/gpu": "0"}, f"cpu 45 = floor(0.9 × 50)\n{GPU}")


def test_a_share_is_granted_with_its_sum_and_what_is_missing_is_told() -> None:
    planned = plan(a_state(a_slice(class_="share"), share=Prospect(SHARED)))
    written = change(planned)
    assert written["resources"] == SHARED.resources
    assert answers(planned)["Resources"][0] == "Accepted"
    assert written["conditions"][1]["message"] == SHARED.explanation
    [told] = [
        each for each in planned.actions if isinstance(each, Record) and "Zero" in each.reason
    ]
    assert (told.reason, told.message, told.type) == ("RoundedToZero", GPU, "Warning")


def test_what_is_missing_is_told_once() -> None:
    said = grant.condition("Resources", "Accepted", f"cpu 90 = floor(0.9 × 100)\n{GPU}")
    asked = answered(None, class_="share")
    status = msgspec.structs.replace(asked.status, conditions=(*asked.status.conditions, said))
    before = msgspec.structs.replace(asked, status=status)
    planned = plan(a_state(before, share=Prospect(SHARED)))
    assert reasons(planned) == ["ResourceSliceResourcesAccepted"]


def test_a_share_that_nobody_knows_yet_is_waited_for() -> None:
    planned = plan(a_state(a_slice(class_="share"), share=Prospect(None, 0.5)))
    assert answers(planned).keys() == {"Authentication"}
    assert planned.wake_after == 0.5


def test_a_share_that_a_plugin_should_tell_and_never_did_is_denied_with_the_reason() -> None:
    planned = plan(a_state(a_slice(class_="share"), share=Prospect(problem="nobody is there")))
    assert answers(planned)["Resources"] == ("Denied", "ResourcePluginSilent")
    assert change(planned)["conditions"][1]["message"] == "nobody is there"
    [told] = [each for each in planned.actions if isinstance(each, Record)][1:]
    assert (told.reason, told.message, told.type) == (
        "ResourcePluginSilent",
        "nobody is there",
        "Warning",
    )


def test_a_share_that_an_unreadable_setting_decides_about_is_denied_with_the_reason() -> None:
    unknown = Prospect(problem="nobody can read it", reason=grant.INVALID)
    planned = plan(a_state(a_slice(class_="share"), share=unknown))
    assert answers(planned)["Resources"] == ("Denied", "InvalidSetting")
    assert change(planned)["conditions"][1]["message"] == "nobody can read it"


def test_a_provider_may_have_no_shares() -> None:
    planned = plan(a_state(a_slice(class_="share"), terms=Terms(share_class=False)))
    assert answers(planned)["Resources"] == (
        "Denied",
        "ShareResourceSliceClassDisabled",
    )


def test_what_a_share_is_stands_in_the_quota_once_there_is_one() -> None:
    asked, tenant = a_slice(class_="share"), a_tenant()
    unknown = Prospect(None, LISTING)
    lent = lending(holding(asked))
    none = Offered({"pods": "0"}, "pods 0 = what the resource plugin http://plugin says")
    of_another_class = forge(asked, Offered({"cpu": "4"}), Terms())
    assert share(asked, tenant, forge(asked, SHARED, Terms()), lent) == Prospect(SHARED)
    assert share(asked, tenant, forge(asked, none, Terms()), lent) == Prospect(none)
    assert share(asked, tenant, of_another_class, lent) == unknown
    assert share(asked, tenant, None, lent) == unknown
    assert share(asked, None, None, lent) == UNKNOWN
    assert share(asked, a_tenant(tenant_condition="Drained"), None, lent) == UNKNOWN
    assert share(a_slice(), tenant, None, lent) == UNKNOWN
