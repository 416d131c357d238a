"""The list of controllers."""

from importlib import import_module

import pytest

from liqo.consumer.home import Home
from liqo.consumer.replication.remotes import replication
from liqo.kube.access import Access as Target
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.programs.config import read
from liqo.programs.controllers import controllers, main


def listed() -> list[str]:
    here = Caches(Cluster(Target(server="https://milan.invalid")))
    told = read(["--cluster-id=milan"])
    remotes = replication(here, Home("milan"))
    return [each.name for each in controllers(here, told, told.access(""), remotes)]


def test_every_name_leads_to_its_file() -> None:
    for name in listed():
        module = import_module(f"liqo.{name.replace('/', '.')}")
        assert hasattr(module, "controller")


def test_no_controller_is_there_twice() -> None:
    assert len(set(listed())) == len(listed())


def test_what_is_wrong_with_the_flags_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--cluster-id=Milan"]) == 1
    assert 'the cluster ID "Milan" must consist of' in capsys.readouterr().err
