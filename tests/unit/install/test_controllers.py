"""The Deployment of the controllers: its flags are read by clients, and by the program itself."""

from liqo.install.controllers import arguments, classes, manifests
from liqo.programs import config
from tests.unit.install.settled import settings

EVERYTHING = {
    "offloading.enabled": False,
    "common.globalLabels": {"team": "blue"},
    "common.globalAnnotations": {"note": "x"},
    "apiServer.address": "https://10.0.0.1:6443",
    "apiServer.trustedCA": True,
    "authentication.tlsCompatibilityMode": True,
    "authentication.defaultResourceSliceClassEnabled": False,
    "authentication.shareResourceSliceClassEnabled": False,
    "controllerManager.config.defaultLimitsEnforcement": "Soft",
    "offloading.podSecurity": "",
    "offloading.remoteNamespaces.labels": {"team": "guests"},
    "offloading.remoteNamespaces.labelsOfPeers": {"rome": "team=a,tier=b", "turin": "team=c"},
    "controllerManager.config.enableNodeFailureController": True,
    "controllerManager.config.resourcePluginAddress": "plugin.liqo:6001",
    "discovery.config.clusterLabels": {"region": "north", "tier": "gold"},
    "offloading.defaultNodeResources.cpu": "8",
    "offloading.reflection.ingress.ingressClasses": [{"name": "nginx", "default": True}, "traefik"],
    "offloading.reflection.service.loadBalancerClasses": [{"name": "metal"}],
}


def test_the_version_is_found_at_the_container_of_its_name() -> None:
    [made] = manifests(settings(tag="v7"))
    assert made["metadata"]["name"] == "liqo-controller-manager"
    for label in ("name", "component"):
        assert made["metadata"]["labels"][f"app.kubernetes.io/{label}"] == "controller-manager"
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "controller-manager"
    assert container["image"].rpartition(":")[2] == "v7"


def test_the_program_understands_what_it_is_told() -> None:
    told = config.read(["--cluster-id=rome", *arguments(settings(**EVERYTHING))])
    assert told.address == "https://10.0.0.1:6443"
    assert told.ca == b""
    assert told.tls_compatible
    assert told.health_port == 8081
    assert told.terms.labels == {"team": "guests"}
    assert told.terms.labels_of_peers == {
        "rome": {"team": "a", "tier": "b"},
        "turin": {"team": "c"},
    }
    assert not told.terms.default_class
    assert not told.terms.share_class
    assert told.terms.enforcement == "Soft"
    assert told.terms.pod_security == ""
    assert told.gives_up_nodes
    assert str(told.resource_plugin) == "grpc://plugin.liqo:6001"
    assert told.terms.cluster_labels == {"region": "north", "tier": "gold"}
    assert told.terms.defaults["cpu"] == "8"
    assert told.modules.authentication
    assert not told.modules.offloading
    assert told.stamp.labels == {"team": "blue"}
    assert told.stamp.annotations == {"note": "x"}
    assert [each.ingress_class_name for each in told.terms.ingress_classes] == ["nginx", "traefik"]
    assert [each.default for each in told.terms.ingress_classes] == [True, False]


def test_what_nobody_set_is_what_the_program_does_by_itself() -> None:
    told = config.read(["--cluster-id=rome", *arguments(settings())])
    alone = config.read(["--cluster-id=rome", "--health-port=8081", "--networking-enabled=false"])
    assert told == alone


def test_every_flag_has_its_value_behind_an_equals_sign() -> None:
    assert all("=" in each for each in arguments(settings(**EVERYTHING)))


def test_classes_are_names_with_the_default_marked() -> None:
    assert classes([{"name": "a", "default": True}, "b"]) == "a;default,b"


def test_what_is_shared_is_no_flag_so_that_a_change_restarts_nobody() -> None:
    key = "controllerManager.config.resourceSharingPercentage"
    assert manifests(settings()) == manifests(settings(**{key: 50}))
