"""A binding that is there is compared with the one that is wanted."""

from typing import Any

import msgspec

from liqo.api.kubernetes import RoleBinding
from liqo.api.meta import Meta
from liqo.runtime.bindings import bound
from liqo.runtime.plan import Apply, Create, Manifest

ROLE: dict[str, str] = {"kind": "ClusterRole", "name": "reader"}
ROME: list[dict[str, str]] = [{"kind": "User", "name": "rome"}]
WANTED = Manifest(RoleBinding.KIND, {"metadata": {"name": "b"}, "roleRef": ROLE, "subjects": ROME})


def there(**other: Any) -> RoleBinding:
    said = {"raw_role_ref": ROLE, "raw_subjects": ROME, **other}
    raw = {name: msgspec.Raw(msgspec.json.encode(value)) for name, value in said.items()}
    return RoleBinding(metadata=Meta(name="b"), **raw)


def test_what_is_missing_is_made_and_one_that_only_lost_its_label_is_put_right() -> None:
    """They are looked for by a label: one without it looks as if there were none."""
    assert bound(WANTED, None) == [Create(WANTED, or_apply=True)]


def test_what_is_as_wanted_is_left_alone() -> None:
    assert bound(WANTED, there()) == []


def test_what_somebody_changed_is_put_right() -> None:
    assert bound(WANTED, there(raw_subjects=[])) == [Apply(WANTED)]
    assert bound(WANTED, there(raw_role_ref={})) == [Apply(WANTED)]
