"""Reads a file that a person named, but never more of it than such a file can have."""

import stat
from pathlib import Path
from typing import BinaryIO

from host_tools.errors import UserError


def open_bounded(path: Path, what: str, wanted: str, most_bytes: int, too_large: str) -> BinaryIO:
    """The file, open to be read, if it is one and no larger. Arguments and UserError as read_bounded."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # not even opened: a pipe would be waited for
            raise UserError(f"{what} {path} is not a file: give the path of {wanted}.")
        file = path.open("rb")
    except OSError as error:
        raise UserError(f"{what} {path} cannot be read ({error.strerror}): give the path of {wanted}.") from None
    except ValueError:  # a zero byte in the name
        raise UserError(
            f"{what} {str(path)!r} cannot be read: that is no file name, give the path of {wanted}."
        ) from None
    if path.stat().st_size > most_bytes:
        file.close()
        raise UserError(f"{what} {path} is larger than {too_large}.")
    return file


def read_bounded(path: Path, what: str, wanted: str, most_bytes: int, too_large: str) -> bytes:
    """The bytes of the file, at most `most_bytes`.

    what: the kind of file, as a message begins (`Wager file`); wanted: what to give instead of one that cannot be read;
    too_large: what is wrong with a larger one and how to mend it. Raises UserError.
    """
    try:
        with open_bounded(path, what, wanted, most_bytes, too_large) as file:
            raw = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(f"{what} {path} cannot be read ({error.strerror}): give the path of {wanted}.") from None
    if len(raw) > most_bytes:
        raise UserError(f"{what} {path} is larger than {too_large}.")
    return raw
