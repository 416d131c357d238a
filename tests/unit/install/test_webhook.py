"""The webhooks as they are installed."""

from liqo.api.meta import JSON
from liqo.install.webhook import manifests
from liqo.programs import webhook
from tests.unit.install.settled import settings


def made(**given: object) -> dict[str, JSON]:
    return {each["kind"]: each for each in manifests(settings(**given))}


def test_the_program_understands_what_it_is_told() -> None:
    [container] = made()["Deployment"]["spec"]["template"]["spec"]["containers"]
    told = webhook.read([each.replace("$(CLUSTER_ID)", "rome") for each in container["args"]])
    assert told.port == 9443
    assert told.health_port == 8081
    assert told.here.cluster_id == "rome"


def test_the_service_leads_to_its_pods() -> None:
    found = made()
    selector = found["Service"]["spec"]["selector"]
    assert selector.items() <= found["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    [port] = found["Service"]["spec"]["ports"]
    assert (port["port"], port["targetPort"]) == (9443, "webhook")


def test_the_certificate_of_whoever_serves_is_not_ours_to_set() -> None:
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        configuration = made()[kind]
        assert all("caBundle" not in each["clientConfig"] for each in configuration["webhooks"])
        assert configuration["metadata"]["labels"]["liqo.io/webhook"] == "true"
        assert configuration["metadata"]["labels"]["app.kubernetes.io/part-of"] == "liqo"


def test_whether_a_silent_webhook_refuses_can_be_chosen() -> None:
    found = made(**{"webhook.failurePolicy": "Ignore"})["ValidatingWebhookConfiguration"]
    policies = {each["name"]: each["failurePolicy"] for each in found["webhooks"]}
    assert policies["tenant.validate.liqo.io"] == "Ignore"
    assert policies["peers.tenant.validate.liqo.io"] == "Fail"


def test_whether_quotas_are_enforced_and_shadow_pods_say_who_made_them_can_be_chosen() -> None:
    for enforced in (True, False):
        found = made(**{"controllerManager.config.enableResourceEnforcement": enforced})
        webhooks = found["MutatingWebhookConfiguration"]["webhooks"]
        assert ("shadowpod.mutate.liqo.io" in [each["name"] for each in webhooks]) is enforced
        [container] = found["Deployment"]["spec"]["template"]["spec"]["containers"]
        assert webhook.read(["--cluster-id=rome", *container["args"]]).enforcement is enforced


def test_whether_remote_pods_lose_their_managed_fields_can_be_chosen() -> None:
    def pods(**given: object) -> list[str]:
        found = made(**given)["MutatingWebhookConfiguration"]["webhooks"]
        return [each["name"] for each in found if each["name"].startswith("remotepod")]

    assert pods() == ["remotepod.mutate.liqo.io"]
    assert pods(**{"offloading.stripManagedFields": False}) == []
