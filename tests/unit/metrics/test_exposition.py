"""Of all that kubelets tell, a consumer hears of its own pods, under the names of its home."""

from liqo.metrics.exposition import Share, of_consumer, told_home

SHARE = Share(
    at_home={"shop-rome": "shop"},
    pods=frozenset({("shop-rome", "web"), ("gone-rome", "old")}),
)
CPU = "# HELP container_cpu_usage_seconds_total Cumulative cpu time\n"
TYPE = "# TYPE container_cpu_usage_seconds_total counter\n"
NODE = "# HELP node_cpu_usage_seconds_total Cumulative cpu time of the node\n"


def sample(namespace: str, pod: str, value: str = "1.5 1700") -> str:
    labels = f'container="web",namespace="{namespace}",pod="{pod}"'
    return f"container_cpu_usage_seconds_total{{{labels}}} {value}\n"


def test_pods_of_others_are_not_told() -> None:
    text = CPU + TYPE + sample("shop-rome", "web") + sample("kube-system", "web")
    text += sample("shop-rome", "webmaster")
    assert of_consumer(SHARE, [text]) == CPU + TYPE + sample("shop", "web")


def test_a_pod_in_a_namespace_that_is_nobodys_is_not_told() -> None:
    assert told_home(SHARE, sample("gone-rome", "old")) is None


def test_a_label_that_ends_like_ours_is_another() -> None:
    line = 'x{other_namespace="shop-rome",pod="web"} 1'
    assert told_home(SHARE, line) is None
    line = 'x{other_namespace="a",namespace="shop-rome",pod="web"} 1'
    assert told_home(SHARE, line) == 'x{other_namespace="a",namespace="shop",pod="web"} 1'


def test_families_of_several_nodes_are_one_and_sorted() -> None:
    share = Share({"shop-rome": "shop"}, frozenset({("shop-rome", "b"), ("shop-rome", "a")}))
    nodes = [CPU + TYPE + sample("shop-rome", "b"), CPU + TYPE + sample("shop-rome", "a")]
    assert of_consumer(share, nodes) == CPU + TYPE + sample("shop", "a") + sample("shop", "b")


def test_figures_of_nodes_are_summed_and_as_new_as_the_newest() -> None:
    nodes = [
        NODE + "node_cpu_usage_seconds_total 1.5 1000\n",
        NODE + "node_cpu_usage_seconds_total 2 3000\n",
        NODE + "node_cpu_usage_seconds_total 4\n",
    ]
    assert of_consumer(SHARE, nodes) == NODE + "node_cpu_usage_seconds_total 7.5 3000\n"


def test_a_sum_without_a_time_has_none() -> None:
    text = NODE + "node_cpu_usage_seconds_total{} 2\n"
    assert of_consumer(SHARE, [text]) == NODE + "node_cpu_usage_seconds_total 2\n"


def test_what_is_neither_a_sample_nor_a_number_is_left_out() -> None:
    text = NODE + "node_cpu_usage_seconds_total many\nnode_other 1\ngarbage\n\n# a remark\n"
    assert of_consumer(SHARE, [text, sample("kube-system", "x")]) == ""
