"""liqoctl completion: a script by which a shell completes commands and flags.

The script asks liqoctl itself, each time, what could come next.
"""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from liqo.cli.lazy import COMPLETION_VARIABLE, examples
from liqo.cli.output import Output

NAMES = ("liqoctl", "kubectl-liqo")
CLASSES: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}
# PowerShell hands over the whole line, as fish does, and so it asks in fish's way.
POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName {names} -ScriptBlock {{
    param($word, $line, $cursor)
    $env:{variable} = "fish_complete"
    $env:COMP_WORDS = $line.ToString()
    $env:COMP_CWORD = $word
    try {{
        & $line.CommandElements[0].Value | Where-Object {{ $_ -like "plain,*" }} | ForEach-Object {{
            $value, $help = $_.Substring(6) -split "`t", 2
            if (-not $help) {{ $help = $value }}
            $kind = "ParameterValue"
            [System.Management.Automation.CompletionResult]::new($value, $value, $kind, $help)
        }}
    }} finally {{
        Remove-Item Env:{variable}, Env:COMP_WORDS, Env:COMP_CWORD
    }}
}}
"""


@click.command(
    "completion",
    help="Print a script that completes commands and flags; load it from the profile of the shell.",
    epilog=examples(
        "source <(liqoctl completion bash)",
        "source <(liqoctl completion zsh)",
        "liqoctl completion fish | source",
        "liqoctl completion powershell | Out-String | Invoke-Expression",
    ),
)
@click.argument("shell", type=click.Choice([*CLASSES, "powershell"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    Output().text(script(shell, ctx.find_root().command))


def script(shell: str, root: click.Command) -> str:
    if shell == "powershell":
        return POWERSHELL.format(names=", ".join(NAMES), variable=COMPLETION_VARIABLE)
    asking = [CLASSES[shell](root, {}, name, COMPLETION_VARIABLE) for name in NAMES]
    # Not `source()`: that of bash would start a bash, to complain about old ones.
    return "".join(each.source_template % each.source_vars() for each in asking)
