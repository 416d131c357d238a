"""What `up` is told, and what `status` prints."""

import json
from dataclasses import asdict

import click
import pytest
import yaml

from liqo.cli.output import Output
from liqo.cli.playground.clusters import options, pairs, rows, up
from liqo.playground.layout import Options, Simulated
from liqo.playground.status import ClusterStatus, ComponentStatus, NodeStatus

STATUS = [
    ClusterStatus(
        name="rome",
        server="https://172.30.0.16:6443",
        nodes=(
            NodeStatus(
                name="rome",
                address="172.30.0.16",
                ready="True",
                memory=900 << 20,
                components=(
                    ComponentStatus("etcd", 4711, 50 << 20, "ok"),
                    ComponentStatus("kubelet", None, 0, "not running"),
                ),
            ),
        ),
        simulated=10,
    )
]


def parsed(*words: str) -> Options:
    """The options that these words on the command line mean."""
    given = up.make_context("up", list(words)).params
    for name in ("names", "playground_name", "network"):
        given.pop(name)
    return options(**given)


def split(*values: str) -> tuple[tuple[str, str], ...]:
    return pairs(click.Context(up), up.params[0], values)


def test_without_options_a_cluster_is_the_default_one() -> None:
    assert parsed("rome") == Options()


def test_every_option_has_its_place() -> None:
    assert parsed(
        *("--workers", "2", "--kwok", "10", "--kwok-cpu", "8", "--kwok-memory", "16Gi"),
        *("--kwok-resource", "nvidia.com/gpu=8", "--pod-cidr", "10.5.0.0/16"),
        *("--service-cidr", "10.6.0.0/16", "--flat", "--kubernetes-version", "1.34.1"),
        *("--cluster-signing-duration", "60s", "--audit"),
        *("--flag", "kubelet=--v=4", "--flag", "etcd=--log-level=debug", "rome"),
    ) == Options(
        workers=2,
        simulated=Simulated(10, "8", "16Gi", (("nvidia.com/gpu", "8"),)),
        pod_cidr="10.5.0.0/16",
        service_cidr="10.6.0.0/16",
        flat=True,
        kubernetes_version="1.34.1",
        signing_duration="60s",
        audit=True,
        flags=(("kubelet", "--v=4"), ("etcd", "--log-level=debug")),
    )


def test_a_pair_is_split_at_its_first_equals_sign() -> None:
    assert split("kubelet=--v=4", "a=b") == (("kubelet", "--v=4"), ("a", "b"))
    assert split() == ()


@pytest.mark.parametrize("value", ["", "kubelet", "=8", "kubelet=", "="])
def test_half_a_pair_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match=f'"{value}" is not of the form NAME=VALUE'):
        split("a=b", value)


def test_the_table_has_a_row_for_each_component() -> None:
    assert rows(STATUS) == [
        ("rome", "rome", "True", "etcd", "4711", "50Mi", "ok"),
        ("rome", "rome", "True", "kubelet", "-", "0Mi", "not running"),
    ]


def test_a_program_reads_the_same_from_either_format(capsys: pytest.CaptureFixture[str]) -> None:
    Output().document([asdict(each) for each in STATUS], "json")
    [found] = json.loads(capsys.readouterr().out)
    Output().document([asdict(each) for each in STATUS], "yaml")
    assert yaml.safe_load(capsys.readouterr().out) == [found]
    assert found["nodes"][0]["components"][1] == {
        "name": "kubelet",
        "pid": None,
        "memory": 0,
        "health": "not running",
    }
