"""Being there is being well."""

from __future__ import annotations

from liqo.kubelet.api.answer import Answer
from liqo.kubelet.api.health import answer


def test_it_is_well() -> None:
    assert answer() == Answer(200, b"ok")
