"""The metric agent as it is installed."""

from liqo.api.meta import JSON
from liqo.install.metricagent import manifests
from liqo.programs import metrics
from liqo.provider.metricsapi import registration
from tests.unit.install.settled import settings


def made() -> dict[str, JSON]:
    return {each["kind"]: each for each in manifests(settings())}


def test_the_program_understands_what_it_is_told() -> None:
    [container] = made()["Deployment"]["spec"]["template"]["spec"]["containers"]
    told = metrics.read([each.replace("$(CLUSTER_ID)", "milan") for each in container["args"]])
    assert (told.cluster_id, told.port, told.health_port) == ("milan", 8443, 8081)


def test_the_api_leads_to_the_service_and_the_service_to_its_pods() -> None:
    found = made()
    where = registration("liqo").body["spec"]["service"]
    service = found["Service"]
    assert where["name"] == service["metadata"]["name"]
    assert where["namespace"] == service["metadata"]["namespace"]
    [port] = service["spec"]["ports"]
    assert (where["port"], port["port"], port["targetPort"]) == (443, 443, "https")
    pods = found["Deployment"]["spec"]["template"]
    assert service["spec"]["selector"].items() <= pods["metadata"]["labels"].items()
    [container] = pods["spec"]["containers"]
    assert {"name": "https", "containerPort": 8443, "protocol": "TCP"} in container["ports"]


def test_the_api_is_registered_by_the_controllers_and_not_installed() -> None:
    assert "APIService" not in made()


def test_it_counts_as_available_when_every_node_knows_where_it_is() -> None:
    assert made()["Deployment"]["spec"]["minReadySeconds"] == 2


def test_it_is_left_out_where_nobody_wants_it() -> None:
    assert list(manifests(settings(**{"metricAgent.enabled": False}))) == []
