"""`tumbler bench`: the suite of tests/hil on a board, simulated, emulated or real, or a soak."""

from __future__ import annotations

import secrets
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from host_tools.bench.stops import KEPT, end_if_stopped, stopped_once
from host_tools.errors import UserError

if TYPE_CHECKING:
    from host_tools.bench.targets import Target

DRAWN = 1 << 30  # seeds are below


def bench(
    target: Annotated[str, typer.Option(help="sim, emu, emu:UF2, auto, or a board's port", metavar="TARGET")],
    out: Annotated[Path, typer.Option(help="The run folder; it must be empty or not there yet", metavar="DIR")],
    rig: Annotated[
        str | None, typer.Option(help="The port of the rig that works a board's keys and cover", metavar="PORT")
    ] = None,
    wires: Annotated[str, typer.Option(help="The rig's board in boards/rigs or a .toml file", metavar="NAME")] = "pico",
    board: Annotated[
        str, typer.Option(help="A board of boards/, or the path of a .toml file", metavar="NAME")
    ] = "pico",
    seed: Annotated[
        int | None, typer.Option(help="Chance of a simulated or emulated board and of a soak's numbers", min=0)
    ] = None,
    only: Annotated[
        str, typer.Option("-k", help="Only the tests that fit, as with pytest; the wire's always", metavar="EXPR")
    ] = "",
    soak: Annotated[
        int | None, typer.Option(help="Instead of the suite play so many rounds, and count", metavar="N", min=1)
    ] = None,
) -> None:
    """Play the bench's suite and leave a folder with report, figures, logs and pins: docs/BENCH.md.

    Ends with 0 when the board passed, 1 when it failed, 2 when the bench itself had a problem.
    """
    with stopped_once():
        from host_tools.bench import report, runner

        console = Console()
        if soak is not None and only:
            raise UserError("A soak plays no tests: leave -k or --soak out.")
        seed = secrets.randbelow(DRAWN) if seed is None else seed
        open_target = _opener(target, rig, wires, board, seed, is_soak=soak is not None)
        with _problem_of_the_bench():
            if soak is not None:
                raise typer.Exit(_soak(open_target, soak, seed, out, console))
            findings = runner.run(open_target, out, only)
            for line in runner.failures(findings):
                console.print(line, highlight=False, markup=False, soft_wrap=True)
            console.print(f"{report.summary(findings)}: {out / report.REPORT}", highlight=False, soft_wrap=True)
            raise typer.Exit(findings.exit_code())


@contextmanager
def _problem_of_the_bench() -> Iterator[None]:
    """What nobody foresaw is a fault of the bench: it must not end with the code of a board that failed."""
    try:
        yield
    except (UserError, OSError, typer.Exit):
        raise
    except Exception:
        end_if_stopped()
        traceback.print_exc()
        raise typer.Exit(2) from None


def _soak(open_target: Callable[[], Target], rounds: int, seed: int, out: Path, console: Console) -> int:
    """Play so many rounds and show the counters -> exit code. Raises UserError."""
    from host_tools import progress
    from host_tools.bench import runner
    from host_tools.bench.soak import SOAK, soak

    try:
        with (
            runner.hands_off(runner.open_for(open_target, out)) as target,
            progress.done("Rounds", rounds) as advance,
        ):
            counters = soak(target, rounds, seed, out, advance)
    except KeyboardInterrupt:
        if (out / SOAK).exists():
            raise KeyboardInterrupt(KEPT.format("soak", out / SOAK)) from None
        runner.leave_nothing(out)
        raise
    shown = Table("", f"Soak of {target.facts['target']}", show_header=True)
    for what, figure in counters.rows():
        shown.add_row(what, figure)
    console.print(shown)
    if counters.failure:
        console.print(counters.failure, highlight=False, markup=False, soft_wrap=True)
    return 0 if counters.good else 1


def _opener(target: str, rig: str | None, wires: str, board: str, seed: int, is_soak: bool) -> Callable[[], Target]:
    """What opens the target that the options name. Raises UserError for options that do not go together."""
    from host_tools.bench.targets import open_emu, open_sim

    kind, _, uf2 = target.partition(":")
    if target != "sim" and kind != "emu":
        return _wired(target, rig, wires, board)
    if rig is not None:
        raise UserError(f"--rig is for a board: {kind} brings its own, leave it out.")
    if target == "sim":
        return lambda: open_sim(board, seed, trace=not is_soak)
    return lambda: open_emu(board, seed, uf2)


def _wired(target: str, rig: str | None, wires: str, board: str) -> Callable[[], Target]:
    """What opens a board with a rig at its wires. Raises UserError; for a word that means no port, before asking for a
    rig."""
    from host_tools.boards import load_board
    from host_tools.link import ports
    from host_tools.rig.wired import open_wired
    from host_tools.rig.wiring import load_rig

    listed = ports.list_all()
    known = {"auto", *(name for port in listed for name in (port.device, port.serial_number))}
    if target not in known and Path(target).name == target and not Path(target).exists():
        raise UserError(
            f"There is no target {target!r}: give sim, emu, emu:UF2, auto, or a board's port or USB serial number."
        )
    if rig is None:
        raise UserError("A bench on a board needs a rig that works its keys and cover: give its port with --rig PORT.")
    table, terminal = load_rig(wires), load_board(board)
    # Both may be boards of the same make: auto means the other one.
    found = ports.find(target, [port for port in listed if port.device != rig])
    if found.device == rig:
        raise UserError(f"{rig} was given for both board and rig: name the port of each.")
    return lambda: open_wired(found.device, rig, table, terminal)
