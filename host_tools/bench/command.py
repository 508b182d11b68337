"""`tumbler bench`: the suite of tests/hil on a board, simulated, emulated or real, and the soak."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from host_tools.errors import UserError

if TYPE_CHECKING:
    from host_tools.bench.targets import Target

DRAWN = 1 << 30  # seeds are below


def bench(
    target: Annotated[str, typer.Option(help="sim, emu or emu:UF2", metavar="TARGET")],
    out: Annotated[Path, typer.Option(help="The run folder; it must be empty or not there yet", metavar="DIR")],
    board: Annotated[
        str, typer.Option(help="A board of boards/, or the path of a .toml file", metavar="NAME")
    ] = "pico",
    seed: Annotated[int | None, typer.Option(help="Chance of a simulated or emulated board; else drawn", min=0)] = None,
    only: Annotated[
        str, typer.Option("-k", help="Only the tests that fit, as with pytest; the wire's always", metavar="EXPR")
    ] = "",
) -> None:
    """Play the bench's suite and leave a folder with report, figures, logs and pins: docs/BENCH.md.

    Ends with 0 when the board passed, 1 when it failed, 2 when the bench itself had a problem.
    """
    from host_tools.bench import report, runner

    console = Console()
    findings = runner.run(_opener(target, board, seed), out, only)
    for line in runner.failures(findings):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(f"{report.summary(findings)}: {out / report.REPORT}", highlight=False, soft_wrap=True)
    raise typer.Exit(findings.exit_code())


def _opener(target: str, board: str, seed: int | None) -> Callable[[], Target]:
    """What opens the target that the options name. Raises UserError for options that do not go together."""
    from host_tools.bench.targets import open_emu, open_sim

    kind, _, uf2 = target.partition(":")
    chance = secrets.randbelow(DRAWN) if seed is None else seed
    if target == "sim":
        return lambda: open_sim(board, chance)
    if kind == "emu":
        return lambda: open_emu(board, chance, uf2)
    raise UserError(f"There is no target {target!r} of a bench: give sim, emu or emu:UF2.")
