"""`tumbler sim`: a simulated board that stays up, and the keyboard of a person who plays dealer at it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from host_tools.errors import UserError
from host_tools.rig import CallRig, Seen
from host_tools.rig.server import RigServer
from host_tools.sim.board import SimBoard, new_dev

SOCKET = "rig.sock"
NOT_FOR_PLAY = "NOT FOR PLAY: a simulated board, its dice come from a seeded generator."
LOOK_S = 0.1
SCREEN_WIDTH, SCREEN_HEIGHT = 60, 14  # characters; a smaller terminal gets lines without a frame
HELP = "1-6 numbers · Enter ENTRY · s SPIN · n NO MORE BETS · c cover · k supervisor key · e E-stop · q quit"
SHORT_HELP = "1-6, Enter, s spin, n no more bets, c cover, k key, e E-stop, q quit"
TAPS = {"\r": "entry", "\n": "entry", "s": "spin", "n": "no_more_bets"} | {str(n): str(n) for n in range(1, 7)}


def sim(
    board: Annotated[
        str, typer.Option(help="A board of boards/, or the path of a .toml file", metavar="NAME")
    ] = "pico",
    seed: Annotated[int, typer.Option(help="Where dice, bounce and motor get their chance from")] = 1,
    speed: Annotated[float, typer.Option(help="So many times as fast as real time")] = 1.0,
    state: Annotated[
        Path | None, typer.Option(help="Keep the board's flash in this folder, else it goes away", metavar="DIR")
    ] = None,
    keys: Annotated[bool, typer.Option("--keys", help="Play dealer from the keyboard")] = False,
) -> None:
    """Keep a simulated board up until Ctrl-C; prints the paths of its serial line and its rig. NOT FOR PLAY."""
    if keys and not sys.stdin.isatty():
        raise UserError("--keys reads the keyboard, and standard input is not a terminal: run tumbler sim in one.")
    console = Console()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that socket and directory go away then, too
    with (
        _state_dir(state) as directory,
        SimBoard(directory, board, seed=seed, speed=speed, dev=new_dev()) as sim_board,  # a flash that has one keeps it
    ):
        rig = CallRig(sim_board.call)
        with RigServer(sim_board.call, directory / SOCKET) as server:
            console.print(f"[bold]{NOT_FOR_PLAY}[/bold]")
            console.print(f"serial: {sim_board.serial_path}", highlight=False, soft_wrap=True)
            console.print(f"rig:    {server.path}", highlight=False, soft_wrap=True)
            with contextlib.suppress(KeyboardInterrupt):
                if keys:
                    play(rig, console)
                else:
                    while True:
                        time.sleep(1)
                        rig.read()  # tells if the board is gone


@contextlib.contextmanager
def _state_dir(state: Path | None) -> Iterator[Path]:
    """The folder of the board's flash, which SimBoard makes; one of its own that goes away if none is named."""
    if state is not None:
        yield state
        return
    try:
        made = tempfile.TemporaryDirectory(prefix="tumbler-sim-")
    except OSError as error:
        raise UserError(f"No temporary folder can be made ({error.strerror}): name a folder with --state.") from None
    with made as directory:
        yield Path(directory)


def play(rig: CallRig, console: Console) -> None:
    """The keyboard plays dealer, until q."""
    estop = False
    with _single_keys(), Live(console=console, auto_refresh=False) as live:
        while True:
            seen = rig.read()
            lie = seen["cover_open"] and not seen["drum_turns"]
            rows = table_rows(seen, estop, rig.dice() if lie else None)
            live.update(screen(rows, console.width, console.height), refresh=True)
            key = _key_within(LOOK_S)
            if key == "q":
                return
            if key in TAPS:
                rig.tap(TAPS[key])
            elif key == "c":
                rig.cover(not seen["cover_open"])
            elif key == "k":
                rig.supervisor(not seen["supervisor_on"])
            elif key == "e":
                estop = not estop
                rig.estop(estop)


def table_rows(seen: Seen, estop: bool, dice: tuple[int, int, int] | None) -> list[tuple[str, str]]:
    """What a person at the table sees: (what, how it is). dice: None while covered, or while the drum turns."""
    opened = "open, the dice show " + " ".join(map(str, dice)) if dice else "open, the drum still turns"
    return [
        ("display", f"[{seen['display']:4}]"),
        ("lamp", {"off": "off", "on": "on: place your bets", "blink": "blinking"}[seen["lamp"]]),
        ("relay", "ON" if seen["relay"] else "off"),
        ("drum", "turns" if seen["drum_turns"] else "rests"),
        ("cover", opened if seen["cover_open"] else "shut"),
        ("supervisor key", "on" if seen["supervisor_on"] else "off"),
        ("E-stop", "PRESSED" if estop else "released"),
        ("buzzer", "sounds" if seen["buzzer"] else f"quiet ({seen['beeps']} beeps so far)"),
    ]


def screen(rows: Sequence[tuple[str, str]], width: int, height: int) -> Table | Text:
    """The rows for a terminal of so many characters: a table of one width, or on a small one lines that fill it."""
    if width < SCREEN_WIDTH or height < SCREEN_HEIGHT:
        return Text("\n".join(["NOT FOR PLAY", " · ".join(f"{what} {how}" for what, how in rows), SHORT_HELP]))
    table = Table(title="NOT FOR PLAY", caption=HELP, show_header=False, width=SCREEN_WIDTH)
    for what, how in rows:
        table.add_row(what, Text(how))
    return table


@contextlib.contextmanager
def _single_keys() -> Iterator[None]:
    """The terminal gives single keys, without echo; Ctrl-C still interrupts."""
    import termios  # not on Windows, where the simulated board does not run either
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _key_within(seconds: float) -> str:
    """A key, "" if none came, "q" when the terminal was closed."""
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return ""
    try:  # past Python's buffer, which select cannot see
        return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace") or "q"
    except OSError:
        return "q"
