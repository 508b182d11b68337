"""UF2 files of the RP2040: pages of 256 bytes, each with its flash address, as the chip's boot ROM takes them.

Sources: the UF2 format's own description (512-byte blocks, little-endian); RP2040 datasheet, the boot ROM's USB
mass storage interface, for what it asks beyond that: pages of 256 bytes, blocks numbered without a gap.
"""

import struct
from collections.abc import Mapping

from host_tools.errors import UserError

PAGE_BYTES = 256
FLASH_START = 0x10000000  # RP2040 datasheet 2.2: XIP
FLASH_BYTES_MAX = 16 * 1024 * 1024
RP2040_FAMILY = 0xE48BFF56

_MAGIC = (0x0A324655, 0x9E5D5157)
_MAGIC_END = 0x0AB16F30
_HAS_FAMILY = 0x00002000
_BLOCK = struct.Struct("<8I476sI")


def read_uf2(data: bytes, name: str) -> dict[int, bytes]:
    """Flash address -> page of 256 bytes, of a UF2 file for the RP2040 called `name`.

    Raises UserError for anything that is not a whole one: cut off, not UF2, for another chip, blocks missing or out of
    order, two blocks for the same place.
    """
    if not data or len(data) % _BLOCK.size:
        raise UserError(
            f"{name} is not a whole UF2 file: {len(data)} bytes are not a number of {_BLOCK.size}-byte blocks; "
            "download it again."
        )
    total = len(data) // _BLOCK.size
    pages: dict[int, bytes] = {}
    for number, block in enumerate(_BLOCK.iter_unpack(data)):
        reason = _refuse(number, total, block)
        address = block[3]
        if reason is None and address in pages:
            reason = f"is a second one for address 0x{address:08x}; download the file again"
        if reason is not None:
            raise UserError(f"{name}, block {number} of {total}, {reason}.")
        pages[address] = block[8][:PAGE_BYTES]
    return pages


def _refuse(number: int, total: int, block: tuple) -> str | None:
    """What is wrong with one block by itself and how to mend it, or None."""
    magic_0, magic_1, flags, address, size, numbered, counted, family, _, magic_end = block
    if (magic_0, magic_1) != _MAGIC or magic_end != _MAGIC_END:
        return "lacks the marks of UF2; give a .uf2 file as it was downloaded"
    if flags != _HAS_FAMILY or family != RP2040_FAMILY:
        return "is not for the flash of an RP2040; give the .uf2 of a board with that chip"
    if (numbered, counted) != (number, total):
        return f"says it is block {numbered} of {counted}, so blocks are missing or mixed; download the file again"
    in_flash = FLASH_START <= address <= FLASH_START + FLASH_BYTES_MAX - PAGE_BYTES
    if size != PAGE_BYTES or address % PAGE_BYTES or not in_flash:
        return f"has {size} bytes for address 0x{address:08x}, which is no page of the flash; download the file again"
    return None


def write_uf2(pages: Mapping[int, bytes]) -> bytes:
    """The UF2 file of these pages (flash address -> 256 bytes), rising by address."""
    return b"".join(
        _BLOCK.pack(
            *_MAGIC,
            _HAS_FAMILY,
            address,
            PAGE_BYTES,
            number,
            len(pages),
            RP2040_FAMILY,
            pages[address],
            _MAGIC_END,
        )
        for number, address in enumerate(sorted(pages))
    )
