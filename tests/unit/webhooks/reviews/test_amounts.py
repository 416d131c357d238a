"""Amounts: what can be counted may be asked for."""

from __future__ import annotations

import pytest

from liqo.webhooks.review import Deny
from liqo.webhooks.reviews.amounts import check_amounts, check_capacity


@pytest.mark.parametrize("amount", ["0", "500m", "2", 4, "8Gi", "1e3", "7Ei"])
def test_an_ordinary_amount_is_allowed(amount: str | int) -> None:
    assert check_amounts({"cpu": amount}) is None


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("1e99999999999", "is not a quantity"),
        ("much", "is not a quantity"),
        ("9" * 5000, "is not a quantity"),
        ("-1", "is less than nothing"),
        (-4, "is less than nothing"),
        ("1e999", "is more than Kubernetes can count"),
        ("8Ei", "is more than Kubernetes can count"),
    ],
)
def test_any_other_is_refused_with_a_sentence(amount: str | int, words: str) -> None:
    refused = check_amounts({"memory": "1Gi", "cpu": amount})
    assert isinstance(refused, Deny)
    assert refused.code == 400
    assert f"of cpu {words}" in refused.reason
    assert len(refused.reason) < 150


@pytest.mark.parametrize("name", ["pods", "nvidia.com/gpu"])
def test_a_node_has_no_half_of_a_pod_or_a_device(name: str) -> None:
    assert check_capacity({"cpu": "500m", name: "2", "ephemeral-storage": "1.5Gi"}) is None
    refused = check_capacity({"cpu": "500m", name: "1500m"}, "spec.resourceQuota.hard")
    assert refused == Deny(
        f'spec.resourceQuota.hard: "1500m" of {name} is not a whole number, and it has no parts',
        400,
    )
    assert check_amounts({name: "1500m"}) is None  # Kubernetes itself judges pods
    assert check_capacity({name: "-1"}) == check_amounts({name: "-1"})
