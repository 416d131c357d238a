"""liqoctl generate: what is made here, to be used on the other cluster."""

from liqo.cli.lazy import NETWORK, LazyGroup, Verb, examples

command = LazyGroup(
    name="generate",
    verbs={
        "tenant": Verb(
            "liqo.cli.generate.verbs",
            "Who this consumer is, to be applied on its provider",
            "tenant",
            aliases=("tenants",),
        ),
        "identity": Verb(
            "liqo.cli.generate.verbs",
            "What this provider answers, to be applied on the consumer",
            "identity",
            aliases=("identities",),
        ),
        "peering-user": Verb(
            "liqo.cli.generate.verbs",
            "A kubeconfig with which a consumer may peer, and no more",
            "peering_user",
        ),
        "peer-command": Verb(
            "liqo.cli.generate.verbs",
            "The command with which another cluster borrows here",
            "peer_command",
        ),
    },
    later=dict.fromkeys(("configuration", "publickey"), NETWORK),
    help="Print what has to be used on the other cluster.",
    epilog=examples(
        "liqoctl generate tenant --remote-cluster-id milan > tenant.yaml",
        "liqoctl generate peer-command --only-command",
        "liqoctl generate peering-user --consumer-cluster-id rome > peer-with-milan.kubeconfig",
    ),
)
