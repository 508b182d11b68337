"""Writes a file as a whole or not at all, whatever ends the program or the power meanwhile."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write that replaces or makes `path`, or what it links to, by one step at the end, once its bytes are on
    the disk. Raises OSError, also for a device, pipe or folder, which it would take the place of, ValueError for a bad
    name; then, and when the body raises, what was there before stays."""
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "that is not a file", str(path))
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write these bytes as whole_file() does, and raise as it does."""
    with whole_file(path) as file:
        file.write(data)
