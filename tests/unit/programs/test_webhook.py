"""The webhook's program: what its flags mean, and that it says what is wrong with them."""

import socket
from datetime import timedelta

import pytest

from liqo.programs.webhook import Config, main, read
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.certificate import Place
from liqo.webhooks.quota.seat import address_in


def test_without_flags_it_is_what_an_installation_starts() -> None:
    place = Place("liqo", "liqo-webhook", timedelta(days=90))
    pod = {"POD_NAME": "liqo-webhook-abc", "POD_IP": "10.0.0.7"}
    expected = Config(
        Surroundings("rome", "liqo"), place, "", 9443, None, "liqo-webhook-abc", "10.0.0.7"
    )
    assert read(["--cluster-id=rome"], pod) == expected


def test_every_flag_counts() -> None:
    told = read(
        [
            "--cluster-id=rome",
            "--liqo-namespace=peers",
            "--service-name=asked",
            "--kubeconfig=here",
            "--port=443",
            "--health-port=8081",
            "--certificate-lifetime=60",
            "--runtime-class-name=abroad",
            "--enable-resource-enforcement=false",
        ],
        {},
    )
    assert told == Config(
        here=Surroundings("rome", "peers"),
        place=Place("peers", "asked", timedelta(seconds=60)),
        kubeconfig="here",
        port=443,
        health_port=8081,
        pod=socket.gethostname(),
        host="127.0.0.1",
        runtime_class="abroad",
        enforcement=False,
    )


def test_no_two_processes_have_the_same_seat() -> None:
    told = read(["--cluster-id=rome"], {"POD_NAME": "liqo-webhook-abc", "POD_IP": "10.0.0.7"})
    one, two = told.seat, told.seat
    assert one != two
    assert address_in(str(one)) == address_in(str(two)) == "10.0.0.7:9443"


def test_a_kubeconfig_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cluster-id=rome", "--kubeconfig=nowhere.yaml"]) == 1
    assert "nowhere.yaml" in capsys.readouterr().err
