"""Admission: configurations keep what we do not know of them."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration


@pytest.mark.parametrize("model", [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
def test_the_webhooks_of_a_configuration_are_kept_as_they_came(
    model: type[MutatingWebhookConfiguration | ValidatingWebhookConfiguration],
) -> None:
    text = b'{"webhooks":[{"name":"a","clientConfig":{"caBundle":"eA=="},"odd":1}]}'
    read = msgspec.json.decode(text, type=model)
    assert read.webhooks == [{"name": "a", "clientConfig": {"caBundle": "eA=="}, "odd": 1}]
    assert model().webhooks == []
