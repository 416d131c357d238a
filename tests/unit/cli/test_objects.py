"""What liqoctl makes, against what the seeds and the wire show."""

from __future__ import annotations

from base64 import b64decode

from liqo.api.authentication import AuthParams, ResourceSlice, ResourceSliceStatus
from liqo.api.meta import Key, Meta
from liqo.api.values import StorageClass
from liqo.cli import objects
from liqo.cli.documents import as_yaml
from liqo.cli.flags import Settings
from liqo.cli.objects import NodeWish, Proof, Share, Stamp, Wish, body, printed, share_of
from liqo.rules import certificates, keys
from tests import seeds


def test_a_slice_is_printed_as_the_seed_shows_it() -> None:
    asked = objects.resource_slice("mypool", "liqo-tenant-cool-firefly", "cool-firefly", Wish())
    assert as_yaml(printed(asked)) == seeds.SLICE


def test_a_slice_carries_what_was_wished_for() -> None:
    wish = Wish("custom-class", {"cpu": "2"}, virtual_node=False)
    made = body(objects.resource_slice("mypool", "there", "milan", wish))
    assert made["spec"]["class"] == "custom-class"
    assert made["spec"]["resources"] == {"cpu": "2"}
    assert made["metadata"]["annotations"] == {"liqo.io/create-virtual-node": "false"}


def test_a_tenant_proves_who_it_is() -> None:
    key = keys.new_key(tls_compatible=False)
    private, public = keys.private_pem(key), keys.public_pem(key.public_key())
    made = objects.tenant("rome", "liqo-tenant-rome", Proof(private, public, b"signed"))
    assert made.spec.public_key == public
    assert made.spec.csr == certificates.request(private, "liqo.io", "rome")
    assert "proxyURL" not in body(made)["spec"]


def test_an_identity_is_what_the_provider_answered() -> None:
    made = objects.identity("milan", "liqo-tenant-milan", AuthParams(api_server="https://m"), "x")
    assert made.metadata.name == "controlplane-milan"
    assert (made.spec.type, made.spec.namespace) == ("ControlPlane", "x")


def test_the_challenge_is_two_secrets() -> None:
    asked = body(objects.nonce_secret("liqo-tenant-rome", "rome"))
    assert asked["metadata"]["labels"] == {
        "liqo.io/nonce": "true",
        "liqo.io/remote-cluster-id": "rome",
    }
    assert "data" not in asked
    answer = body(objects.signed_nonce_secret("liqo-tenant-milan", "milan", b"abc"))
    assert b64decode(answer["data"]["nonce"]) == b"abc"
    assert "creationTimestamp" in printed(objects.nonce_secret("a", "b"))["metadata"]


def test_a_tenant_namespace_lets_privileged_pods_in() -> None:
    made = body(objects.tenant_namespace("milan"))
    assert made["metadata"]["name"] == "liqo-tenant-milan"
    assert made["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_a_stamp_adds_and_never_overwrites() -> None:
    stamp = Stamp({"team": "a", "liqo.io/nonce": "no"}, {"why": "b"})
    stamped = stamp.on(body(objects.nonce_secret("x", "rome")))["metadata"]
    assert stamped["labels"]["team"] == "a"
    assert stamped["labels"]["liqo.io/nonce"] == "true"
    assert stamped["annotations"] == {"why": "b"}


def test_a_stamp_is_what_the_user_said() -> None:
    settings = Settings(verbose=False, skip_confirm=False, labels={"a": "b"}, annotations={})
    shown = printed(objects.nonce_secret("x", "rome"), Stamp.of(settings))
    assert shown["metadata"]["labels"]["a"] == "b"


NODE = Key("liqo-tenant-cool-firefly", "mynode")


def test_a_node_of_a_slice_is_printed_as_the_seed_shows_it() -> None:
    granted = ResourceSlice(
        metadata=Meta(name="mypool", namespace=NODE.namespace),
        status=ResourceSliceStatus(
            resources={"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "20Gi"},
            storage_classes=(StorageClass(storage_class_name="liqo"),),
            node_labels={"liqo.io/provider": "kubeadm"},
        ),
    )
    node = objects.virtual_node(NODE, "cool-firefly", share_of(granted), NodeWish())
    assert as_yaml(printed(node)) == seeds.NODE_OF_SLICE


def test_a_node_of_a_secret_knows_only_what_was_said() -> None:
    share = Share("kubeconfig-resourceslice-mypool", {"cpu": "2", "memory": "4Gi", "pods": "110"})
    node = printed(objects.virtual_node(NODE, "cool-firefly", share, NodeWish()))
    assert node.pop("status") == {}
    assert as_yaml(node) == seeds.NODE_OF_SECRET


def test_a_node_is_as_its_user_wishes() -> None:
    wish = NodeWish(
        create_node=False,
        labels={"zone": "a"},
        node_selector={"disk": "fast"},
        runtime_class="liqo",
        options=Key("liqo", "mine"),
    )
    share = Share("s", {"cpu": "1"}, node_selector={"disk": "any", "arch": "arm64"})
    spec = body(objects.virtual_node(NODE, "milan", share, wish))["spec"]
    assert spec["createNode"] is False
    assert spec["labels"] == {"zone": "a", "liqo.io/remote-cluster-id": "milan"}
    assert spec["offloadingPatch"] == {
        "nodeSelector": {"disk": "fast", "arch": "arm64"},
        "runtimeClassName": "liqo",
    }
    assert spec["vkOptionsTemplateRef"] == {"name": "mine", "namespace": "liqo"}
