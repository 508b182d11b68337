"""The commands `tumbler rig …`: put the rig's firmware on, and check every wire between rig and terminal."""

from typing import Annotated

import typer

from host_tools.boards import load_board
from host_tools.errors import UserError
from host_tools.rig.wiring import load_rig

rig_app = typer.Typer(no_args_is_help=True, help="The rig: a second RP2040 that plays the hands at a terminal.")

BoardOption = Annotated[str, typer.Option(help="The terminal's board or a .toml file", metavar="NAME|FILE")]
WiresOption = Annotated[str, typer.Option(help="The rig's board in boards/rigs or a .toml file", metavar="NAME|FILE")]


@rig_app.command("flash")
def flash(
    port: Annotated[str, typer.Option(help="The serial port of the rig's board", metavar="PORT")],
    board: BoardOption = "pico",
    wires: WiresOption = "pico",
) -> None:
    """Put the rig's firmware onto a board with MicroPython 1.25 or newer: copy what changed, and start it."""
    from host_tools.progress import files_written
    from host_tools.rig.firmware import put_on, rig_files

    files = rig_files(load_rig(wires), load_board(board))
    with files_written() as told:
        changed = put_on(port, files, told)
    typer.echo(f"The rig at {port} has its firmware; {changed} of {len(files)} files were changed.")


@rig_app.command("check")
def check(
    rig: Annotated[str, typer.Option(help="The serial port of the rig", metavar="PORT")],
    port: Annotated[
        str | None,
        typer.Option(help="The serial port of the terminal; without it the rig alone is looked at", metavar="PORT"),
    ] = None,
    board: BoardOption = "pico",
    wires: WiresOption = "pico",
) -> None:
    """Move each wire between rig and terminal and name the one that fails. The motor's relay goes on for a round."""
    from host_tools.bench.table import Table
    from host_tools.bench.terminal import Terminal
    from host_tools.rig.port_rig import PortRig
    from host_tools.rig.wire_check import wire_check
    from host_tools.rig.wired import open_wired

    table, terminal = load_rig(wires), load_board(board)
    if port is None:
        with PortRig(rig, table, terminal) as alone:
            typer.echo(f"The rig at {rig} answers; it can {', '.join(sorted(alone.capabilities))}.")
        return
    if port == rig:
        raise UserError(f"{port} was given for both rig and terminal: name the port of each.")
    target = open_wired(port, rig, table, terminal)
    try:
        wire_check(Table(target.rig, Terminal(target)), terminal, lambda names: typer.echo(f"whole: {names}"))
    finally:
        target.close()
    typer.echo("Every wire between rig and terminal is whole.")
