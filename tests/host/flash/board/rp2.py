"""A stand-in for MicroPython's rp2: the flash alone, of which there is one."""

import norflash

_the = []


def begin(path):
    """The file at `path` is the flash, opened while the host's files can be reached."""
    norflash.Flash.path = path
    _the.append(norflash.Flash())


def Flash():
    return _the[0]
