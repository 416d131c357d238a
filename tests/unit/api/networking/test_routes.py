"""Kinds of networking.liqo.io (routes): nothing is lost."""

import pytest

from liqo.api.meta import JSON, Resource
from liqo.api.networking.routes import CRDS
from tests import wire

SEEN = wire.objects(CRDS)


@pytest.mark.parametrize(("model", "seen"), SEEN.values(), ids=SEEN)
def test_an_object_of_the_wire_loses_nothing_in_its_model(
    model: type[Resource], seen: JSON
) -> None:
    assert wire.survives(model, seen)
