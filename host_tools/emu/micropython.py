"""Where the emulator's MicroPython comes from: a stock UF2 for RPI_PICO, fetched or built once and kept in a cache.

`python -m host_tools.emu.micropython` (make emu-firmware) prints its path.
"""

import os
import shutil
import sys
from pathlib import Path

from host_tools.errors import UserError
from host_tools.uf2 import read_uf2

VERSION = "1.25.0"  # the oldest one that is supported; Debian's packages have the same
VARIABLE = "TUMBLER_UF2"
HOW = f"run make emu-firmware, or name a MicroPython UF2 for RPI_PICO in {VARIABLE}"


def cache() -> Path:
    """Folder of what is fetched or built once; XDG Base Directory Specification."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tumbler"


def find_uf2(named: str | None = None) -> Path:
    """The UF2 `named`, else the one that TUMBLER_UF2 names, else the one in the cache. Raises UserError, saying what to
    do, if there is none or the file is not a whole UF2 for the RP2040."""
    named = named or os.environ.get(VARIABLE)
    path = Path(named) if named else _cached()
    if not path.is_file():
        raise UserError(f"The emulated board needs MicroPython for RP2040, and there is no file {path}: {HOW}.")
    read_uf2(path.read_bytes(), str(path))
    return path


def make_uf2() -> Path:
    """As find_uf2, but what is not there is fetched, or built where that cannot be. Raises UserError."""
    if os.environ.get(VARIABLE) or _cached().is_file():
        return find_uf2()
    path = _cached()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")  # a file of the right name is always whole
    _step(f"Fetching the official MicroPython {VERSION}")
    official = _fetch()
    if official is not None:
        shutil.copyfile(official, part)
    else:
        from host_tools.emu.debian import build

        _step("It cannot be had: building it from Debian's packages")
        build(part, _step)
    os.replace(part, path)
    return path


def _step(text: str) -> None:
    """What is done now, on stderr: stdout has the path alone."""
    print(f"{text} …", file=sys.stderr, flush=True)


def _cached() -> Path:
    return cache() / f"micropython-{VERSION}-RPI_PICO.uf2"


def _fetch() -> Path | None:
    """MicroPython's own build, through the emulator's index of them; None where it cannot be had."""
    from rp2040py.utils.firmware_retrieve import MICROPYTHON, retrieve

    try:
        path = retrieve(MICROPYTHON, VERSION, "pico")
        if path is not None:
            read_uf2(path.read_bytes(), str(path))
    except (OSError, UserError):  # no network (a URLError is an OSError), or cut off in the middle
        return None
    return path


if __name__ == "__main__":
    try:
        print(make_uf2())
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
