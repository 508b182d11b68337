"""Writes a file as a whole or not at all, whatever ends the program or the power meanwhile."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write that replaces or makes `path` by one step at the end, once its bytes are on the disk. Raises
    OSError, ValueError for a bad name; then, and when the body raises, what was there before stays."""
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
