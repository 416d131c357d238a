"""liqoctl get: credentials and challenges, as plain text."""

from liqo.cli.lazy import LazyGroup, Verb, examples

command = LazyGroup(
    name="get",
    verbs={
        "nonce": Verb("liqo.cli.get.verbs", "The challenge that was made for a consumer", "nonce"),
        "kubeconfig": Verb(
            "liqo.cli.get.verbs", "The kubeconfig of an Identity", "kubeconfig", ("kc",)
        ),
    },
    help="Print what the other cluster, or another tool, needs.",
    epilog=examples(
        "liqoctl get nonce --remote-cluster-id rome",
        "liqoctl get kubeconfig controlplane-milan --remote-cluster-id milan > milan.kubeconfig",
    ),
)
