"""Keeps every byte that a port gives, as received, and beside it when it came.

NAME.log holds the bytes and nothing else; NAME.times.csv has a line for each read: offset of its first byte, UTC time.
NAME.sent holds what went out, among it the acks: they tell later whether the end of NAME.log was cut off.
"""

import os
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType

from host_tools.errors import UserError

SYNC_S = 1.0


def times_path(log: Path) -> Path:
    """The times of the bytes of a log."""
    return log.with_suffix(".times.csv")


def sent_path(log: Path) -> Path:
    """What was sent while the log was captured."""
    return log.with_suffix(".sent")


class Capture:
    """An open pair of files. A killed process loses nothing that was added; a power cut loses SYNC_S at most."""

    def __init__(self, directory: Path, opened: datetime) -> None:
        """Make the files in `directory`, named after the time. Raises UserError when that cannot be."""
        self._offset = 0
        self._synced_s = float("-inf")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self.log_path = _free_name(directory, opened.astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ"))
            # Unbuffered: what was added is with the operating system when add() returns.
            self._log = self.log_path.open("xb", buffering=0)
            self._times = times_path(self.log_path).open("xb", buffering=0)
            self._sent = sent_path(self.log_path).open("xb", buffering=0)
            self._times.write(b"offset,utc\n")
        except OSError as error:
            raise UserError(
                f"No capture file can be made in {directory} ({error.strerror}): choose another place with --out."
            ) from None

    def add(self, data: bytes, arrived: datetime, now: float) -> None:
        """Append bytes that came at `arrived`; `now` is any steady clock in s. Raises UserError when the disk fails."""
        line = f"{self._offset},{arrived.astimezone(timezone.utc).isoformat(timespec='microseconds')}\n"
        try:
            _write_all(self._log.fileno(), data)
            _write_all(self._times.fileno(), line.encode("ascii"))
            if now - self._synced_s >= SYNC_S:
                self._sync()
                self._synced_s = now
        except OSError as error:
            raise self._unwritten(error) from None
        self._offset += len(data)

    def sent(self, data: bytes) -> None:
        """Append bytes that go out. Raises UserError when the disk fails."""
        try:
            _write_all(self._sent.fileno(), data)
        except OSError as error:
            raise self._unwritten(error) from None

    def close(self) -> None:
        """Put all of it on the disk and close. Raises UserError when the disk fails."""
        try:
            with self._log, self._times, self._sent:
                self._sync()
        except OSError as error:
            raise self._unwritten(error) from None

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.close()

    def _unwritten(self, error: OSError) -> UserError:
        return UserError(
            f"Capture file {self.log_path} cannot be written ({error.strerror}): make room and start again; "
            "the board keeps what was not acked."
        )

    def _sync(self) -> None:
        os.fsync(self._log.fileno())
        os.fsync(self._times.fileno())
        os.fsync(self._sent.fileno())


def _write_all(descriptor: int, data: bytes) -> None:
    """os.write may write a part: a full disk shows only at the next call."""
    while data:
        data = data[os.write(descriptor, data) :]


def _free_name(directory: Path, stem: str) -> Path:
    """A name that is not taken: two runs can begin within a second."""
    path = directory / f"{stem}.log"
    count = 1
    while path.exists():
        count += 1
        path = directory / f"{stem}-{count}.log"
    return path
