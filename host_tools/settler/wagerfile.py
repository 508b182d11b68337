"""Reads a wager file: a CSV with the header wager_id,player,kind,selection,stake. All of it is good, or none is taken.

Further columns are ignored; a byte order mark and either line end are fine; lines with nothing in them are skipped.
"""

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from host_tools.bounded import open_bounded
from host_tools.errors import UserError
from host_tools.settler.amounts import parse_cents, shown
from host_tools.settler.limits import over_limit
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.settler.taisai import KINDS, canonical_selection
from host_tools.words import composed

COLUMNS = ("wager_id", "player", "kind", "selection", "stake")
# A million wagers take about 30 MB; the limit keeps an endless or wrong file from filling the memory.
MAX_FILE_BYTES = 64_000_000
TOO_LARGE = f"{MAX_FILE_BYTES // 1_000_000} MB: split it"
MAX_NAME_CHARS = 64
MARKS = ("Mn", "Me", "Mc", "Zs")  # what stands on a letter, or is space
FILLERS = "\u115f\u1160\u3164\uffa0"  # letters of Hangul that are blank
MOST_SHOWN = 100
"""So many bad rows of a large file are named."""
MEND = "No wager is taken: mend what is named above and give the file again."

Row = tuple[int, list[str]]
"""(line of the file where the row begins, counted from 1 as an editor shows it; its cells, outer spaces taken off)."""


def read_wagers(path: Path, paytable: Paytable) -> list[Wager]:
    """The wagers of the file, in file order, each covered by `paytable`.

    Raises UserError when the file cannot be read or is not such a CSV, or when any row is bad: then the message has
    a line for each bad row with file, row and reason, and no wager is taken.
    """
    return parse_wagers("".join(_lines(path, lambda _: None)), str(path), paytable)


def iter_wagers(path: Path, paytable: Paytable, advance: Callable[[int], object]) -> Iterator[tuple[int, Wager]]:
    """As read_wagers, but one after another in little memory, each with its row; advance(characters) is told how far it
    has come. Whether an id stands twice is for the caller to see.

    Raises UserError as read_wagers, at the end for bad rows: what was given until then must not count.
    """
    problems: list[str] = []
    bad = 0
    rows = _rows(_lines(path, advance), str(path), problems)
    for row, wager, reasons in _wagers(rows, str(path), problems, paytable):
        if wager is not None and not reasons:
            yield row, wager
        bad += bool(reasons)
        if reasons and bad <= MOST_SHOWN:
            problems.append(f"{path}, row {row}: {'; '.join(reasons)}")
    if problems:
        more = [f"and {bad - MOST_SHOWN} more rows"] if bad > MOST_SHOWN else []
        raise UserError("\n".join([*problems, *more, MEND]))


def _lines(path: Path, advance: Callable[[int], object]) -> Iterator[str]:
    with open_bounded(path, "Wager file", "a readable CSV file", MAX_FILE_BYTES, TOO_LARGE) as file:
        number = 0
        try:
            for number, line in enumerate(io.TextIOWrapper(file, "utf-8-sig", newline=""), 1):
                if "\0" in line:
                    raise UserError(f"{path}, row {number}: there is a NUL byte; save the file as CSV UTF-8.")
                advance(len(line))
                yield line
        except UnicodeDecodeError:
            raise UserError(
                f"{path}, row {_not_text(path)}: the text is not UTF-8; save the file as CSV UTF-8."
            ) from None
        except OSError as error:
            raise UserError(f"Wager file {path} cannot be read ({error.strerror}): copy it to this computer.") from None


def _not_text(path: Path) -> int:
    """The first row that is not UTF-8: a text is decoded in blocks, which says nothing of its rows."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 0


def parse_wagers(text: str, file_name: str, paytable: Paytable) -> list[Wager]:
    """As read_wagers, from text that was already read; `file_name` is only for messages."""
    problems: list[str] = []
    rows = _rows(io.StringIO(text, newline=""), file_name, problems)
    wagers: list[Wager] = []
    first_row: dict[str, int] = {}
    for row, wager, reasons in _wagers(rows, file_name, problems, paytable):
        if wager is not None:
            if wager.wager_id in first_row:
                reasons.append(f"wager_id {shown(wager.wager_id)} is already taken by row {first_row[wager.wager_id]}")
            elif wager.wager_id:
                first_row[wager.wager_id] = row
            wagers.append(wager)
        if reasons:
            problems.append(f"{file_name}, row {row}: {'; '.join(reasons)}")
    if problems:
        raise UserError("\n".join([*problems, MEND]))
    return wagers


def parse_wager(cells: Sequence[str], paytable: Paytable) -> Wager:
    """One wager from its five cells, in the order of COLUMNS. Raises UserError."""
    wager, reasons = read_wager(cells, paytable)
    if reasons:
        raise UserError(f"No wager is taken: {'; '.join(reasons)}.")
    return wager


def read_wager(cells: Sequence[str], paytable: Paytable) -> tuple[Wager, list[str]]:
    """One wager from its five cells, in the order of COLUMNS, and what speaks against it under `paytable`; the wager is
    of use when nothing does, or to be compared with one that was taken under an earlier paytable or other limits."""
    return _wager([cell.strip() for cell in cells], paytable)


def _rows(lines: Iterable[str], file_name: str, problems: list[str]) -> Iterator[Row]:
    """Every row that has something in it. Text that is not CSV ends the rows and is noted in `problems`."""
    reader = csv.reader(lines, strict=True)
    while True:
        row = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            # Where the row ends is unknown now, so the rows after it cannot be told apart.
            problems.append(f"{file_name}, row {row}: is not CSV ({error}); check its quotation marks")
            return
        if any(cells):
            yield row, cells


def _wagers(
    rows: Iterator[Row], file_name: str, problems: list[str], paytable: Paytable
) -> Iterator[tuple[int, Wager | None, list[str]]]:
    """(line, wager, what is wrong with it) of every row below the header; no wager where cells are missing or over."""
    columns, width = _header(rows, file_name, problems)
    for row, cells in rows:
        if len(cells) != width:
            yield row, None, [f"has {len(cells)} cells where the header has {width}"]
        else:
            yield row, *_wager([cells[column] for column in columns], paytable)


def _header(rows: Iterator[Row], file_name: str, problems: list[str]) -> tuple[list[int], int]:
    """Where each of COLUMNS stands, and how many cells a row has."""
    row, cells = next(rows, (1, []))
    wanted = ",".join(COLUMNS)
    if problems:
        raise UserError(f"{problems[0]}.")
    if not cells:
        raise UserError(f"Wager file {file_name} is empty: begin it with the header {wanted}.")
    missing = [column for column in COLUMNS if column not in cells]
    if missing:
        hint = "separate the columns by commas" if ";" in cells[0] or "\t" in cells[0] else f"write {wanted}"
        raise UserError(f"{file_name}, row {row}: the header lacks {', '.join(missing)}; {hint}.")
    doubled = [column for column in COLUMNS if cells.count(column) > 1]
    if doubled:
        raise UserError(
            f"{file_name}, row {row}: the header has {', '.join(doubled)} more than once; keep one of each."
        )
    return [cells.index(column) for column in COLUMNS], len(cells)


def _wager(cells: Sequence[str], paytable: Paytable) -> tuple[Wager, list[str]]:
    """As read_wager(), from stripped cells."""
    wager_id, player, kind, selection, stake = cells
    wager_id, player = composed(wager_id), composed(player)
    reasons = [*_name_reasons("wager_id", wager_id), *_name_reasons("player", player)]
    if kind not in KINDS:
        reasons.append(f"kind {shown(kind)} is not one of {', '.join(KINDS)}")
    else:
        try:
            selection = canonical_selection(kind, selection)
            if (kind, selection) not in paytable.areas:
                reasons.append(f"paytable {paytable.name} does not cover {kind} {selection}".rstrip())
        except UserError as error:
            reasons.append(str(error))
    try:
        stake_cents = parse_cents("stake", stake)
        over = over_limit(paytable.limits, kind, stake_cents)
        reasons += [over] if over else []
    except UserError as error:
        reasons.append(str(error))
        stake_cents = 0
    return Wager(wager_id, player, kind, selection, stake_cents), reasons


def _name_reasons(column: str, text: str) -> list[str]:
    if not text:
        return [f"{column} is empty"]
    if len(text) > MAX_NAME_CHARS or not text.isprintable():
        return [f"{column} {shown(text)} is not one line of at most {MAX_NAME_CHARS} printable characters"]
    if all(unicodedata.category(char) in MARKS or char in FILLERS for char in text):
        return [f"{column} {shown(text)} shows nothing on a slip"]
    return []
