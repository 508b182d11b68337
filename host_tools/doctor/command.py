"""The command `tumbler doctor`: shows all that was found, then what is wrong; 0 if nothing is."""

import dataclasses
import json
import os
from typing import Annotated

import typer

from host_tools.words import printable

WRONG = 2


def doctor(
    port: Annotated[
        str | None, typer.Option(help="Listen to this port too: a device or a USB serial number", metavar="PORT")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list instead of a table")] = False,
) -> None:
    """Show what is plugged in and installed, what is wrong with it, and how to mend each.

    Boards are only listened to: nothing interrupts one that plays. Ends with 0 if nothing is wrong, else with 2.
    """
    from host_tools.doctor import installed, ports
    from host_tools.link.ports import find, list_all

    listed = list_all()
    chosen = None if port is None else find(port, listed, "--port")
    shown = [*listed, *([chosen] if chosen is not None and chosen not in listed else [])]
    plugged = [ports.look_at(info, info == chosen) for info in shown]
    waiting = ports.bootsel()
    here = [installed.python(), *installed.packages(), installed.stubs()]
    found = [*plugged, *waiting, *ports.nothing([*plugged, *waiting]), *here]
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(finding) for finding in found], indent=1))
    else:
        for finding in found:
            typer.echo(printable(f"{finding.what}: {finding.says}"))
        for finding in found:
            if finding.wrong:
                wrong = f"Wrong: {os.path.basename(finding.what)}: {finding.wrong}"
                typer.echo("\n".join(printable(line) for line in wrong.split("\n")), err=True)
        if not any(finding.wrong for finding in found):
            typer.echo("Nothing is wrong.")
    if any(finding.wrong for finding in found):
        raise typer.Exit(WRONG)
