"""The command `tumbler capture`: keeps what a board says, and leaves the board alone."""

from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from host_tools.boards import load_board
from host_tools.capture.files import Capture, Sync
from host_tools.capture.options import Fsync, RotateSize, RotateTime, rotation
from host_tools.run.command import DEFAULT_OUT, PLAYED, SIM_ONLY, choose_target, stopped_by_signals
from host_tools.words import plural

if TYPE_CHECKING:
    from host_tools.capture.listen import Listening
    from host_tools.capture.screen import Screen


def capture(
    target: Annotated[
        str,
        typer.Option(
            help="sim, emu[:UF2], auto, a device (/dev/ttyACM0, COM7), or a USB serial number", metavar="TARGET"
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the files", metavar="DIR")] = DEFAULT_OUT,
    rotate_size: RotateSize = None,
    rotate_time: RotateTime = None,
    fsync: Fsync = Sync.SECOND,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no lines")] = False,
    seed: Annotated[int | None, typer.Option(help=PLAYED + "draws the same dice again")] = None,
    speed: Annotated[float | None, typer.Option(help=SIM_ONLY + "how many times as fast as real time")] = None,
    board: Annotated[
        str | None, typer.Option(help="The board file: of a board played here, or to tell its journal's room")
    ] = None,
) -> None:
    """Keep every byte that a board says, and when it came, until Ctrl-C. Nothing is sent to the board, not even acks.

    Without acks the board begins no new round once its journal is full; what it kept goes to the next `tumbler run`.
    """
    # Serial ports take long to import: no other command shall wait for it.
    from host_tools.capture.listen import Listening
    from host_tools.capture.screen import Screen

    rotated = rotation(rotate_size, rotate_time)
    loaded = load_board(board or "pico")
    played = target.partition(":")[0] in ("sim", "emu")
    source = choose_target(target, out, None, [], seed, speed, board if played else None, by_hand=False)
    console = Console()
    screen = Screen(console, Console(stderr=True), quiet)
    try:
        port = source.open()
        for line in (f"Port:     {port.device}", *source.about()):
            screen.say(line)
        with Capture(out, datetime.now(timezone.utc), rotated, fsync) as kept, stopped_by_signals() as stop:
            work = Listening(source, kept, screen, source.clock(), loaded)
            try:
                work.until(port, stop.is_set, stop.wait)
            finally:
                _summary(screen, work, kept)
    finally:
        source.close()
        screen.close()


def _summary(screen: "Screen", work: "Listening", kept: Capture) -> None:
    from host_tools.capture.screen import trouble

    watch = work.watch
    counts = [plural(watch.bytes, "byte", "bytes"), plural(watch.records, "record", "records")]
    counts += trouble(watch, work.drops)
    screen.say(", ".join(counts), "bold")
    if screen.unseen:
        screen.say(f"({plural(screen.unseen, 'line', 'lines')} came too fast to be shown; the files have them)")
    screen.say(f"Captured: {kept.logs}")
