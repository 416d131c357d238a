"""liqoctl delete: take back what create and generate made."""

from liqo.cli.lazy import NETWORK, LazyGroup, Verb, examples

command = LazyGroup(
    name="delete",
    verbs={
        "resourceslice": Verb(
            "liqo.cli.delete.verbs",
            "Give resources back to a provider",
            "resourceslice",
            aliases=("resourceslices", "rs"),
        ),
        "virtualnode": Verb(
            "liqo.cli.delete.verbs", "Remove a virtual node", "virtualnode", aliases=("vn",)
        ),
        "peering-user": Verb(
            "liqo.cli.delete.verbs", "Take back what a peering user may do", "peering_user"
        ),
    },
    later=dict.fromkeys(("configuration", "gatewayserver", "gatewayclient", "publickey"), NETWORK),
    help="Delete an object of Liqo.",
    epilog=examples(
        "liqoctl delete resourceslice mypool",
        "liqoctl delete virtualnode mynode",
        "liqoctl delete peering-user --consumer-cluster-id rome",
    ),
)
