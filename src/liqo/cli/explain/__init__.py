"""liqoctl explain: why something is as it is."""

from liqo.cli.lazy import LazyGroup, Verb, examples

command = LazyGroup(
    name="explain",
    verbs={
        "capacity": Verb(
            "liqo.cli.explain.verbs", "Why a virtual node offers what it offers", "capacity"
        ),
    },
    help="Why something is as it is, with all numbers that count.",
    epilog=examples("liqoctl explain capacity milan"),
)
