"""What a program for the RP2040 tells of itself: its name, version, board and the flash that it keeps files in.

The pico-sdk puts a small table of such facts ("binary info") into every program, and so into MicroPython.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from host_tools.uf2 import FLASH_START, PAGE_BYTES

# pico/binary_info/defs.h and structure.h of the pico-sdk
_MARK_START, _MARK_END = 0x7188EBF2, 0xE71AA390
_SEARCHED = FLASH_START + PAGE_BYTES  # the header stands in the page behind the second boot stage
_ID_AND_STRING, _BLOCK_DEVICE = 6, 7
_TAG_RASPBERRY_PI = 0x5052
_PROGRAM_NAME, _PROGRAM_VERSION, _PICO_BOARD = 0x02031C86, 0x11A9BC3A, 0xB63CFFBB
_TABLE_MAX, _STRING_MAX = 4096, 128  # bytes; a stock MicroPython has a table of 100 to 300


@dataclass(frozen=True)
class Program:
    """`board` is the pico-sdk's name of the board; `storage` has (flash address, bytes) of each area for files. Texts
    that are not told are empty."""

    name: str
    version: str
    board: str
    storage: tuple[tuple[int, int], ...]


def read_program(pages: Mapping[int, bytes]) -> Program | None:
    """The facts in a program's flash pages (address -> 256 bytes); None if there are none, or not whole."""
    try:
        header = _read(pages, _SEARCHED, PAGE_BYTES)
        at = header.index(struct.pack("<I", _MARK_START))
        _, first, last, _, mark_end = struct.unpack_from("<5I", header, at)
        if mark_end != _MARK_END or not 0 <= last - first <= _TABLE_MAX:
            return None
        strings: dict[int, str] = {}
        storage: list[tuple[int, int]] = []
        for (entry,) in struct.iter_unpack("<I", _read(pages, first, last - first)):
            kind, tag = struct.unpack("<HH", _read(pages, entry, 4))
            if kind == _ID_AND_STRING and tag == _TAG_RASPBERRY_PI:
                key, text = struct.unpack("<II", _read(pages, entry + 4, 8))
                strings[key] = _read_text(pages, text)
            elif kind == _BLOCK_DEVICE:
                address, size = struct.unpack("<II", _read(pages, entry + 8, 8))
                storage.append((address, size))
    except (LookupError, ValueError, struct.error):
        return None
    told = [strings.get(key, "") for key in (_PROGRAM_NAME, _PROGRAM_VERSION, _PICO_BOARD)]
    return Program(told[0], told[1], told[2], tuple(storage))


def _read(pages: Mapping[int, bytes], address: int, size: int) -> bytes:
    """Raises LookupError where there is no page."""
    found = bytearray()
    while len(found) < size:
        page, offset = divmod(address + len(found), PAGE_BYTES)
        found += pages[page * PAGE_BYTES][offset:]
    return bytes(found[:size])


def _read_text(pages: Mapping[int, bytes], address: int) -> str:
    text = bytearray()
    while len(text) < _STRING_MAX and (byte := _read(pages, address + len(text), 1)) != b"\0":
        text += byte
    return text.decode("ascii", errors="replace")
