"""The command `tumbler flash`: reads what was given, shows progress, and leaves the work to the job."""

from pathlib import Path
from typing import Annotated

import typer

from host_tools.boards import load_board
from host_tools.build import build_files
from host_tools.image import port_of
from host_tools.store_option import host_name


def flash(
    board: Annotated[str, typer.Option(help="A board's name or a .toml file", metavar="NAME|FILE")],
    port: Annotated[
        str, typer.Option(help="auto, a device (/dev/ttyACM0, COM7), or a USB serial number", metavar="PORT")
    ] = "auto",
    by: Annotated[
        str | None,
        typer.Option(
            help="Who orders a board in production into maintenance; its supervisor key is on", metavar="NAME"
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Key file of that board, if it is not in its place", metavar="FILE")
    ] = None,
    rewired: Annotated[
        bool, typer.Option("--rewired", help="The wires are those of --board now, the firmware there is of another")
    ] = False,
) -> None:
    """Put the firmware onto a board that has MicroPython: copy what changed, and wait until its hello proves it.

    A new board gets its identity and its key by it. One in production is not disturbed without --by.
    """
    from host_tools.flash.job import Job
    from host_tools.progress import files_written
    from host_tools.run.target import DeviceTarget

    loaded = load_board(board)
    port_of(loaded)
    name = None if by is None else host_name(by)
    built = build_files(loaded)
    target = DeviceTarget(port, "--port")
    typer.echo(f"Port {target.port.device}; listening for a board that plays.")
    with files_written() as told:
        Job(loaded, built, target, typer.echo, told, rewired).run(name, key)
