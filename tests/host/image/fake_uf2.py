"""UF2 files for these tests, packed from the format's description, and a small program that passes for MicroPython."""

from __future__ import annotations

import struct
from pathlib import Path

from littlefs import LFSConfig, LittleFS, UserContext

BLOCK = 512
RP2040, RP2350 = 0xE48BFF56, 0xE48BFF59
FLASH = 0x10000000
AREAS = {  # board -> pico-sdk's name, begin and size of the flash for files (MicroPython's mpconfigboard.h)
    "pico": ("pico", 0x100A0000, 1408 * 1024),
    "pico_w": ("pico_w", 0x1012C000, 848 * 1024),
    "waveshare_rp2040_zero": ("waveshare_rp2040_zero", 0x100A0000, 1408 * 1024),
    "arduino_nano_rp2040": ("arduino_nano_rp2040_connect", 0x10200000, 14 * 1024 * 1024),
}


def block(address: int, payload: bytes, number: int, total: int, family: int = RP2040, flags: int = 0x2000) -> bytes:
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, flags, address, len(payload), number, total, family)
    return head + payload.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)


def uf2(flash: bytes, start: int = FLASH, family: int = RP2040) -> bytes:
    """A whole file that brings these bytes to address `start`."""
    total = -(-len(flash) // 256)
    parts = [flash[at : at + 256].ljust(256, b"\xff") for at in range(0, len(flash), 256)]
    return b"".join(block(start + 256 * n, part, n, total, family) for n, part in enumerate(parts))


def micropython(
    sdk_board: str = "pico",
    area: tuple[int, int] = (0x100A0000, 1408 * 1024),
    name: str = "MicroPython",
    version: str = "v1.25.0",
    extra: bytes = b"",
) -> bytes:
    """Flash bytes of a program that tells these facts of itself, as the pico-sdk's binary info does."""
    texts, table = bytearray(), []
    entries = bytearray()

    def text(words: str) -> int:
        texts.extend(words.encode() + b"\0")
        return FLASH + 0x400 + len(texts) - len(words) - 1

    for key, words in ((0x02031C86, name), (0x11A9BC3A, version), (0xB63CFFBB, sdk_board)):
        table.append(FLASH + 0x300 + len(entries))
        entries += struct.pack("<HHII", 6, 0x5052, key, text(words))
    table.append(FLASH + 0x300 + len(entries))
    entries += struct.pack("<HHIIIIHH", 7, 0x5052, text("MicroPython"), *area, 0, 3, 0)
    flash = bytearray(0x800)
    flash[0x1D4:0x1E8] = struct.pack("<5I", 0x7188EBF2, FLASH + 0x200, FLASH + 0x200 + 4 * len(table), 0, 0xE71AA390)
    flash[0x200 : 0x200 + 4 * len(table)] = struct.pack(f"<{len(table)}I", *table)
    flash[0x300 : 0x300 + len(entries)] = entries
    flash[0x400 : 0x400 + len(texts)] = texts
    return bytes(flash) + extra


def stock(board: str, **facts: object) -> bytes:
    """A UF2 that passes for the stock MicroPython of a board in boards/."""
    sdk_board, start, size = AREAS[board]
    return uf2(micropython(**({"sdk_board": sdk_board, "area": (start, size)} | facts)))  # pyright: ignore


def flash_of(data: bytes) -> dict[int, bytes]:
    """Address -> payload of each block of a UF2 file; the fields of every block are checked on the way."""
    found = {}
    total = len(data) // BLOCK
    assert total * BLOCK == len(data)
    for number in range(total):
        part = data[number * BLOCK : (number + 1) * BLOCK]
        magic_0, magic_1, flags, address, size, counted, of, family = struct.unpack_from("<8I", part)
        assert (magic_0, magic_1, part[-4:]) == (0x0A324655, 0x9E5D5157, struct.pack("<I", 0x0AB16F30))
        assert (flags, size, counted, of, family) == (0x2000, 256, number, total, RP2040)
        assert address not in found
        found[address] = part[32 : 32 + 256]
    return found


class Area(UserContext):
    """The littlefs area of a board whose flash got these pages and was erased before; read: the block read last."""

    def __init__(self, pages: dict[int, bytes], board: str) -> None:
        _, start, size = AREAS[board]
        super().__init__(buffer=bytearray(b"\xff" * size))
        self.last = -1
        for address, page in pages.items():
            if address >= start:
                self.buffer[address - start : address - start + 256] = page
        self.disk = LittleFS(self, mount=False, block_size=4096, block_count=size // 4096, prog_size=256, read_size=256)
        self.disk.mount()

    def read(self, cfg: LFSConfig, block: int, off: int, size: int) -> bytearray:
        self.last = block
        return super().read(cfg, block, off, size)

    def guards(self) -> dict[str, int]:
        """Name -> the block that it owns, of each guard; all are 4096 bytes."""
        owned = {}
        for folder, _, names in self.disk.walk("/guards"):
            for name in names:
                assert self.disk.stat(f"{folder}/{name}").size == 4096
                with self.disk.open(f"{folder}/{name}", "rb") as file:
                    file.read(1)
                owned[name] = self.last
        return owned


def files_of(pages: dict[int, bytes], board: str) -> dict[str, bytes]:
    """The files in the littlefs area of a board whose flash got these pages, but the guards."""
    disk = Area(pages, board).disk
    status = disk.fs_stat()
    assert status is not None
    assert (status.disk_version, status.block_count, status.name_max) == (0x00020000, AREAS[board][2] // 4096, 255)
    found = {}
    for folder, _, names in disk.walk("/"):
        for name in names:
            path = (Path(folder) / name).as_posix().lstrip("/")
            with disk.open(path, "rb") as file:
                found[path] = bytes(file.read())
    return {path: data for path, data in found.items() if not path.startswith("guards/")}
