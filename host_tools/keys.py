"""The keys of the boards on this host: one file per dev, readable by its owner alone, never printed."""

import os
import re
import stat
import tempfile
from pathlib import Path

from tumbler.core import fields as F

from host_tools.bounded import read_bounded
from host_tools.errors import UserError

KEY_BYTES = 32
LARGEST_FILE = 4 * KEY_BYTES
# Known to everybody (docs/PROTOCOL.md): what it signs is not for play.
TEST_KEY = bytes(range(KEY_BYTES))
TEST_PREFIXES = ("sim-", "emu-")
_WANTED = "the file that provisioning wrote"


def not_for_play(dev: str) -> bool:
    """Is it a simulated or emulated board, whose key everybody knows?"""
    return dev.startswith(TEST_PREFIXES)


def check_dev(dev: str) -> None:
    """Raises UserError unless `dev` is a dev as docs/PROTOCOL.md writes it. It becomes a file name, so it is strict."""
    if not re.fullmatch(f"[{F.DEV_CHARS}]{{{F.DEV_MIN},{F.DEV_MAX}}}", dev):
        raise UserError(
            f"{dev[:40]!r} is not the dev of a board: give it as the board's hello says it, like e6614c31d3b8a52f-9c1e."
        )


def config_folder(to_keep: str) -> Path:
    """The folder of this program's settings: below XDG_CONFIG_HOME, else ~/.config. Raises UserError without a home."""
    base = os.environ.get("XDG_CONFIG_HOME")
    try:
        config = Path(base) if base and Path(base).is_absolute() else Path.home() / ".config"
    except RuntimeError:
        raise UserError(
            f"There is no home folder to keep {to_keep}: set HOME, or set XDG_CONFIG_HOME to a folder."
        ) from None
    return config / "tumbler"


def key_path(dev: str) -> Path:
    """Where the key of `dev` is kept. Raises UserError without a home folder."""
    return config_folder("keys in") / "keys" / f"{dev}.key"


def board_key(dev: str) -> bytes:
    """The 32-byte key K of a board; the published test key for sim- and emu- devs. Raises UserError."""
    check_dev(dev)
    if not_for_play(dev):
        return TEST_KEY
    path = key_path(dev)
    if _status(path) is None:
        raise UserError(
            f"There is no key for board {dev} at {path}: install it with `tumbler enrol {dev} --table NAME --key FILE`."
        )
    return read_key(path)


def check_installable(dev: str, source: Path) -> bytes:
    """The key in the file `source`, if it may become that of `dev`; changes nothing.

    Raises UserError when the source is no key, or when another key is there for this dev.
    """
    check_dev(dev)
    if not_for_play(dev):
        raise UserError(f"Board {dev} is simulated and uses the published test key: leave --key out.")
    key = read_key(source)
    path = key_path(dev)
    if _status(path) is not None and read_key(path) != key:
        raise UserError(
            f"There is another key for board {dev} at {path}: a board that was provisioned anew has a new dev; "
            "if that file is wrong, move it away first."
        )
    return key


def install_key(dev: str, source: Path) -> Path:
    """Copy the key file `source` to its place for `dev`, atomically, mode 0600; returns that place.

    Raises UserError as check_installable(), or when the file cannot be written.
    """
    return _keep(dev, check_installable(dev, source), "enrol")


def keep_new_key(dev: str, key: bytes) -> Path:
    """Write the key of a board that is being provisioned to its place; returns that. Raises UserError: there is one."""
    check_dev(dev)
    path = key_path(dev)
    if _status(path) is not None:
        raise UserError(f"There is a key for board {dev} at {path} already: provision again, under another dev.")
    return _keep(dev, key, "provision")


def _keep(dev: str, key: bytes, command: str) -> Path:
    path = key_path(dev)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, key.hex() + "\n")
    except OSError as error:
        raise UserError(
            f"Key file {path} cannot be written ({error.strerror}): mend that and {command} again."
        ) from None
    return path


def _status(path: Path) -> os.stat_result | None:
    """What the file system says of a key file, None if there is none. Raises UserError."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"Key file {path} cannot be read ({error.strerror}): give {_WANTED}.") from None


def read_key(path: Path) -> bytes:
    """The 32-byte key in a file. Raises UserError when it is no key, or when others can read it."""
    status = _status(path)
    text = read_bounded(path, "Key file", _WANTED, LARGEST_FILE, f"a key: give {_WANTED}")
    if status is not None and os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        raise UserError(f"Key file {path} can be read by others: run `chmod 600 {path}` and ask who has seen it.")
    # Nothing of the text goes into the message: it may be a key with a slip in it.
    if not re.fullmatch(rb"[0-9a-fA-F]{%d}\s*" % (2 * KEY_BYTES), text):
        raise UserError(f"Key file {path} is not {2 * KEY_BYTES} hex digits on one line: give {_WANTED}.")
    return bytes.fromhex(text.decode("ascii"))


def write_private(path: Path, text: str) -> None:
    """Make or replace a file that its owner alone can read, as a whole or not at all; it is on the disk then. Raises
    OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if os.name == "posix":  # its name too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
