"""What belongs to whom."""

import pytest

from liqo.api.authentication import Renew
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Meta
from liqo.rules.tenancy import is_copy, is_tenant_namespace


def a_namespace(**marks: str) -> Namespace:
    said = {f"liqo.io/{name.replace('_', '-')}": value for name, value in marks.items()}
    return Namespace(metadata=Meta(name="any", labels=said))


@pytest.mark.parametrize(
    ("namespace", "is_it"),
    [
        (a_namespace(tenant_namespace="true", remote_cluster_id="rome"), True),
        (a_namespace(tenant_namespace="", remote_cluster_id="rome"), True),
        (a_namespace(tenant_namespace="false", remote_cluster_id="rome"), False),
        (a_namespace(remote_cluster_id="rome"), False),
        (a_namespace(tenant_namespace="true", remote_cluster_id="paris"), False),
        (a_namespace(tenant_namespace="true"), False),
        (None, False),
    ],
)
def test_labels_make_a_tenant_namespace(namespace: Namespace | None, is_it: bool) -> None:
    assert is_tenant_namespace(namespace, "rome") is is_it


def test_nobody_has_a_tenant_namespace() -> None:
    assert not is_tenant_namespace(a_namespace(tenant_namespace="true", remote_cluster_id=""), "")


def test_a_copy_says_that_it_is_one_and_of_whom() -> None:
    def marked(**marks: str) -> Renew:
        return Renew(
            metadata=Meta(labels={f"liqo.io/{key}": value for key, value in marks.items()})
        )

    assert is_copy(marked(replicated="true", originID="rome"))
    assert not is_copy(marked(replicated="true"))
    assert not is_copy(marked(replicated="false", originID="rome"))
