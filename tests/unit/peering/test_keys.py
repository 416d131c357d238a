"""The pair of keys of a cluster: made once."""

from base64 import b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import Key, Meta
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.peering.keys import State, controller, observe, plan, scope
from liqo.rules import keys
from liqo.runtime.plan import Create, Manifest, do

KEY = Key("liqo", "authentication-keys")
INSTALLED = Namespace(metadata=Meta(name="liqo", resource_version="1"))
PAIR = Secret(metadata=Meta(name=KEY.name, namespace=KEY.namespace, resource_version="1"))


def holding(namespace: Namespace | None = None, pair: Secret | None = None) -> Caches:
    here = Caches(Cluster(Access(server="https://rome.invalid")))
    if namespace is not None:
        here.of(Namespace, Scope(fields="metadata.name=liqo")).take(namespace)
    if pair is not None:
        here.of(Secret, scope("liqo")).take(pair)
    return here


@pytest.mark.parametrize(
    ("compatible", "kind"), [(False, Ed25519PrivateKey), (True, RSAPrivateKey)]
)
def test_a_cluster_without_keys_gets_a_pair(compatible: bool, kind: type) -> None:
    state = observe(holding(INSTALLED), compatible, KEY)
    assert state is not None
    private, public = keys.private_key(state.private_pem), keys.public_key(state.public_pem)
    assert isinstance(private, kind)
    assert keys.same_key(private.public_key(), public)


def test_keys_that_are_there_stay_for_ever() -> None:
    assert observe(holding(INSTALLED, PAIR), False, KEY) is None


def test_nothing_is_made_where_nothing_is_installed() -> None:
    assert observe(holding(), False, KEY) is None


def test_the_secret_is_the_one_that_liqoctl_reads() -> None:
    [created] = plan(State("liqo", b"private", b"public")).actions
    assert isinstance(created, Create)
    assert isinstance(created.object, Manifest)
    content = created.object.body.pop("data")
    assert {name: b64decode(value) for name, value in content.items()} == {
        "privateKey": b"private",
        "publicKey": b"public",
    }
    secret = {"metadata": {"name": "authentication-keys", "namespace": "liqo"}, "type": "Opaque"}
    assert do(created) == do(Create(Manifest(Secret.KIND, secret)))


def test_the_namespace_and_the_secret_bring_the_one_key() -> None:
    watches = controller(holding(), "liqo", tls_compatible=False).watches
    assert {key for keys_of in watches.values() for key in keys_of(INSTALLED)} == {KEY}
