"""The flash of a simulated board, as whoever takes the chip off finds it: the journal's sectors and the filesystem."""

import re
from pathlib import Path

from littlefs import LittleFS, UserContext
from tumbler.core.ledger import decode_device

from host_tools.boards import load_board
from host_tools.sim.board import FLASH, FLASH_BLOCKS

BLOCK = 4096
SECTORS = load_board("pico").journal.sectors
FIRST = FLASH_BLOCKS - SECTORS  # block; the journal is the end of the flash
LINE = re.compile(rb'\{"sb":1,[ -~]*\}\n')


def journal(state_dir: Path) -> bytes:
    """The bytes of the journal's sectors."""
    return (state_dir / FLASH).read_bytes()[FIRST * BLOCK :]


def put_journal(state_dir: Path, data: bytes) -> None:
    """Somebody writes the journal's sectors."""
    with (state_dir / FLASH).open("r+b") as flash:
        flash.seek(FIRST * BLOCK)
        flash.write(data)


def records(state_dir: Path) -> list[dict]:
    """Each record that stands in the journal, once, by seq."""
    found = {}
    for line in LINE.findall(journal(state_dir)):
        record = decode_device(line[:-1])
        found[record["seq"]] = record
    return [found[seq] for seq in sorted(found)]


def disk(state_dir: Path) -> tuple[LittleFS, UserContext]:
    """The filesystem on the flash, mounted in memory, and its bytes."""
    flash = UserContext(buffer=bytearray((state_dir / FLASH).read_bytes()))
    fs = LittleFS(flash, mount=False, block_size=BLOCK, block_count=FLASH_BLOCKS, prog_size=256, read_size=256)
    fs.mount()
    return fs, flash
