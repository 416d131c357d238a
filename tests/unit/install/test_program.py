"""How our programs run."""

from dataclasses import replace

from liqo.api.meta import JSON
from liqo.install.program import Program, deployment
from tests.unit.install.settled import settings

WEB = Program("web", "liqo.web", ["--port=1"], {"cpu": "1m", "memory": "1Mi"}, ports={"web": 1})


def test_a_program_has_as_few_rights_as_it_can_live_with() -> None:
    pod = deployment(settings(), WEB)["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def test_what_it_must_write_stays_in_memory() -> None:
    pod = deployment(settings(), WEB)["spec"]["template"]["spec"]
    [volume] = pod["volumes"]
    assert volume["emptyDir"]["medium"] == "Memory"
    [mount] = pod["containers"][0]["volumeMounts"]
    assert mount == {"name": volume["name"], "mountPath": "/tmp"}


def test_it_is_asked_for_its_health() -> None:
    [container] = deployment(settings(), WEB)["spec"]["template"]["spec"]["containers"]
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}
    assert {"health", "web"} == {port["name"] for port in container["ports"]}


def test_it_reads_the_cluster_id_from_where_everybody_does() -> None:
    [container] = deployment(settings(), WEB)["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["--cluster-id=$(CLUSTER_ID)", "--port=1"]
    variable, *_ = container["env"]
    assert variable["valueFrom"]["configMapKeyRef"]["name"] == "liqo-clusterid-configmap"


def test_it_knows_its_own_name_and_address() -> None:
    [container] = deployment(settings(), WEB)["spec"]["template"]["spec"]["containers"]
    told = {each["name"]: each["valueFrom"].get("fieldRef") for each in container["env"]}
    assert told["POD_NAME"] == {"fieldPath": "metadata.name"}
    assert told["POD_IP"] == {"fieldPath": "status.podIP"}


def test_its_pods_are_its_own() -> None:
    spec = deployment(settings(), WEB)["spec"]
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()


def test_several_of_it_are_on_different_nodes_where_there_are_any() -> None:
    def spread(replicas: int) -> list[JSON]:
        made = deployment(settings(), replace(WEB, replicas=replicas))
        constraints: list[JSON] = made["spec"]["template"]["spec"].get(
            "topologySpreadConstraints", []
        )
        return constraints

    assert spread(1) == []
    [apart] = spread(2)
    assert (apart["topologyKey"], apart["whenUnsatisfiable"]) == (
        "kubernetes.io/hostname",
        "ScheduleAnyway",
    )
