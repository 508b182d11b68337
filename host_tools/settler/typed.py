"""Keeps a table whose results are typed, by lines from a file, a pipe or the keyboard: craps and blackjack."""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

import typer

from host_tools.bounded import read_bounded
from host_tools.errors import UserError
from host_tools.settler.amounts import shown
from host_tools.settler.render import money
from host_tools.settler.settle import Settlement, totals
from host_tools.signals import handled
from host_tools.words import composed, plural, printable

# A shift of rolls is some thousand lines; more is another file, or a pipe without an end.
MAX_FILE_BYTES = 1_000_000
TOO_LARGE = "1 MB: split it"
MAX_LINES = 50_000
MAX_LINE_CHARS = 500
MOST_REPLAYED_LINES = 5_000_000
"""To take a line back all before it are played anew; so many take some two minutes."""

LOOK = "wagers"
"""The verb of both games that changes nothing."""
UNDO = "undo"


class Session(Protocol):
    """A table from its first line on; `rounds` counts the lines that began a round, or rolled."""

    rounds: int

    def do(self, line: str) -> list[str]:
        """Do what one line says -> the lines that answer it. Raises UserError; then nothing has changed."""
        ...

    def sums(self) -> str: ...


class Record:
    """A session and the lines that made it, of which the last can be taken back while its round lasts.

    new: makes the table as it is before the first line; it is played anew without the line that is taken back.
    """

    def __init__(self, new: Callable[[], Session]) -> None:
        self.taken_back: list[str] = []
        self._new = new
        self._session = new()
        self._lines: list[str] = []
        self._replayed = 0
        self._rounds = 0
        self._kept_from = 0  # the place of the line that began this round: what is before it stays

    def do(self, line: str) -> list[str]:
        """As Session.do; `undo` takes back the last line that changed something, back to the beginning of the round."""
        if len(line) > MAX_LINE_CHARS:
            raise UserError(f"A line has more than {MAX_LINE_CHARS} characters: write one thing that happened.")
        if not line.replace("\t", " ").isprintable():
            raise UserError(f"{shown(line)} has a character that cannot be shown: type the line anew.")
        if line.split() == [UNDO]:
            return self._undo()
        answers = self._session.do(line)
        if line.split()[0] != LOOK:
            if self._session.rounds > self._rounds:
                self._rounds, self._kept_from = self._session.rounds, len(self._lines)
            self._lines.append(line.strip())
        return answers

    def sums(self) -> str:
        """Those of the session, and every line that was taken back."""
        if not self.taken_back:
            return self._session.sums()
        count = plural(len(self.taken_back), "line", "lines")
        return f"{self._session.sums()}\nTaken back, {count}: {' · '.join(self.taken_back)}"

    def _undo(self) -> list[str]:
        if len(self._lines) <= self._kept_from:
            raise UserError("Nothing of this round is left to be taken back: a round before it stays as it is.")
        *stay, line = self._lines
        if self._replayed + len(stay) > MOST_REPLAYED_LINES:
            raise UserError("Too much was taken back: mend this line in the file of lines, or begin another.")
        self._replayed += len(stay)
        session = self._new()
        for each in stay:
            session.do(each)
        self._session, self._lines = session, stay
        self.taken_back.append(line)
        return [f"Taken back: {line}"]


def keep(new: Callable[[], Session], file: Path | None, what: str, kept: Path | None) -> None:
    """Do all lines of the file, or of standard input, and show the answers and the sums.

    what: the kind of file, as "Craps file"; kept: where lines that are typed are written, after those that it has are
    done again. Of a file or a pipe all lines are good, or nothing is shown: then it raises UserError. At the keyboard a
    line that cannot be is refused and the table goes on. Ctrl-C, SIGTERM or a hang-up there shows what is open and the
    sums, and raises KeyboardInterrupt.
    """
    record = Record(new)
    typed = file is None and _stdin().isatty()
    if kept is not None and not typed:
        raise UserError(f"--keep {kept} is for what is typed at the keyboard: a file or pipe has its lines already.")
    if not typed:
        name, raw = ("standard input", _piped()) if file is None else (str(file), _read(file, what))
        for answer in _played(record, _lines(raw, name), name):
            typer.echo(answer)
    else:
        _evening(record, kept, what)
    typer.echo(record.sums())


def split(line: str, verbs: Mapping[str, object]) -> tuple[str, list[str]]:
    """The verb of a line, and the words behind it. Raises UserError for one that is none of `verbs`."""
    verb, *words = composed(line).split()
    if verb not in verbs:
        raise UserError(f"{shown(verb)} is not understood: begin with one of {', '.join(verbs)}, {UNDO}.")
    return verb, words


def misused(line: str, usage: str) -> UserError:
    """The words of a line do not fit its verb, which is written as `usage` says."""
    return UserError(f"{shown(line)} is not understood: write {usage}.")


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


def _stdin() -> TextIO:
    if sys.stdin is None:
        raise UserError("Standard input is closed: give a file of lines, or open it.")
    return sys.stdin


def _piped() -> bytes:
    """All of standard input, as far as a file may be long."""
    try:
        raw = _stdin().buffer.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UserError(f"Standard input cannot be read ({error.strerror}): give a file of lines.") from None
    if len(raw) > MAX_FILE_BYTES:
        raise UserError(f"Standard input is larger than {TOO_LARGE}.")
    return raw


def _read(file: Path, what: str) -> bytes:
    return read_bounded(file, what, "a readable text file", MAX_FILE_BYTES, TOO_LARGE)


def _lines(raw: bytes, name: str) -> Iterable[str]:
    try:
        # Of what may end a line only what ends it at the keyboard, too.
        return [line.rstrip("\n") for line in io.StringIO(raw.decode("utf-8-sig"), newline=None)]
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{name}, line {line}: the text is not UTF-8; save the file as UTF-8.") from None


def _played(record: Record, lines: Iterable[str], name: str) -> list[str]:
    said: list[str] = []
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise UserError(f"{name} has more than {MAX_LINES} lines: split it.")
        if line.strip():
            try:
                said += record.do(line)
            except UserError as error:
                raise UserError(f"{name}, line {number}: {error}") from None
    return said


def _evening(record: Record, kept: Path | None, what: str) -> None:
    if isinstance(sys.stdin, io.TextIOWrapper):  # what is no text is refused as a line, not as a fault
        sys.stdin.reconfigure(errors="backslashreplace")
    with contextlib.ExitStack() as stack:
        out = None
        if kept is not None:
            raw = _read(kept, what) if kept.exists() else b""
            out = stack.enter_context(_opened(kept))
            if raw and not raw.endswith(b"\n"):
                raise UserError(f"{kept} ends within a line: finish or delete its last line.")
            _played(record, _lines(raw, str(kept)), str(kept))
            if raw:
                for answer in (f"All of {printable(str(kept))} is done again:", *record.do(LOOK)):
                    typer.echo(answer)
        try:
            stack.enter_context(handled(signal.default_int_handler, signal.SIGTERM, signal.SIGHUP))
            _keyboard(record, out)
        except (KeyboardInterrupt, UserError):
            # After a hang-up nobody is left to be told.
            with contextlib.suppress(OSError):
                typer.echo("\n".join(["", "Interrupted. Open:", *record.do(LOOK), record.sums()]))
            raise


def _opened(kept: Path) -> BinaryIO:
    try:
        return kept.open("ab", buffering=0)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no file name"
        raise UserError(f"--keep {shown(str(kept))} cannot be written ({why}): name a file that can.") from None


def _keyboard(record: Record, out: BinaryIO | None) -> None:
    while line := _typed_line():
        if not line.strip():
            continue
        try:
            answers = record.do(line.rstrip("\n"))
        except UserError as error:
            answers = [str(error)]
        else:
            if out is not None:
                _write(out, line)
        for answer in answers:
            typer.echo(answer)


def _write(out: BinaryIO, line: str) -> None:
    try:
        out.write(line.rstrip("\n").encode() + b"\n")
        os.fsync(out.fileno())
    except OSError as error:
        raise UserError(f"{out.name} takes no more lines ({error.strerror}): keep the evening elsewhere.") from None


def _typed_line() -> str:
    """The next line, of one too long no more than shows that; empty at the end."""
    try:
        line = part = sys.stdin.readline(MAX_LINE_CHARS + 2)
        while part and not part.endswith("\n"):
            part = sys.stdin.readline(MAX_LINE_CHARS)
    except OSError:  # the terminal is gone
        raise KeyboardInterrupt from None
    return line
