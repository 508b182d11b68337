"""`tumbler craps`: keeps a craps table by lines, from a file, a pipe or the keyboard."""

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from host_tools.bounded import read_bounded
from host_tools.errors import UserError
from host_tools.settler.amounts import shown
from host_tools.settler.craps import wagers
from host_tools.settler.craps.session import Session
from host_tools.settler.craps.table import CrapsTable
from host_tools.settler.paytable_file import find_file
from host_tools.words import composed

# A shift of rolls is some thousand lines; more is another file, or a pipe without an end.
MAX_FILE_BYTES = 1_000_000
MAX_LINES = 50_000


def craps(
    players: Annotated[str, typer.Option(help="Who stands around the table, clockwise: Aroha,Ben", metavar="NAMES")],
    file: Annotated[
        Path | None, typer.Argument(help="Lines of what happened; without one they are typed", metavar="[FILE]")
    ] = None,
    paytable: Annotated[
        str, typer.Option(help="A TOML file; craps is general practice, which comes with tumbler", metavar="NAME|FILE")
    ] = wagers.GAME,
) -> None:
    """Keep a craps table: wagers, rolls and who has the dice, typed line by line (docs/CRAPS.md).

    Of a file or a pipe all lines are good, or nothing is shown. At the keyboard a line that cannot be is refused and
    the table goes on.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):  # what is no text is refused as a line, not as a fault
        sys.stdin.reconfigure(errors="backslashreplace")
    session = Session(CrapsTable(wagers.load(find_file(paytable, {wagers.GAME: wagers.BUNDLED})), _names(players)))
    if file is not None:
        _play(session, _read(file).splitlines(), str(file))
    elif sys.stdin.isatty():
        _keyboard(session)
    else:
        _play(session, sys.stdin, "standard input")
    typer.echo(session.sums())


def _names(players: str) -> list[str]:
    names = [name.strip() for name in composed(players).split(",")]
    if len(set(names)) != len(names) or any(not name.isprintable() or len(name.split()) != 1 for name in names):
        raise UserError(f"--players {shown(players)} are not different names of one word each: write Aroha,Ben.")
    return names


def _read(file: Path) -> str:
    raw = read_bounded(file, "Craps file", "a readable text file", MAX_FILE_BYTES, "1 MB: split it")
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
