"""The commands `tumbler boards …`: which boards there are, whether their files are good, and how they are wired."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from host_tools.boards.check import board_names, load_board
from host_tools.boards.render import board_module, left_out, shown_on, wiring_markdown, wiring_table
from host_tools.boards.schema import Board
from host_tools.errors import UserError
from host_tools.rig.wiring import RigTable, load_rig, rig_markdown, rig_wires

boards_app = typer.Typer(no_args_is_help=True, help="Board files: pins, motor and sensor limits of each board.")

BoardArgument = Annotated[str, typer.Argument(help="A board's name or a .toml file", metavar="NAME|FILE")]


@boards_app.command("list")
def list_boards() -> None:
    """The boards, how far each was tried, and what it leaves out."""
    for name in board_names():
        board = load_board(name)
        typer.echo(f"{name}: {board.title} (MicroPython {board.micropython}), {shown_on(board)}")
        for line in left_out(board):
            typer.echo(f"  left out: {line}")


@boards_app.command("check")
def check_boards(
    board: Annotated[
        str | None, typer.Argument(help="A board's name or a .toml file; all boards without it", metavar="[NAME|FILE]")
    ] = None,
) -> None:
    """Check board files: pins, limits, and what a broken wire would defeat."""
    problems = []
    for name in [board] if board is not None else board_names():
        try:
            loaded = load_board(name)
        except UserError as error:
            problems.append(str(error))
        else:
            typer.echo(f"{loaded.name}: good")
    if problems:
        raise UserError("\n".join(problems))


@boards_app.command("module")
def print_board_module(board: BoardArgument) -> None:
    """Print the settings of a board as the module tumbler_board.py that the firmware imports."""
    typer.echo(board_module(load_board(board)), nl=False)


@boards_app.command("wiring")
def wiring(
    board: BoardArgument,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a Markdown table, as in docs/WIRING.md")] = False,
    rig: Annotated[
        str | None,
        typer.Option(
            help="The wires to that rig instead: its name in boards/rigs or a .toml file", metavar="NAME|FILE"
        ),
    ] = None,
) -> None:
    """Print which GPIO goes where, drawn from the board's file."""
    loaded = load_board(board)
    if rig is not None:
        _show_rig(load_rig(rig), loaded, markdown)
        return
    if markdown:
        typer.echo(wiring_markdown(loaded), nl=False)
        return
    table = Table("Pin", "GPIO", "Function", "Wired how", "Direction", title=f"{loaded.title}, {shown_on(loaded)}")
    for row in wiring_table(loaded):
        table.add_row(row.pin, str(row.gpio), row.function, row.wired, row.direction)
    Console().print(table)
    for line in left_out(loaded):
        typer.echo(f"Left out: {line}.")
    for gpio, use in sorted(loaded.reserved.items()):
        typer.echo(f"GPIO {gpio} is left alone: {use}.")


def _show_rig(rig: RigTable, board: Board, markdown: bool) -> None:
    """The wires between a rig and a board, on the screen or as a Markdown table."""
    if markdown:
        typer.echo(rig_markdown(rig, board), nl=False)
        return
    table = Table("Rig GPIO", "Terminal GPIO", "Pin", "Function", "Via", title=f"Rig {rig.title}, {board.title}")
    for wire in rig_wires(rig, board):
        there = "-" if wire.terminal_gpio is None else str(wire.terminal_gpio)
        table.add_row(str(wire.rig_gpio), there, wire.pin, wire.function, wire.via)
    Console().print(table)
    typer.echo("And GND to GND.")
