"""What a virtual kubelet runs with."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.offloading import OffloadingPatch, ReflectorConfig, VirtualNode
from liqo.api.values import DeploymentTemplate, StorageClass
from liqo.consumer.kubelet import forge
from liqo.programs.kubeletconfig import read
from liqo.rules.kubelets import FOLLOWED, REFLECTED, Surroundings, deployment, following
from tests.captured import captured
from tests.unit.consumer.kubelet.things import a_virtual_node, options
from tests.unit.consumer.things import NAMESPACE

HERE = Surroundings("rome", "liqo", ("10.71.0.0/16",))
SUBJECT = {"kind": "ServiceAccount", "name": "milan", "namespace": NAMESPACE}


def test_the_deployment_follows_its_options_as_they_are_now() -> None:
    wanted = a_virtual_node()
    made = forge.running(wanted, options(container_image="new", replicas=2), HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert (made["metadata"]["name"], made["spec"]["replicas"]) == ("vk-milan", 2)
    assert container["image"] == "new"
    assert container["args"][-3:] == [
        "--foreign-kubeconfig-secret-name=kubeconfig-resourceslice-milan",
        "--create-node=true",
        "--node-check-network=true",
    ]
    assert forge.running(wanted, options(), HERE).body["spec"]["replicas"] == 1


def test_without_options_it_runs_as_it_was_made() -> None:
    wanted = a_virtual_node()
    given = msgspec.convert(deployment(wanted, options().spec, HERE), DeploymentTemplate)
    spec = msgspec.structs.replace(wanted.spec, template=given)
    made = forge.running(msgspec.structs.replace(wanted, spec=spec), None, HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container["image"] == options().spec.container_image


def test_a_template_that_liqo_made_is_run_word_for_word_and_our_kubelet_knows_every_word() -> None:
    seen = captured("consumer", "VirtualNode", "milan")
    [given] = seen["spec"]["template"]["spec"]["template"]["spec"]["containers"]
    made = forge.running(msgspec.convert(seen, VirtualNode), None, HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container == given, "command, arguments and environment among them"
    assert (made["metadata"]["name"], made["spec"]["replicas"]) == ("vk-milan", 1)
    told = read(container["args"])
    assert told.unknown == ()
    assert (told.node, told.namespace) == ("milan", NAMESPACE)


def test_P_VN3_what_the_provider_offers_later_reaches_the_kubelet_too() -> None:
    wanted = a_virtual_node()
    given = msgspec.convert(deployment(wanted, options().spec, HERE), DeploymentTemplate)
    spec = msgspec.structs.replace(
        wanted.spec, template=given, storage_classes=(StorageClass(storage_class_name="fast"),)
    )
    made = forge.running(msgspec.structs.replace(wanted, spec=spec), options(), HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert "--remote-real-storage-class-name=fast" in container["args"]


def test_another_policy_of_reflection_does_not_start_it_anew() -> None:
    """It reads them itself, and whether a kind is switched off."""
    before, after = (
        options(reflectors_config={"secret": ReflectorConfig(workers=workers, type=policy)})
        for workers, policy in ((3, "DenyList"), (4, "AllowList"))
    )
    wanted = a_virtual_node()
    given = msgspec.convert(deployment(wanted, before.spec, HERE), DeploymentTemplate)
    spec = msgspec.structs.replace(wanted.spec, template=given)
    wanted = msgspec.structs.replace(wanted, spec=spec)
    made = forge.running(wanted, after, HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert "--secret-reflection-type=DenyList" in container["args"]
    assert "--secret-reflection-type=AllowList" not in container["args"]
    assert "--secret-reflection-workers=3" in container["args"]
    assert "--secret-reflection-workers=4" not in container["args"]


ALL = {kind: ReflectorConfig(workers=3) for kind in REFLECTED}


def started(now: dict[str, ReflectorConfig], **more: Any) -> list[str]:
    """The arguments of a kubelet that was made with all kinds, as they are later."""
    before = options(reflectors_config=ALL, **more)
    wanted = a_virtual_node()
    given = msgspec.convert(deployment(wanted, before.spec, HERE), DeploymentTemplate)
    spec = msgspec.structs.replace(wanted.spec, template=given)
    after = options(reflectors_config=now, **more)
    made = forge.running(msgspec.structs.replace(wanted, spec=spec), after, HERE).body
    [container] = made["spec"]["template"]["spec"]["containers"]
    found: list[str] = container["args"]
    return found


@pytest.mark.parametrize("kind", sorted(FOLLOWED))
def test_a_kind_that_comes_or_goes_in_the_options_starts_no_kubelet_anew(kind: str) -> None:
    less = {name: each for name, each in ALL.items() if name != kind}
    own = {"widgets.example.org": ReflectorConfig(workers=1, type="AllowList")}
    assert started(less) == started(ALL) == started({**ALL, **own})
    other = ReflectorConfig(workers=0, type="AllowList")
    assert started({**ALL, kind: other}) == started(ALL)


def test_a_kubelet_is_started_as_its_virtual_node_says_word_for_word() -> None:
    """One that was started before need not be started again."""
    more: dict[str, Any] = {"extra_args": ["--client-qps=1", "--node-ping-failures=5"]}
    spec = options(reflectors_config=ALL, **more).spec
    made = deployment(a_virtual_node(), spec, HERE)["spec"]["template"]["spec"]["containers"][0]
    assert started(ALL, **more) == [*made["args"], *following(a_virtual_node().spec)]


def test_another_patch_starts_it_anew() -> None:
    wanted = a_virtual_node()
    spec = msgspec.structs.replace(
        wanted.spec, offloading_patch=OffloadingPatch(node_selector={"disk": "fast"})
    )
    patched = msgspec.structs.replace(wanted, spec=spec)

    def hash_of(made: dict[str, object]) -> str:
        template = msgspec.json.decode(msgspec.json.encode(made))["spec"]["template"]
        return str(template["metadata"]["annotations"]["liqo.io/offloading-patch-hash"])

    assert hash_of(forge.running(wanted, options(), HERE).body) == ""
    assert len(hash_of(forge.running(patched, options(), HERE).body)) == 64


def test_A12_it_may_read_its_own_credential_and_hold_its_own_leases_and_no_other() -> None:
    role = forge.own_role(a_virtual_node()).body
    leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}
    own = ["milan", "virtual-kubelet-leader-election"]
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["secrets"],
            "resourceNames": ["kubeconfig-resourceslice-milan"],
            "verbs": ["get", "list", "watch"],
        },
        {**leases, "resourceNames": own, "verbs": ["get", "patch"]},
        {**leases, "verbs": ["create"]},
    ]
    binding = forge.own_binding(a_virtual_node()).body
    assert binding["subjects"] == [SUBJECT]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]


def test_the_binding_of_the_cluster_has_the_name_that_the_wire_gives_it() -> None:
    made = forge.cluster_binding(a_virtual_node()).body
    assert made["metadata"]["name"] == "liqo-node-milan"
    assert made["roleRef"]["name"] == "liqo-virtual-kubelet-local"
    assert made["subjects"] == [SUBJECT]
    node = forge.node_binding(a_virtual_node()).body
    assert node["roleRef"]["name"] == "liqo-virtual-kubelet-node"
    gone = [str(each.key) for each in forge.rights_of(a_virtual_node())]
    assert gone == ["liqo-node-milan", "kube-node-lease/liqo-node-milan"]


def test_the_map_is_made_without_a_word_about_namespaces() -> None:
    made = forge.namespace_map(a_virtual_node()).body
    assert made == {
        "metadata": {
            "name": "milan",
            "namespace": NAMESPACE,
            "labels": {
                "liqo.io/remote-cluster-id": "milan",
                "liqo.io/remoteID": "milan",
                "liqo.io/replication": "true",
            },
        }
    }
