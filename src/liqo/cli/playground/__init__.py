"""liqoctl playground: real Kubernetes clusters on this machine."""

import click

from liqo.cli.lazy import LazyGroup, Verb, examples


def verb(module: str, attribute: str, summary: str) -> Verb:
    return Verb(f"liqo.cli.playground.{module}", summary, attribute)


command = LazyGroup(
    name="playground",
    verbs={
        "up": verb("clusters", "up", "Make clusters, or what is missing of them"),
        "down": verb("clusters", "down", "Remove clusters and everything of them"),
        "status": verb("clusters", "status", "Clusters, nodes and components, with their health"),
        "env": verb("access", "env", "Exports for a shell"),
        "kubeconfig": verb("access", "kubeconfig", "Print the kubeconfig of a cluster"),
        "shell": verb("access", "shell", "A shell with kubectl and the kubeconfig of a cluster"),
        "load": verb("access", "load", "Put the images of an archive into the nodes"),
        "cut": verb("faults", "cut", "Let nothing pass between two clusters"),
        "delay": verb("faults", "delay", "Slow down everything between two clusters"),
        "heal": verb("faults", "heal", "Make the link between two clusters good again"),
        "pause": verb("faults", "pause", "Freeze a component, a node or a pod"),
        "resume": verb("faults", "resume", "Let what is frozen go on"),
        "kill": verb("faults", "kill", "Kill a component, a node or the processes of a pod"),
        "start": verb("faults", "start", "Start what was killed"),
        "setup": verb("making", "setup", "Prepare this machine: packages, binaries, images"),
        "image": verb("making", "image", "Build the product's image, without Docker"),
        "demo": verb("demo", "demo", "The story of docs/tutorial.md, told and run"),
    },
    help="Real Kubernetes clusters on this machine: no Docker, no registry.",
    epilog=examples(
        "liqoctl playground up", "liqoctl playground status", "liqoctl playground down"
    ),
    params=[
        click.Option(
            ["--playground", "-p", "playground_name"],
            metavar="NAME",
            default="",
            help="Which playground; may also follow the command.",
        )
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)
