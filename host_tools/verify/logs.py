"""Reads captured logs line by line in bounded memory, and beside each what the host sent (host_tools/capture.py)."""

import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tumbler.core import ledger, mac
from tumbler.core.framer import Framer

from host_tools.capture import sent_path
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


def chunks(path: Path, number: int, advance: Advance) -> Iterator[tuple[bool, bytes, Place]]:
    """What the framer cuts out of a log: whether it is like a ledger line, its bytes, where. Raises UserError.

    advance(bytes) is told how many were read. What stands behind the last line end was cut off and is left out.
    """
    framer, line = Framer(), 1
    try:
        with path.open("rb") as file:
            while part := file.readline(LONGEST_READ):
                for is_line, raw in framer.feed(part):
                    yield is_line, raw, Place(number, line, str(path))
                line += part.endswith(b"\n")
                advance(len(part))
    except OSError as error:
        raise UserError(f"Log {path} cannot be read ({error.strerror}): copy it from its backup.") from None


def check_lines(path: Path) -> None:
    """Reads to the first whole ledger line. Raises UserError for a log that has none, or that cannot be read."""
    fault = "holds no ledger line: give the .log file that a run captured"
    for is_line, raw, _ in chunks(path, 0, lambda _: None):
        if is_line:
            try:
                ledger.decode_device(raw)
            except ledger.LineError:
                fault = "holds no ledger line that is whole: copy it from its backup"
            else:
                return
    raise UserError(f"Log {path} {fault}.")


def audit_logs(paths: Sequence[Path], key_of: KeyOf, advance: Advance) -> Audit:
    """Read all logs as one, in this order -> their audit, not ended yet.

    Raises UserError as check_lines() and key_of() do.
    """
    audit = Audit(key_of)
    for number, path in enumerate(paths):
        check_lines(path)
        audit.new_log()
        for is_line, raw, place in chunks(path, number, advance):
            audit.chunk(is_line, raw, place)
        sent = sent_path(path)
        if sent.is_file():
            _take_acks(audit, sent, number, key_of)
    return audit


def _take_acks(audit: Audit, path: Path, number: int, key_of: KeyOf) -> None:
    """A run speaks with one board: an ack of a record that is in the log tells which, and all others are for it too."""
    board: BoardAudit | None = None
    acked: list[tuple[bytes, dict, Place]] = []
    for is_line, raw, place in chunks(path, number, lambda _: None):
        try:
            fields = ledger.decode_command(raw) if is_line else {}
        except ledger.LineError:
            continue
        if fields.get("cmd") in ("ack", "welcome"):
            board = board or audit.of_ack(fields["seq"], fields["rmac"])
            acked = [*acked[-1:], (raw, fields, place)]
    for raw, fields, place in acked:
        if board is not None and ledger.mac_ok(raw, fields, mac.host_key(key_of(board.dev)), b""):
            board.was_acked(fields["seq"], place)
