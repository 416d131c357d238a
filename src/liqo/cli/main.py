"""liqoctl: the table of its verbs, and how an error ends it."""

import sys
from pathlib import Path

import click

from liqo.cli.lazy import LazyGroup, Verb, examples
from liqo.cli.output import Output
from liqo.errors import LiqoError

VERBS = {
    "playground": Verb("liqo.cli.playground", "Real Kubernetes clusters on this machine"),
}

command = LazyGroup(
    name="liqoctl",
    verbs=VERBS,
    help="Joins Kubernetes clusters into one.",
    epilog=examples("liqoctl playground up", "liqoctl playground --help"),
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run one command. An error is one sentence on stderr and exit code 1, never a stack trace."""
    called_as = "kubectl liqo" if Path(sys.argv[0]).name == "kubectl-liqo" else "liqoctl"
    try:
        command.main(prog_name=called_as, standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as help_text:
        help_text.show()
        sys.exit(1)
    except click.ClickException as error:
        Output().error(wrong_call(error))
        sys.exit(1)
    except LiqoError as error:
        Output().error(str(error))
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that may not be written
        Output().error(f"this machine says no: {error}; see to that, and try again")
        sys.exit(1)


def wrong_call(error: click.ClickException) -> str:
    """What click found wrong, in our words' form, with the command whose help tells more."""
    said = error.format_message().rstrip(".")
    where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
    return f"{said[:1].lower()}{said[1:]}" + (f"; see: {where} --help" if where else "")
