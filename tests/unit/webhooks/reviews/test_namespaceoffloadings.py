"""NamespaceOffloadings: what is refused, in the words of the wire where it has any."""

from typing import Any

import pytest

from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec, PodStrategy
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.review import ALLOW, Allow, Deny
from liqo.webhooks.reviews.namespaceoffloadings import (
    MORE_RESTRICTIVE,
    SEEN,
    State,
    observe,
    opens,
    seen,
    validate,
)
from tests.unit.webhooks.reviews.questions import Told, creation, update

HERE = Surroundings("rome", "liqo")
STATE = State(HERE, {})
NEAR: JSON = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "region", "operator": "Near"}]}]}


def asked(namespace: str = "shop", name: str = "offloading", **spec: Any) -> NamespaceOffloading:
    metadata = Meta(name=name, namespace=namespace)
    return NamespaceOffloading(metadata=metadata, spec=NamespaceOffloadingSpec(**spec))


def test_an_ordinary_one_is_allowed() -> None:
    assert validate(creation(asked()), STATE) == ALLOW


@pytest.mark.parametrize(
    ("wanted", "marks", "code", "words"),
    [
        (asked(name="second"), {}, 403, "NamespaceOffloading name must match offloading"),
        (asked("kube-system"), {}, 403, "belongs to Kubernetes"),
        (asked("liqo"), {}, 403, "Liqo itself runs"),
        (asked("x"), {"liqo.io/tenant-namespace": "true"}, 403, "of a peering"),
        (
            asked(namespace_mapping_strategy="SelectedName"),
            {},
            400,
            "The RemoteNamespaceName value cannot be empty when using the SelectedName",
        ),
        (asked("x" * 60), {}, 400, "has 65 characters"),
        (asked(cluster_selector=NEAR), {}, 400, "Invalid ClusterSelector: nodeSelectorTerms[0]"),
    ],
)
def test_what_cannot_work_is_refused_with_its_reason(
    wanted: NamespaceOffloading, marks: dict[str, str], code: int, words: str
) -> None:
    verdict = validate(creation(wanted), State(HERE, marks))
    assert isinstance(verdict, Deny)
    assert verdict.code == code
    assert words in verdict.reason


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"namespace_mapping_strategy": "EnforceSameName"},
            "The NamespaceMappingStrategy value cannot be modified after creation",
        ),
        (
            {"remote_namespace_name": "market"},
            "The RemoteNamespaceName value cannot be modified after creation",
        ),
        ({"cluster_selector": NEAR}, "Invalid ClusterSelector"),
    ],
)
def test_L11_what_was_decided_once_stays(change: JSON, words: str) -> None:
    verdict = validate(update(asked(), asked(**change)), STATE)
    assert isinstance(verdict, Deny)
    assert verdict.reason.startswith(words)


def test_one_that_was_never_reviewed_can_still_be_let_go() -> None:
    stored = asked("kube-system", cluster_selector=NEAR)
    assert validate(update(stored, stored), STATE) == ALLOW


@pytest.mark.parametrize(
    ("before", "after", "warns"),
    [
        ("LocalAndRemote", "Remote", True),
        ("LocalAndRemote", "Local", True),
        ("Remote", "LocalAndRemote", False),
        ("Remote", "Remote", False),
    ],
)
def test_a_stricter_strategy_is_allowed_with_a_warning(
    before: PodStrategy, after: PodStrategy, warns: bool
) -> None:
    old, new = (asked(pod_offloading_strategy=each) for each in (before, after))
    expected = Allow((MORE_RESTRICTIVE,)) if warns else ALLOW
    assert validate(update(old, new), STATE) == expected


def test_a_namespace_is_opened_when_its_pods_may_go_out_from_now_on() -> None:
    local, remote = (asked(pod_offloading_strategy=each) for each in ("Local", "Remote"))
    assert opens(creation(asked()))
    assert not opens(creation(local))
    assert opens(update(local, remote))
    assert not opens(update(remote, local))
    assert not opens(update(remote, asked()))


async def test_the_labels_of_its_namespace_are_read_when_it_is_made() -> None:
    marks = {"liqo.io/tenant-namespace": "true"}
    reader = Told([Namespace(metadata=Meta(name="shop", labels=marks))])
    assert await observe(HERE, reader, creation(asked())) == State(HERE, marks)
    assert await observe(HERE, reader, creation(asked("gone"))) == STATE
    assert await observe(HERE, reader, update(asked(), asked())) == STATE


def test_a_probe_is_refused_in_words_that_it_knows() -> None:
    assert seen(creation(asked(name="offloading-probe")), None) == Deny(SEEN)
