"""liqoctl create: objects of Liqo, and what becomes of them."""

from liqo.cli.lazy import NETWORK, LazyGroup, Verb, examples

command = LazyGroup(
    name="create",
    verbs={
        "resourceslice": Verb(
            "liqo.cli.create.verbs",
            "Ask a provider for resources",
            "resourceslice",
            aliases=("resourceslices", "rs"),
        ),
        "virtualnode": Verb(
            "liqo.cli.create.verbs",
            "Make a node of what a provider granted",
            "virtualnode",
            aliases=("vn",),
        ),
        "nonce": Verb(
            "liqo.cli.create.verbs", "Make a challenge that a consumer has to sign", "nonce"
        ),
    },
    later=dict.fromkeys(("configuration", "gatewayserver", "gatewayclient", "publickey"), NETWORK),
    help="Make an object of Liqo, or print it with -o yaml.",
    epilog=examples(
        "liqoctl create resourceslice mypool --remote-cluster-id milan",
        "liqoctl create resourceslice mypool --remote-cluster-id milan -o yaml",
    ),
)
