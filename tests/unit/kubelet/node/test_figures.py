"""What a Node says when nobody measures its pods."""

from liqo.api.kubernetes import Node
from liqo.api.meta import Key, Meta
from liqo.kube.paths import named
from liqo.kubelet.node.figures import State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Record
from liqo.runtime.value import Value
from tests.unit.kubelet.api.things import SITE
from tests.unit.provider.things import holding

NODE = Node(metadata=Meta(name="milan", uid="node-1", resource_version="1"))
ITSELF = Key("", "milan")


def test_what_is_missing_is_told_with_what_to_do() -> None:
    [told] = plan(State(NODE, "milan", missing=True)).actions
    assert isinstance(told, Record)
    assert (told.about, told.type, told.reason) == (NODE, "Warning", "NoFigures")
    assert 'the cluster "milan" serves no metrics.liqo.io' in told.message
    assert "liqoctl upgrade" in told.message
    assert told.message.endswith("metricAgent.enabled=true")


def test_where_there_are_figures_nothing_is_said() -> None:
    assert plan(State(NODE, "milan", missing=False)) == NOTHING


def test_it_is_about_the_node_of_this_kubelet() -> None:
    here, missing = holding(), Value(True)
    assert observe(here, SITE, missing, ITSELF) is None
    nodes = here.of(Node, named(ITSELF))
    nodes.take(NODE)
    assert observe(here, SITE, missing, ITSELF) == State(NODE, "milan", missing=True)
    watches = controller(here, SITE, missing).watches
    assert list(watches[missing](True)) == list(watches[nodes](NODE)) == [ITSELF]
