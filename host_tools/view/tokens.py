"""Who may write through the table view: names with a role, each known by the hash of a token that it was given once.

They stand in one file, readable by its owner alone, a line for each: name, role, SHA-256 of the token. A token has 256
bits of chance, so its plain hash tells nothing of it.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple, cast, get_args

from host_tools import keys
from host_tools.bounded import read_bounded
from host_tools.errors import UserError

if sys.platform != "win32":
    import fcntl

Role = Literal["wager", "supervisor"]
ROLES: tuple[Role, ...] = get_args(Role)
NAME = "[A-Za-z0-9_-]{1,19}"
"""A name is part of wager ids and of the board's records, `host:NAME`; no dot, which ends it in a wager id."""
MOST_BYTES = 1_000_000
TOKEN_BYTES = 32


class Holder(NamedTuple):
    """Whose token it is, and what it may do: `wager` places wagers, `supervisor` gives orders to the board."""

    name: str
    role: Role


class _Line(NamedTuple):
    holder: Holder
    digest: str


def token_path() -> Path:
    """Where the tokens are kept. Raises UserError without a home folder."""
    return keys.config_folder("tokens in") / "view.tokens"


def make(path: Path, name: str, role: Role) -> str:
    """Give `name` a token -> the token, which is written nowhere. Raises UserError for a bad or a known name."""
    _check_name(name)
    with _alone(path):
        lines = _read(path)
        if any(line.holder.name == name for line in lines):
            raise UserError(f"{name} has a token already: take that back first with `tumbler table revoke {name}`.")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        _write(path, [*lines, _Line(Holder(name, role), _digest(token))])
    return token


def revoke(path: Path, name: str) -> None:
    """Take the token of `name` back; a view that is on knows it at once. Raises UserError when there is none."""
    with _alone(path):
        lines = _read(path)
        kept = [line for line in lines if line.holder.name != name]
        if len(kept) == len(lines):
            raise UserError(f"No token of the name {name[:40]!r} is in {path}: see `tumbler table tokens`.")
        _write(path, kept)


def holders(path: Path) -> list[Holder]:
    """Everybody who has a token. Raises UserError."""
    return [line.holder for line in _read(path)]


class Tokens:
    """The tokens of a file, read again when it changes."""

    def __init__(self, path: Path) -> None:
        """Raises UserError when the file is there and no good."""
        self._path = path
        self._lock = Lock()
        self._seen: object = None
        self._lines: list[_Line] = []
        self._refresh()

    def holder(self, token: str) -> Holder | None:
        """Whose token it is. Every line is compared, each in constant time. Raises UserError for a bad file."""
        self._refresh()
        digest = _digest(token)
        found = [line.holder for line in self._lines if hmac.compare_digest(line.digest, digest)]
        return found[0] if found else None

    def _refresh(self) -> None:
        with self._lock:
            seen = _seen(self._path)
            if seen != self._seen:
                self._lines = _read(self._path)
                self._seen = seen


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _seen(path: Path) -> object:
    """Differs when the file does: it is only ever replaced."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode


def _read(path: Path) -> list[_Line]:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UserError(f"Token file {path} cannot be read ({error.strerror}): mend that and try again.") from None
    raw = read_bounded(
        path, "Token file", "the file that `tumbler table token` wrote", MOST_BYTES, "a token file can be"
    )
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise UserError(f"Token file {path} can be read by others: run `chmod 600 {path}` and make its tokens anew.")
    return [_line(path, number, text) for number, text in enumerate(raw.decode("ascii", "replace").splitlines(), 1)]


def _line(path: Path, number: int, text: str) -> _Line:
    found = re.fullmatch(f"({NAME}) ({'|'.join(ROLES)}) ([0-9a-f]{{64}})", text)
    if found is None:  # what stands there is not shown: it may be a token with a slip in it
        raise UserError(f"Token file {path}, line {number}: is not name, role and hash; take that line out.")
    return _Line(Holder(found[1], cast(Role, found[2])), found[3])


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Another process that makes or revokes a token waits: what it read would else be written over what was written
    here. The file itself is replaced by every write, so its folder is locked, but not on Windows."""
    folder = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sys.platform != "win32":
            folder = os.open(path.parent, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)
    except OSError as error:
        if folder is not None:
            os.close(folder)
        raise _not_written(path, error) from None
    try:
        yield
    finally:
        if folder is not None:
            os.close(folder)


def _write(path: Path, lines: list[_Line]) -> None:
    text = "".join(f"{line.holder.name} {line.holder.role} {line.digest}\n" for line in lines)
    try:
        keys.write_private(path, text)
    except OSError as error:
        raise _not_written(path, error) from None


def _not_written(path: Path, error: OSError) -> UserError:
    return UserError(f"Token file {path} cannot be written ({error.strerror}): mend that and try again.")


def _check_name(name: str) -> None:
    if not re.fullmatch(NAME, name):
        raise UserError(f"{name[:40]!r} is no name for a token: give 1 to 19 letters, digits, _ or -, without spaces.")
