"""Keeps a table whose results are typed, by lines from a file, a pipe or the keyboard: craps and blackjack."""

import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import typer

from host_tools.bounded import read_bounded
from host_tools.errors import UserError
from host_tools.settler.render import money
from host_tools.settler.settle import Settlement, totals

# A shift of rolls is some thousand lines; more is another file, or a pipe without an end.
MAX_FILE_BYTES = 1_000_000
MAX_LINES = 50_000


class Session(Protocol):
    """A table from its first line on."""

    def do(self, line: str) -> list[str]:
        """Do what one line says -> the lines that answer it. Raises UserError; then nothing has changed."""
        ...

    def sums(self) -> str: ...


def keep(session: Session, file: Path | None, what: str) -> None:
    """Do all lines of the file, or of standard input, and show the answers and the sums; what: as "Craps file".

    Of a file or a pipe all lines are good, or nothing is shown: then it raises UserError. At the keyboard a line that
    cannot be is refused and the table goes on.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):  # what is no text is refused as a line, not as a fault
        sys.stdin.reconfigure(errors="backslashreplace")
    if file is not None:
        _play(session, _read(file, what).splitlines(), str(file))
    elif sys.stdin.isatty():
        _keyboard(session)
    else:
        _play(session, sys.stdin, "standard input")
    typer.echo(session.sums())


def sums_of(settlements: Sequence[Settlement]) -> str:
    """The sums over all that was settled, on one line."""
    sums = totals(settlements)
    breakage = f" · breakage {sums.breakage_cents} cents" if sums.breakage_cents else ""
    return (
        f"staked {money(sums.staked_cents)} · won {money(sums.paid_cents)} · returned {money(sums.returned_cents)}"
        f" · stakes lost {money(sums.kept_cents)} · house {money(sums.kept_cents - sums.paid_cents)}{breakage}"
    )


def settled(settlement: Settlement) -> str:
    """One settled wager as a line: id, player, kind and selection, what it came to."""
    wager = settlement.wager
    name = f"{wager.wager_id} {wager.player} {wager.kind} {wager.selection}".rstrip()
    odds = "" if settlement.odds is None else f" {settlement.odds}"
    won, returned = money(settlement.won_cents), money(settlement.returned_cents)
    return f"{name}: {settlement.outcome}{odds} · won {won} · returned {returned}"


def _read(file: Path, what: str) -> str:
    raw = read_bounded(file, what, "a readable text file", MAX_FILE_BYTES, "1 MB: split it")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{file}, line {line}: the text is not UTF-8; save the file as UTF-8.") from None


def _play(session: Session, lines: Iterable[str], name: str) -> None:
    said: list[str] = []
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise UserError(f"{name} has more than {MAX_LINES} lines: split it.")
        if line.strip():
            try:
                said += session.do(line)
            except UserError as error:
                raise UserError(f"{name}, line {number}: {error}") from None
    for answer in said:
        typer.echo(answer)


def _keyboard(session: Session) -> None:
    for line in sys.stdin:
        if line.strip():
            try:
                answers = session.do(line)
            except UserError as error:
                answers = [str(error)]
            for answer in answers:
                typer.echo(answer)
