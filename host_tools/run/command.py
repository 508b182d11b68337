"""The command `tumbler run`: checks all that was given before it opens the port, runs, and says where things are."""

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from datetime import datetime, timezone
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from host_tools.capture import Capture, Sync
from host_tools.capture.options import Fsync, RotateSize, RotateTime, rotation
from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.settler.taisai import Dice, parse_dice
from host_tools.settler.wagerfile import read_wagers
from host_tools.signals import handled
from host_tools.store_option import DEFAULT_STORE, StoreUrl
from host_tools.view.command import ReachedAs

if TYPE_CHECKING:
    from host_tools.run.target import Target

DEFAULT_OUT = Path("out")
SIM = "sim"
EMU = "emu"  # or emu:UF2
INTERRUPTED = 130  # the shell's 128 + SIGINT

PLAYED = "Only with --target sim or emu: "
SIM_ONLY = "Only with --target sim: "


def run(
    target: Annotated[
        str,
        typer.Option(
            help="sim, emu[:UF2], auto, a device (/dev/ttyACM0, COM7), or a USB serial number", metavar="TARGET"
        ),
    ],
    store: StoreUrl = DEFAULT_STORE,
    wagers: Annotated[
        Path | None, typer.Option(help="CSV file whose wagers are placed anew in every round", metavar="FILE")
    ] = None,
    paytable: Annotated[
        str, typer.Option(help="A name that `tumbler paytables` lists, or a TOML file", metavar="NAME")
    ] = paytables.DEFAULT,
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after so many rounds; without it, at Ctrl-C")] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for captured logs and simulated boards", metavar="DIR")
    ] = DEFAULT_OUT,
    dice: Annotated[
        list[str] | None, typer.Option(help=PLAYED + "the dice of the next round, like 1,3,6; may be repeated")
    ] = None,
    seed: Annotated[int | None, typer.Option(help=PLAYED + "draws the same dice again")] = None,
    speed: Annotated[float | None, typer.Option(help=SIM_ONLY + "how many times as fast as real time")] = None,
    board: Annotated[str | None, typer.Option(help=PLAYED + "the board file to play", metavar="NAME")] = None,
    view: Annotated[
        str | None,
        typer.Option(
            help="Serve the table view too, as `tumbler table` does; a board played here is dealt from there",
            metavar="HOST:PORT",
        ),
    ] = None,
    reached_as: ReachedAs = None,
    deal: Annotated[
        bool, typer.Option("--deal", help="Only with --view: a board played here is dealt by itself all the same")
    ] = False,
    rotate_size: RotateSize = None,
    rotate_time: RotateTime = None,
    fsync: Fsync = Sync.SECOND,
) -> None:
    """Own a board's port: store and settle its rounds, capture every byte, show it.

    Ends with 0 after the rounds that were asked for, or at Ctrl-C when none were; with 130 when Ctrl-C came before.
    """
    # The database takes most of a second to import: no other command shall wait for it.
    from host_tools.run.screen import Screen
    from host_tools.run.table import TableRun
    from host_tools.store import Settler, Store
    from host_tools.store.database import check
    from host_tools.view.beside import ViewBeside

    table = paytables.load(paytable)
    batch = [] if wagers is None else read_wagers(wagers, table)
    results = [parse_dice(text) for text in dice or []]
    rotated = rotation(rotate_size, rotate_time)
    if view is None and (deal or reached_as):
        raise UserError("--deal and --reached-as belong to a view: give --view HOST:PORT, or leave them out.")
    source = choose_target(target, out, rounds, results, seed, speed, board, by_hand=view is not None and not deal)
    shown = None if view is None else ViewBeside(view, reached_as or [])
    check(store)
    screen = Screen(Console(), table)
    with ExitStack() as opened:
        if shown is not None:
            opened.callback(shown.close)
        opened.callback(source.close)
        port = source.open()
        # A port that is not there leaves no store behind.
        database = opened.enter_context(closing(Store.open(store, lambda why: screen.say(why, "yellow"))))
        opened.callback(database.write_back)
        screen.opened(port.device, source.about())
        with Capture(out, datetime.now(timezone.utc), rotated, fsync) as capture, stopped_by_signals() as stop:
            clock = source.clock()
            work = TableRun(source, database, Settler(table), batch, capture, screen, clock)
            serving = nullcontext()
            if shown is not None:
                serving = shown.serving(store, lambda: work.dev, table, clock.utc_now, source.rig())
            try:
                with serving:
                    work.until(port, rounds, stop.is_set, stop.wait)
            finally:
                damage = (work.bad_lines, work.noise_bytes, work.early_bytes)
                screen.ended(len(work.rounds), work.records, *damage, _place(store), capture.logs)
    if rounds is not None and len(work.rounds) < rounds:
        raise typer.Exit(INTERRUPTED)


def choose_target(
    target: str,
    out: Path,
    rounds: int | None,
    results: list[Dice],
    seed: int | None,
    speed: float | None,
    board: str | None,
    by_hand: bool,
) -> "Target":
    """What --target and the options of a played board mean; by_hand: no dealer plays it. Raises UserError."""
    kind, _, uf2 = target.partition(":")
    if target == SIM or kind == EMU:
        if sys.platform == "win32":
            raise UserError("A board that is played here needs pseudo terminals, not Windows: use Linux, macOS or WSL.")
        from host_tools.run.simtarget import EmuTarget, SimTarget

        if kind == EMU:
            if speed is not None:
                raise UserError("The emulated board takes no --speed: leave it out, or use --target sim.")
            return EmuTarget(uf2, board or "pico", seed, results, rounds, by_hand)
        if speed is not None and speed < 1:
            raise UserError(f"Speed {speed:g} is too slow: the board times the wagers of a run, so give 1 to 100.")
        return SimTarget(out, board or "pico", seed, 1.0 if speed is None else speed, results, rounds, by_hand)
    from host_tools.run.target import DeviceTarget

    given = {"--dice": results or None, "--seed": seed, "--speed": speed, "--board": board}
    extra = [name for name, value in given.items() if value is not None]
    if extra:
        raise UserError(f"Only a board played here takes {', '.join(extra)}: leave it out, or use --target sim or emu.")
    return DeviceTarget(target)


def _place(store: str) -> str:
    """Where a store is, for a person to read: without the password that a URL may hold."""
    from host_tools.store.database import shown_url, sqlite_path

    path = sqlite_path(store)
    return str(Path(path).resolve()) if path else shown_url(store)


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """The first Ctrl-C or SIGTERM ends the run between two steps, so that nothing is cut; the second one cuts."""
    stop = Event()

    def ask(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    with handled(ask, signal.SIGINT, signal.SIGTERM):
        yield stop
