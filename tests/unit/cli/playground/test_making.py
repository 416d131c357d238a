"""What `demo` runs and says."""

from liqo.cli.lazy import LazyGroup
from liqo.cli.playground import command
from liqo.cli.playground.clusters import TUTORIAL
from liqo.cli.playground.making import ARCHIVE, CHECKOUT, demo_pod, what_next


def test_the_demo_pod_says_where_it_runs() -> None:
    pod = demo_pod("rome")
    [container] = pod["spec"]["containers"]
    values = {each["name"]: each for each in container["env"]}
    assert values.pop("CLUSTER_NAME")["value"] == "rome"
    fields = {name: each["valueFrom"]["fieldRef"]["fieldPath"] for name, each in values.items()}
    assert fields == {
        "NODE_NAME": "spec.nodeName",
        "POD_NAME": "metadata.name",
        "POD_NAMESPACE": "metadata.namespace",
        "POD_IP": "status.podIP",
    }


def test_the_demo_pod_comes_from_an_archive_and_not_from_a_registry() -> None:
    [container] = demo_pod("rome")["spec"]["containers"]
    assert container["image"].startswith("localhost/")
    assert not container["image"].endswith(":latest")  # which a kubelet would always pull


def test_what_to_type_next_can_be_typed() -> None:
    assert isinstance(command, LazyGroup)
    said = what_next("scratch")
    words = said.split("liqoctl playground ")[1:]
    assert {text.split()[0].strip(')"') for text in words} <= set(command.verbs)
    assert said.count("-p scratch") == len(words)
    assert f"liqo_kubeconf_{TUTORIAL[-1]}" in said
    assert "-p" not in what_next("default").split()


def test_the_image_is_written_below_the_checkout() -> None:
    assert (CHECKOUT / "pyproject.toml").is_file()
    assert ARCHIVE.relative_to(CHECKOUT).as_posix() == "build/liqo.tar"
