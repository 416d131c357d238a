"""A kind that is known by name alone."""

import msgspec

from liqo.api.custom import Custom, model_of
from liqo.api.meta import Kind

WIDGET = Kind("example.org", "v1", "Widget", "widgets")


def test_what_it_says_stays_as_it_came() -> None:
    body = b'{"metadata": {"name": "a"}, "spec": {"size": 1}, "status": {"ready": true}}'
    found = msgspec.json.decode(body, type=model_of(WIDGET))
    assert isinstance(found, Custom)
    assert found.KIND == WIDGET
    assert (found.metadata.name, found.spec, found.status) == ("a", {"size": 1}, {"ready": True})
    assert model_of(WIDGET)().spec == {}


def test_one_kind_has_one_model() -> None:
    assert model_of(WIDGET) is model_of(Kind("example.org", "v1", "Widget", "widgets"))
    assert model_of(WIDGET) is not model_of(Kind("example.org", "v2", "Widget", "widgets"))
