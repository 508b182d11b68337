"""Fingerprint of the code that the board holds, as a boot record and a hello tell it."""

import hashlib
import os

CHUNK = 512


def _root() -> str:
    """The directory that holds main.py and tumbler/."""
    # .../tumbler/hw/firmware_hash.py, or tumbler/hw/... where the directory is the current one
    return "/".join(__file__.split("/")[:-3]) or "."


def firmware_hash(top: str = "") -> str:
    """First 16 hex of a SHA-256 over every .py and .mpy file below directory `top`; "" is the running firmware's own.

    The files are sorted by their path relative to `top`; each goes in as path, NUL, bytes. Data (the journal, dev.txt)
    stays out; every module counts, also one that does not belong there. Raises OSError for a file that cannot be read.
    """
    top = top or _root()
    paths = []
    _collect(top, "", paths)
    return fingerprint(paths, lambda path: open(top + "/" + path, "rb"))


def fingerprint(paths: list, opened) -> str:
    """The rule itself, for the board and for the host that builds what goes onto it: `opened` gives the file of a path,
    in binary and with readinto()."""
    digest = hashlib.sha256()
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    for path in sorted(paths):
        digest.update(path.encode() + b"\0")
        with opened(path) as file:
            count = file.readinto(buffer)
            while count:
                digest.update(view[:count])
                count = file.readinto(buffer)
    return digest.digest().hex()[:16]


def _collect(top, below, paths):
    for entry in os.ilistdir(top + "/" + below):
        path = below + entry[0]
        if entry[1] == 0x4000:  # a directory
            _collect(top, path + "/", paths)
        elif path.endswith(".py") or path.endswith(".mpy"):
            paths.append(path)
