"""The words in which models speak to the API server."""

from liqo.api.schema import follows, immutable, rules, wire


def test_keywords_are_those_of_the_wire() -> None:
    assert wire(maxLength=3).keywords == {"maxLength": 3}


def test_a_rule_has_the_sentence_that_a_user_reads() -> None:
    assert rules(("self > 0", "must be positive")).keywords == {
        "x-kubernetes-validations": [{"rule": "self > 0", "message": "must be positive"}]
    }


def test_immutable_compares_with_what_was() -> None:
    (rule,) = immutable("CIDR field").keywords["x-kubernetes-validations"]
    assert rule == {"rule": "self == oldSelf", "message": "CIDR field is immutable"}


def test_json_that_follows_kubernetes_adds_nothing_of_its_own() -> None:
    assert follows("PodSpec").definition == "PodSpec"
    assert follows("PodSpec").keywords == {}
