"""Reads a file that a person named, but never more of it than such a file can have."""

from pathlib import Path

from host_tools.errors import UserError


def read_bounded(path: Path, what: str, wanted: str, most_bytes: int, too_large: str) -> bytes:
    """The bytes of the file, at most `most_bytes`.

    what: the kind of file, as a message begins (`Wager file`); wanted: what to give instead of one that cannot be read;
    too_large: what is wrong with a larger one and how to mend it. Raises UserError.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(f"{what} {path} cannot be read ({error.strerror}): give the path of {wanted}.") from None
    if len(raw) > most_bytes:
        raise UserError(f"{what} {path} is larger than {too_large}.")
    return raw
