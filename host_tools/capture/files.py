"""Keeps every byte that a port gives, as received, and beside it when it came.

NAME.00001.log holds the bytes and nothing else; NAME.00001.times.csv has a line for each read: offset of its first
byte, UTC time. NAME.00001.sent holds what went out, among it the acks: they tell later whether the end of the log was
cut off. A capture that is rotated goes on in NAME.00002.log with its own two files.
"""

import contextlib
import os
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from host_tools.capture.names import free_name, part_path, sent_path, times_path
from host_tools.errors import UserError

SYNC_S = 1.0
# A part that is full ends with a line; where none ends for so long, there is none that a reader needs whole.
LONGEST_TAIL = 1 << 16


class Sync(str, Enum):
    """When what was written is put on the disk: only from then on it survives a power cut of the host."""

    READ = "read"
    SECOND = "second"
    CLOSE = "close"


class Rotation(NamedTuple):
    """When a part is full; None: never for that."""

    size_bytes: int | None = None
    after_s: float | None = None


NO_ROTATION = Rotation()


class Capture:
    """The open files of a capture. A killed process loses nothing that was added; what a power cut takes, Sync says."""

    def __init__(
        self, directory: Path, opened: datetime, rotation: Rotation = NO_ROTATION, sync: Sync = Sync.SECOND
    ) -> None:
        """Make the first files in `directory`, named after the time. Raises UserError when that cannot be."""
        self._directory, self._rotation, self._policy = directory, rotation, sync
        self._synced_s = float("-inf")
        self._number = 0
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unmade(error) from None
        self._name = free_name(directory, opened.astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ"))
        self._open_part()

    @property
    def logs(self) -> str:
        """What names all its logs on a command line, with a `*` where there are several."""
        part = self.log_path if self._number == 1 else self._directory / f"{self._name}.*.log"
        return str(part.absolute())

    def add(self, data: bytes, arrived: datetime, now: float) -> None:
        """Append bytes that came at `arrived`; `now` is any steady clock in s. Raises UserError when the disk fails."""
        if self._full(now):
            in_line = 0 < self._tail < LONGEST_TAIL
            end = data.find(b"\n") + 1 if in_line else 0
            self._write(data[:end], arrived)
            data = data[end:]
            if data and (end or not in_line):
                self._close_part()
                self._open_part()
        if self._began_s is None:
            self._began_s = now
        self._write(data, arrived)
        if self._policy is Sync.READ or (self._policy is Sync.SECOND and now - self._synced_s >= SYNC_S):
            self._synced_s = now
            self._sync()

    def sent(self, data: bytes) -> None:
        """Append bytes that go out. Raises UserError when the disk fails."""
        try:
            _write_all(self._sent.fileno(), data)
        except OSError as error:
            raise self._unwritten(error) from None

    def close(self) -> None:
        """Put all of it on the disk and close. Raises UserError when the disk fails."""
        self._close_part()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.close()

    # ------------------------------------------------------------ parts

    def _full(self, now: float) -> bool:
        size, after = self._rotation
        if self._began_s is None:
            return False
        return (size is not None and self._offset >= size) or (after is not None and now - self._began_s >= after)

    def _open_part(self) -> None:
        self._number += 1
        self.log_path = part_path(self._directory, self._name, self._number)
        self._offset = self._tail = 0  # bytes in this part; those of them behind its last line end
        self._began_s: float | None = None  # when its first byte came
        with contextlib.ExitStack() as opened:
            try:
                # Unbuffered: what was added is with the operating system when add() returns.
                self._log = opened.enter_context(self.log_path.open("xb", buffering=0))
                self._times = opened.enter_context(times_path(self.log_path).open("xb", buffering=0))
                self._sent = opened.enter_context(sent_path(self.log_path).open("xb", buffering=0))
                _write_all(self._times.fileno(), b"offset,utc\n")
            except OSError as error:
                raise self._unmade(error) from None
            self._files = opened.pop_all()

    def _close_part(self) -> None:
        with self._files:
            self._sync()

    def _write(self, data: bytes, arrived: datetime) -> None:
        if not data:
            return
        line = f"{self._offset},{arrived.astimezone(timezone.utc).isoformat(timespec='microseconds')}\n"
        try:
            _write_all(self._log.fileno(), data)
            _write_all(self._times.fileno(), line.encode("ascii"))
        except OSError as error:
            raise self._unwritten(error) from None
        self._offset += len(data)
        end = data.rfind(b"\n") + 1
        self._tail = len(data) - end if end else self._tail + len(data)

    def _sync(self) -> None:
        try:
            for file in (self._log, self._times, self._sent):
                if not file.closed:  # the next part could not be made
                    os.fsync(file.fileno())
            deleted = not self._log.closed and not os.fstat(self._log.fileno()).st_nlink
        except OSError as error:
            raise self._unwritten(error) from None
        if deleted:
            raise UserError(
                f"Capture file {self.log_path} was deleted while it was written: start again, with --out where nobody "
                "tidies up; the board keeps what was not acked."
            )

    def _unmade(self, error: OSError) -> UserError:
        return UserError(
            f"No capture file can be made in {self._directory} ({error.strerror}): choose another place with --out."
        )

    def _unwritten(self, error: OSError) -> UserError:
        return UserError(
            f"Capture file {self.log_path} cannot be written ({error.strerror}): make room and start again; "
            "the board keeps what was not acked."
        )


def _write_all(descriptor: int, data: bytes) -> None:
    """os.write may write a part: a full disk shows only at the next call."""
    while data:
        data = data[os.write(descriptor, data) :]
