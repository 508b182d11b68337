"""What is made from a board: the MicroPython module of its settings, its boot.py, and the wiring table for people."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

from host_tools.boards.schema import TABLES, Board, Pins

_AS_LEVEL = {"RELAY_ON_LEVEL", "SENSOR_ACTIVE"}  # the firmware compares and drives these as pin levels
EMULATED = "RPI_PICO"  # the one MicroPython board that the emulator runs
_LEVELS = {"high": 1, "low": 0}


def board_module(board: Board) -> str:
    """Source text of `tumbler_board.py`, ASCII: one constant a line, the same text for the same file.

    Levels are 1 and 0, a pin that is not wired is -1, every int is below 2**30 (larger ones allocate on a board).
    """
    lines = [
        f"# Settings of board {board.name}, made from {board.file},",
        f"# sha256 {board.sha256}.",
        "# Do not edit: change that file and put it onto the board again.",
        f'BOARD = "{board.name}"',
    ]
    lines += [f"{name} = {value}" for name, value in _constants(board).items()]
    return "\n".join(lines) + "\n"


def fill_in(template: str, board: Board) -> str:
    """A firmware source whose lines `NAME = -1` have the values of tumbler_board's NAME; a KeyError for another."""
    constants = _constants(board)
    return re.sub(r"^([A-Z_0-9]+) = -1\b", lambda found: f"{found[1]} = {constants[found[1]]}", template, flags=re.M)


def _constants(board: Board) -> dict[str, str]:
    """Name -> literal of each setting that the firmware knows."""
    named = {
        field.metadata["constant"]: getattr(getattr(board, table), field.name)
        for table, row_type in TABLES.items()
        for field in fields(row_type)
    }
    return {name: _literal(name, value) for name, value in named.items() if name}


def _literal(name: str, value: Any) -> str:
    if value is None:
        return "-1"
    if name in _AS_LEVEL:
        return str(_LEVELS[value])
    return f'"{value}"' if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class WiringRow:
    """One wire: the key in [pins], its GPIO number, what it does, how it is wired, and "in", "out" or "in/out"."""

    pin: str
    gpio: int
    function: str
    wired: str
    direction: str


def wiring_table(board: Board) -> list[WiringRow]:
    """The wires of the board in the order of [pins] in the schema, without optional ones that are not wired."""
    rows: list[WiringRow] = []
    for field in fields(Pins):
        gpio = getattr(board.pins, field.name)
        if gpio is not None:
            about = field.metadata
            wired = about["wired"].format(relay=board.relay, sensor=board.sensor)
            rows.append(WiringRow(field.name, gpio, about["function"], wired, about["direction"]))
    return rows


def left_out(board: Board) -> list[str]:
    """What the board has no wire for, such as "NO MORE BETS key (the host's command no_more_bets stands in)"."""
    return [
        f"{pin.metadata['function']} ({pin.metadata['without']})"
        for pin in fields(Pins)
        if getattr(board.pins, pin.name) is None
    ]


def shown_on(board: Board) -> str:
    """How far the firmware was tried on the board, in a few words."""
    if board.tested_on_hardware:
        return "tested on hardware"
    if board.micropython == EMULATED:
        return "runs in the emulator, not yet on hardware"
    return "compiled and validated only"


def wiring_markdown(board: Board) -> str:
    """`wiring_table` as a Markdown table, ending in a line feed."""
    lines = ["| pin | GPIO | function | wired how | direction |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row.pin} | {row.gpio} | {row.function} | {row.wired} | {row.direction} |" for row in wiring_table(board)
    ]
    return "\n".join(lines) + "\n"
