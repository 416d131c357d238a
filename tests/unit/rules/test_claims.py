"""What a token may do, before and after it was used."""

from liqo.api.meta import Key
from liqo.rules import claims

ACCOUNT = Key("liqo", "liqo-peer-1")


def test_before_its_claim_a_token_may_make_one_and_read_its_own() -> None:
    kind = {"apiGroups": ["authentication.liqo.io"], "resources": ["peeringclaims"]}
    reading = {**kind, "resourceNames": ["liqo-peer-1"], "verbs": ["get", "list", "watch"]}
    first = claims.rules("liqo-peer-1", may_claim=True)
    assert first == [{**kind, "verbs": ["create"]}, reading]
    assert claims.may_claim(first)
    later = claims.rules("liqo-peer-1", may_claim=False)
    assert later == [reading]
    assert not claims.may_claim(later)


def test_all_bindings_are_of_the_token_and_marked_with_its_name() -> None:
    own = claims.own_binding(ACCOUNT)
    given = claims.bindings(ACCOUNT, "liqo-tenant-rome")
    assert [body["roleRef"]["name"] for body in (own, *given.values())] == [
        "liqo-peer-1",
        "liqo-peering-user-tenant-ns",
        "liqo-peering-user-liqo-ns",
    ]
    for key, body in {ACCOUNT: own, **given}.items():
        metadata = body["metadata"]
        assert Key(metadata["namespace"], metadata["name"]) == key
        assert metadata["labels"]["liqo.io/peering-claim"] == "liqo-peer-1"
        assert body["subjects"] == [
            {"kind": "ServiceAccount", "name": "liqo-peer-1", "namespace": "liqo"}
        ]


def test_only_the_right_to_the_tenant_namespace_is_one_of_the_whole_cluster() -> None:
    kinds = {
        key.namespace: body["roleRef"]["kind"]
        for key, body in claims.bindings(ACCOUNT, "liqo-tenant-rome").items()
    }
    assert kinds == {"liqo-tenant-rome": "ClusterRole", "liqo": "Role"}
