"""What belongs to whom."""

import pytest

from liqo.api.authentication import Renew
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Meta
from liqo.rules.tenancy import is_copy, is_tenant_namespace, is_withdrawal, namespace_labels


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


def test_what_makes_a_tenant_namespace_is_recognized() -> None:
    made = Namespace(metadata=Meta(name="any", labels=namespace_labels("rome")))
    assert is_tenant_namespace(made, "rome")
    assert made.metadata.labels["pod-security.kubernetes.io/enforce"] == "privileged"


def test_only_a_copy_can_say_that_its_origin_is_gone() -> None:
    copied = {"liqo.io/replicated": "true", "liqo.io/originID": "rome"}
    said = {"liqo.io/withdrawal": "true"}
    assert is_withdrawal(Renew(metadata=Meta(labels=copied, annotations=said)))
    assert not is_withdrawal(Renew(metadata=Meta(annotations=said)))
    assert not is_withdrawal(Renew(metadata=Meta(labels=copied)))
