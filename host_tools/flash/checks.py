"""Is what answers at the raw REPL the MicroPython that our firmware needs, on the board that was named?"""

import ast
from collections.abc import Container
from typing import NamedTuple

from host_tools.boards import Board
from host_tools.errors import UserError
from host_tools.image import BLOCK_BYTES, OLDEST, PORTS, new_enough, port_of
from host_tools.provision import Console
from host_tools.repl import Refused

WHO = "import os\nu = os.uname()\nprint(repr((u[0], u[2], u[4])))"
AREA = """
import rp2, vfs
flash = rp2.Flash()
try:
    vfs.VfsLfs2(flash, readsize=256, progsize=256)
    mounts = True
except OSError:
    mounts = False
print(repr((flash.ioctl(4, 0), mounts)))
"""


SETTINGS = "tumbler_board.mpy"
WIRES = "import sys, tumbler_board\nprint(tumbler_board.BOARD)\ndel sys.modules['tumbler_board']"


class Who(NamedTuple):
    """What os.uname() says on a board."""

    system: str
    release: str
    machine: str


def ask_who(console: Console) -> Who | None:
    """None when what answers is not MicroPython."""
    try:
        system, release, machine = ast.literal_eval(console.run(WHO))
        return Who(system, release, machine)
    except (Refused, ValueError, SyntaxError):
        return None


def check_board(console: Console, board: Board) -> None:
    """Raises UserError: no MicroPython for an RP2040, too old, for another board, files not in littlefs."""
    port = port_of(board)
    drag = (
        f"hold BOOTSEL while you plug the board in and drag the .uf2 of MicroPython {OLDEST[0]}.{OLDEST[1]} or "
        f"newer for {board.micropython} onto it"
    )
    who = ask_who(console)
    if who is None:
        raise UserError(f"What answers there is not MicroPython for an RP2040: {drag}.")
    system, release, machine = who
    if system != "rp2":
        raise UserError(f"What answers there is {machine or system}, not MicroPython for an RP2040: {drag}.")
    if not new_enough(release):
        raise UserError(f"The board has MicroPython {release}, which this firmware is not for: {drag}.")
    title = machine.partition(" with ")[0]
    if title != port.title:
        fits = [name for name, other in PORTS.items() if other.title == title]
        give = f"give --board with a board file for {fits[0]}, or " if fits else ""
        raise UserError(f"The MicroPython there is for {machine}, not for {port.title}: {give}{drag}.")
    blocks, mounts = ast.literal_eval(console.run(AREA))
    if blocks * BLOCK_BYTES != port.size:
        raise UserError(
            f"The MicroPython there keeps its files in {blocks * BLOCK_BYTES // 1024} KiB and stock ones in "
            f"{port.size // 1024} KiB: {drag}."
        )
    if not mounts:
        raise UserError(
            "The MicroPython there keeps its files as a USB drive, where the journal cannot be guarded: build it for "
            "this board with MICROPY_HW_USB_MSC set to 0."
        )


def check_wires(console: Console, there: Container[str], board: Board) -> None:
    """Raises UserError when the firmware on the board, a half copied one too, is for another board file: its relay may
    hang on another pin. What cannot be imported tells nothing."""
    if SETTINGS not in there:
        return
    try:
        name = console.run(WIRES)
    except Refused:
        return
    if name != board.name:
        raise UserError(
            f"The firmware there is for board {name}, not for {board.name}: give --board {name}; if the wires are "
            f"those of {board.name} now, add --rewired."
        )


def free_blocks(console: Console) -> int:
    """Blocks of the file system that are free."""
    blocks, free = ast.literal_eval(console.run("import os\nprint(os.statvfs('/')[2:4])"))
    return free if 0 <= free <= blocks else 0  # a full one's count goes below zero, unsigned
