"""Reads captured logs line by line in bounded memory, and what the host sent beside them (host_tools/capture/)."""

import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tumbler.core import ledger, mac
from tumbler.core.framer import Framer

from host_tools.capture.names import captures, sent_path
from host_tools.errors import UserError
from host_tools.verify.audit import Audit, BoardAudit, Place

LONGEST_READ = 1 << 16  # a line end may be missing for ever
STORE_HEAD = b"SQLite format 3\0"

KeyOf = Callable[[str], bytes]
Advance = Callable[[int], object]


def check_log(path: Path) -> int:
    """The size of a log in bytes. Raises UserError for what cannot be one."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"Log {path} is not a file: give the path of a captured log.")
        with path.open("rb") as file:
            head = file.read(len(STORE_HEAD))
    except OSError as error:
        raise UserError(f"Log {path} cannot be read ({error.strerror}): give the path of a captured log.") from None
    except ValueError:  # a zero byte in the name
        raise UserError(f"Log {str(path)!r} is no file name: give the path of a captured log.") from None
    if head == STORE_HEAD:
        raise UserError(f"Log {path} is a store: give it as sqlite:///{path}.")
    return status.st_size


def in_folder(folder: Path) -> list[list[Path]]:
    """The captures in the folder of a run, a capture or a bench, in the order of their names, which is that of time.

    The logs of a bench's tests are one capture, cut where a test ended. Raises UserError where there is none.
    """
    tests = sorted(folder.glob("serial/*/*.log"))
    found = [tests] if tests else captures(sorted(folder.glob("serial/*.log")))
    found += captures(sorted(folder.glob("*.log")))
    if not found:
        raise UserError(
            f"There is no captured log in {folder}: give the --out folder of a run, a capture or a bench, or the path "
            "of a .log file."
        )
    return found


class Chunk(NamedTuple):
    """What the framer cuts out of a log: like a ledger line or noise, its bytes, its line, where that begins."""

    is_line: bool
    raw: bytes
    place: Place
    offset: int


def chunks(parts: Sequence[Path], number: int, advance: Advance) -> Iterator[Chunk]:
    """What is in the parts of a capture, which are one stream of bytes. Raises UserError.

    number: of the first part among all logs. advance(bytes) is told how many were
    read. What stands behind the last line end was cut off and is left out.
    """
    framer = Framer()
    for place, path in enumerate(parts, number):
        line, offset = 1, 0
        try:
            with path.open("rb") as file:
                while part := file.readline(LONGEST_READ):
                    for is_line, raw in framer.feed(part):
                        yield Chunk(is_line, raw, Place(place, line, str(path)), offset)
                    line += part.endswith(b"\n")
                    offset += len(part)
                    advance(len(part))
        except OSError as error:
            raise UserError(f"Log {path} cannot be read ({error.strerror}): copy it from its backup.") from None


def check_lines(parts: Sequence[Path]) -> None:
    """Reads a capture to its first whole ledger line. Raises UserError when it has none or cannot be read."""
    fault = "holds no ledger line: give the .log file that a run captured"
    for chunk in chunks(parts, 0, lambda _: None):
        if chunk.is_line:
            try:
                ledger.decode_device(chunk.raw)
            except ledger.LineError:
                fault = "holds no ledger line that is whole: copy it from its backup"
            else:
                return
    raise UserError(f"Log {parts[0]} {fault}.")


def audit_logs(captured: Sequence[Sequence[Path]], key_of: KeyOf, advance: Advance) -> Audit:
    """Read captures, each with its parts, in this order -> their audit, not ended yet.

    Raises UserError as check_lines() and key_of() do.
    """
    audit = Audit(key_of)
    number = 0
    for parts in captured:
        check_lines(parts)
        audit.new_log()
        for chunk in chunks(parts, number, advance):
            audit.chunk(chunk.is_line, chunk.raw, chunk.place)
        _take_acks(audit, [sent for sent in map(sent_path, parts) if sent.is_file()], number, key_of)
        number += len(parts)
    return audit


def _take_acks(audit: Audit, parts: Sequence[Path], number: int, key_of: KeyOf) -> None:
    """A run speaks with one board: an ack of a record that is in the log tells which, and all others are for it too."""
    board: BoardAudit | None = None
    acked: list[tuple[bytes, dict, Place]] = []
    for chunk in chunks(parts, number, lambda _: None):
        try:
            fields = ledger.decode_command(chunk.raw) if chunk.is_line else {}
        except ledger.LineError:
            continue
        if fields.get("cmd") in ("ack", "welcome"):
            board = board or audit.of_ack(fields["seq"], fields["rmac"])
            acked = [*acked[-1:], (chunk.raw, fields, chunk.place)]
    for raw, fields, place in acked:
        if board is not None and ledger.mac_ok(raw, fields, mac.host_key(key_of(board.dev)), b""):
            board.was_acked(fields["seq"], place)
