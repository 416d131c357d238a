"""Flags, and what they mean."""

from base64 import b64encode

import pytest

from liqo.api.values import IngressClass, LoadBalancerClass
from liqo.errors import LiqoError
from liqo.programs.config import read
from liqo.provider.access import Access
from liqo.provider.grant import DEFAULTS, Terms

ID = "--cluster-id=milan"


def test_an_id_is_all_that_must_be_told() -> None:
    told = read([ID])
    assert (told.cluster_id, told.namespace, told.kubeconfig) == ("milan", "liqo", "")
    assert told.terms == Terms()
    assert told.access("own ca") == Access("", b"own ca")
    assert not told.tls_compatible
    assert told.health_port is None


def test_R25_an_id_that_does_not_fit_is_refused_at_the_start() -> None:
    with pytest.raises(LiqoError, match="at most 50"):
        read([f"--cluster-id={'x' * 51}"])


def test_terms_are_told_in_the_spelling_of_the_wire() -> None:
    terms = read(
        [
            ID,
            "--cluster-labels=region=B,query=a=b",
            "--default-node-resources=cpu=2",
            "--default-resource-slice-class-enabled=false",
            "--ingress-classes=nginx;default,haproxy",
            "--load-balancer-classes=metal",
        ]
    ).terms
    assert terms == Terms(
        default_class=False,
        defaults={**DEFAULTS, "cpu": "2"},
        cluster_labels={"region": "B", "query": "a=b"},
        ingress_classes=(
            IngressClass(ingress_class_name="nginx", default=True),
            IngressClass(ingress_class_name="haproxy"),
        ),
        load_balancer_classes=(LoadBalancerClass(load_balancer_class_name="metal"),),
    )


@pytest.mark.parametrize("word", ["none", "None", "NONE"])
def test_R21_enforcement_is_understood_in_any_case(word: str) -> None:
    assert read([ID, f"--default-limits-enforcement={word}"]).terms.enforcement == "None"
    assert read([ID, "--default-limits-enforcement=hard"]).terms.enforcement == "Hard"


def test_R22_a_ca_ends_where_its_pem_ends() -> None:
    padded = b64encode(b"PEM\0\0").decode()
    assert read([ID, f"--ca-override={padded}"]).access("own") == Access("", b"PEM")


def test_public_authorities_need_no_ca() -> None:
    for flag in ("--trusted-ca", "--trusted-ca=true"):
        assert read([ID, flag]).access("own") == Access("", b"")


def test_a_word_that_is_neither_true_nor_false_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        read([ID, "--trusted-ca=perhaps"])
    assert "--trusted-ca" in capsys.readouterr().err
