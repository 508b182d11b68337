"""Board files: read and checked (`load_board`), made into the firmware's settings, its boot.py and a wiring table."""

from host_tools.boards.check import BOARDS_DIR, board_names, load_board
from host_tools.boards.render import (
    WiringRow,
    board_module,
    fill_in,
    left_out,
    shown_on,
    wiring_markdown,
    wiring_table,
)
from host_tools.boards.schema import Board

__all__ = [
    "BOARDS_DIR",
    "Board",
    "WiringRow",
    "board_module",
    "board_names",
    "fill_in",
    "left_out",
    "load_board",
    "shown_on",
    "wiring_markdown",
    "wiring_table",
]
