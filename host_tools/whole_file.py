"""Writes a file as a whole or not at all, whatever ends the program or the power meanwhile."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Replace or make the file by one step, once its bytes are on the disk. Raises OSError, ValueError for a bad name;
    then what was there before stays."""
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
