"""Flags, and what they mean."""

from base64 import b64encode

import pytest

from liqo.api.meta import Key
from liqo.api.values import IngressClass, LoadBalancerClass
from liqo.errors import LiqoError
from liqo.programs.config import Modules, read
from liqo.provider.access import Access
from liqo.provider.grant import DEFAULTS, Terms
from liqo.runtime.leader import Candidacy
from liqo.runtime.remotes import Checking
from liqo.runtime.stamps import Stamp

ID = "--cluster-id=milan"
IN_A_POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "POD_NAME": "controllers-1"}
LEASE = Key("liqo", "66cf253f.ctrlmgr.liqo.io")


def test_an_id_is_all_that_must_be_told() -> None:
    told = read([ID], {})
    assert (told.cluster_id, told.namespace, told.kubeconfig) == ("milan", "liqo", "")
    assert told.terms == Terms()
    assert told.access("own ca") == Access("", b"own ca")
    assert not told.tls_compatible
    assert told.health_port is None
    assert told.modules == Modules()
    assert not told.gives_up_nodes
    assert told.resource_plugin is None
    assert told.stamp == Stamp({"liqo.io/managed": "true"}, {})
    assert told.checking == Checking(every=5, within=5)
    assert told.candidacy is None


def test_R25_an_id_that_does_not_fit_is_refused_at_the_start() -> None:
    with pytest.raises(LiqoError, match="at most 50"):
        read([f"--cluster-id={'x' * 51}"])


def test_an_address_that_leads_to_no_plugin_is_refused_at_the_start() -> None:
    with pytest.raises(LiqoError, match="it names no port"):
        read([ID, "--resource-plugin-address=plugin"])


@pytest.mark.parametrize("amount", ["cpu=-4", "memory=abc", "cpu=2,pods=1.5"])
def test_what_cannot_be_granted_is_refused_at_the_start(
    amount: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read([ID, f"--default-node-resources={amount}"])
    said = capsys.readouterr().err
    assert "argument --default-node-resources: " in said
    assert "negative" in said or "not a quantity" in said or "whole numbers" in said


def test_terms_are_told_in_the_spelling_of_the_wire() -> None:
    terms = read(
        [
            ID,
            "--cluster-labels=region=B,query=a=b",
            "--default-node-resources=cpu=2",
            "--default-resource-slice-class-enabled=false",
            "--share-resource-slice-class-enabled=false",
            "--ingress-classes=nginx;default,haproxy",
            "--load-balancer-classes=metal",
        ]
    ).terms
    assert terms == Terms(
        default_class=False,
        share_class=False,
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


def test_pods_of_consumers_are_bound_by_a_level_that_exists() -> None:
    assert read([ID]).terms.pod_security == "baseline"
    assert read([ID, "--pod-security="]).terms.pod_security == ""
    assert read([ID, "--pod-security=restricted"]).terms.pod_security == "restricted"
    with pytest.raises(SystemExit):
        read([ID, "--pod-security=none"])


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


@pytest.mark.parametrize("module", ["authentication", "offloading", "networking"])
def test_a_module_can_be_left_out(module: str) -> None:
    assert read([ID, f"--{module}-enabled=false"]).modules == Modules(**{module: False})


def test_labels_and_annotations_for_all_that_we_make_can_be_told() -> None:
    flags = ["--global-labels=team=${namespace}", "--global-annotations=a=b=c,d=e"]
    assert read([ID, *flags]).stamp == Stamp({"team": "${namespace}"}, {"a": "b=c", "d": "e"})


@pytest.mark.parametrize(
    ("text", "seconds"), [("15s", 15), ("1m30s", 90), ("250ms", 0.25), ("0", 0), ("0s", 0)]
)
def test_times_are_written_as_go_does_it(text: str, seconds: float) -> None:
    told = read([ID, f"--foreign-cluster-ping-interval={text}"])
    assert told.checking.every == seconds


@pytest.mark.parametrize("text", ["15", "s", "1x", "1m x"])
def test_a_time_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read([ID, f"--foreign-cluster-ping-timeout={text}"])
    assert "--foreign-cluster-ping-timeout" in capsys.readouterr().err


def test_in_a_pod_we_stand_for_election_under_its_name() -> None:
    assert read([ID], IN_A_POD).candidacy == Candidacy(LEASE, "controllers-1")
    elsewhere = read([ID, "--liqo-namespace=loans"], IN_A_POD).candidacy
    assert elsewhere is not None
    assert elsewhere.lease.namespace == "loans"


def test_who_is_alone_needs_no_election() -> None:
    assert read([ID, "--leader-election=false"], IN_A_POD).candidacy is None
    assert read([ID, "--kubeconfig=admin"], IN_A_POD).candidacy is None


def test_outside_of_a_pod_an_election_can_be_asked_for() -> None:
    asked = read([ID, "--kubeconfig=admin", "--leader-election"], {}).candidacy
    assert asked is not None
    assert asked.identity
