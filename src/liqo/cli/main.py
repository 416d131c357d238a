"""liqoctl: the table of its verbs, and how an error ends it."""

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from liqo.cli.lazy import COMPLETION_VARIABLE, NETWORK, LazyGroup, Verb, examples
from liqo.cli.output import Output
from liqo.errors import LiqoError

VERBS = {
    "install": Verb("liqo.cli.install", "Install Liqo in a cluster, or upgrade it"),
    "upgrade": Verb("liqo.cli.install", "The same as install"),
    "uninstall": Verb("liqo.cli.uninstall", "Remove Liqo from a cluster"),
    "peer": Verb("liqo.cli.peer", "Borrow from another cluster"),
    "unpeer": Verb("liqo.cli.unpeer", "Give back what was borrowed"),
    "authenticate": Verb(
        "liqo.cli.authenticate", "Get the credentials to borrow", "authenticate", ("auth",)
    ),
    "unauthenticate": Verb(
        "liqo.cli.authenticate", "Give back those credentials", "unauthenticate", ("unauth",)
    ),
    "offload": Verb("liqo.cli.offload", "Let namespaces extend to other clusters", "offload"),
    "unoffload": Verb("liqo.cli.offload", "Take back such namespaces", "unoffload"),
    "force": Verb("liqo.cli.force", "Leave a cluster that is gone for good"),
    "info": Verb("liqo.cli.info", "The installation of Liqo in a cluster, and its peers"),
    "explain": Verb("liqo.cli.explain", "The sums behind the amounts of a virtual node"),
    "status": Verb("liqo.cli.status", "The control plane of Liqo and its peers, as of old"),
    "create": Verb("liqo.cli.create", "Make slices, virtual nodes and challenges"),
    "generate": Verb("liqo.cli.generate", "Print what the other cluster needs"),
    "get": Verb("liqo.cli.get", "Print challenges and kubeconfigs"),
    "delete": Verb("liqo.cli.delete", "Delete slices, virtual nodes and peering users"),
    "cordon": Verb("liqo.cli.cordon", "Take no more of a consumer", "cordon"),
    "uncordon": Verb("liqo.cli.cordon", "Take pods of a consumer again", "uncordon"),
    "drain": Verb("liqo.cli.cordon", "Send a consumer away", "drain"),
    "activate": Verb("liqo.cli.cordon", "Let a consumer in again that was sent away", "activate"),
    "playground": Verb("liqo.cli.playground", "Real Kubernetes clusters on this machine"),
    "version": Verb("liqo.cli.version", "Versions of this program and of Liqo in a cluster"),
    "completion": Verb("liqo.cli.completion", "A script that completes commands in a shell"),
    "help": Verb("liqo.cli.help", "How a command is called"),
}

LATER = {
    "network": NETWORK,
    "test": NETWORK,
    "move": "storage across clusters",
}

command = LazyGroup(
    name="liqoctl",
    verbs=VERBS,
    later=LATER,
    help="Joins Kubernetes clusters into one.",
    epilog=examples("liqoctl playground up", "liqoctl playground --help"),
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    sys.exit(run(sys.argv))


def run(argv: Sequence[str]) -> int:
    """One command. An error is one sentence on stderr and exit code 1, never a stack trace."""
    called_as = "kubectl liqo" if Path(argv[0]).name == "kubectl-liqo" else "liqoctl"
    try:
        command.main(
            list(argv[1:]), called_as, complete_var=COMPLETION_VARIABLE, standalone_mode=False
        )
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except click.exceptions.NoArgsIsHelpError as help_text:
        help_text.show()
        return 1
    except Exception as error:  # whatever it is, a person reads of it
        Output().error(sentence(error))
        return 1
    return 0


def sentence(error: Exception) -> str:
    match error:
        case click.ClickException():
            return wrong_call(error)
        case LiqoError():
            return str(error)
        case OSError():  # a full disk, a folder that may not be written
            return f"this machine says no: {error}; see to that, and try again"
    return our_fault(error)


def our_fault(error: Exception) -> str:
    """What nobody expected, in one line, with the place that whoever repairs it looks for."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())
    where = f"{Path(place.filename).name}:{place.lineno}"
    return (
        f"this is a fault of liqoctl itself, not yours: {type(error).__name__}: {said} ({where}); "
        "please report this line, with the command and what `liqoctl version` prints"
    )


def wrong_call(error: click.ClickException) -> str:
    """What click found wrong, in our words' form, with the command whose help tells more."""
    said = error.format_message().rstrip(".")
    where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
    return f"{said[:1].lower()}{said[1:]}" + (f"; see: {where} --help" if where else "")
