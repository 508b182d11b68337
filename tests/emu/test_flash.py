"""The journal on real MicroPython's flash: power cuts at its erases and programs lose nothing that was kept, littlefs
keeps out of its blocks, and an image that is dragged on again leaves it whole."""

import dataclasses
import random
import re

import pytest

from host_tools.boards import load_board
from host_tools.build import build_files
from host_tools.emu.board import EmuBoard
from host_tools.emu.flashcut import FlashCut
from host_tools.emu.program import Program
from host_tools.image import add_filesystem, guarded_blocks
from host_tools.uf2 import FLASH_START

FILES_AT = 0xA0000 // 4096  # block of the flash where a Pico's filesystem begins
SECTORS = 16  # fewer than a board's, so that the rings come round
BOARD = dataclasses.replace(
    load_board("pico"), journal=dataclasses.replace(load_board("pico").journal, sectors=SECTORS)
)
# Keeps records without macs, acks all but the last few, and says what was kept; at each start it looks at all of them.
JOURNAL = """
import time
time.sleep_ms(25)  # until the host knows the board again
from tumbler.core import ledger
from tumbler.core.journal_flash import FlashJournal
from tumbler.hw import guards
from tumbler.hw.flash import Sectors, area, count

def record(seq):
    return ledger.encode_record("bets_closed", "emu-aa", 1, seq, seq, (seq, "x" * (1 + seq % 24)), None, b"")[0]

flash = area()
blocks = guards.blocks(count(flash), SECTORS)
assert guards.heads(flash, len(blocks)) == blocks
journal = FlashJournal(Sectors(flash, blocks[2:]), blocks)
journal.open("emu-aa")
last = journal.next_seq - 1
for seq in range(journal.acked + 1, last + 1):
    assert journal.recall(seq) == record(seq), seq
print("opened", last, journal.acked)
while True:
    seq = journal.next_seq
    journal.keep = max(1, seq - 2)
    journal.append(record(seq))
    print("kept", seq)
    if seq > 4:
        journal.ack(seq - 4)
    journal.prepare()
    if seq % 5 == 0:
        with open("other.txt", "w") as f:
            f.write("y" * 700)
"""


def guarded() -> set[int]:
    """Blocks of the whole flash that belong to the identity and the journal."""
    return {FILES_AT + block for block in guarded_blocks(BOARD)}


def journal_files() -> dict[str, bytes]:
    """What runs JOURNAL on a board."""
    modules = {path: data for path, data in build_files(BOARD).items() if path.startswith("tumbler/")}
    return modules | {"boot.py": b"", "main.py": JOURNAL.replace("SECTORS", str(SECTORS)).encode()}


def test_an_image_that_is_dragged_on_again_leaves_the_journal_whole(uf2, emulated):
    files = journal_files()
    board = emulated(EmuBoard(BOARD, uf2=uf2, files=files))
    program = Program(board)
    program.until("kept 12", 1500)
    kept = int(re.findall(r"kept (\d+)\r", program.text)[-1])
    program.text = ""
    for address, page in add_filesystem({}, BOARD, files | {"more.txt": b"x" * 9000}).items():
        board.device.mcu.flash[address - FLASH_START : address - FLASH_START + len(page)] = page
    board.reset("power")
    assert kept <= int(program.until("opened", 1500).split()[1]) <= kept + 2
    program.until(f"kept {kept + 4}", 500)


@pytest.mark.parametrize("cuts", [5, pytest.param(100, marks=pytest.mark.emu_full)])
def test_the_power_goes_at_flash_operations_and_nothing_kept_is_lost(uf2, emulated, cuts):
    board = emulated(EmuBoard(BOARD, uf2=uf2, files=journal_files()))
    program, power, chance = Program(board), FlashCut(board), random.Random(cuts)
    kept = 0
    for number in range(cuts):
        power.cut_in(chance.randrange(1, 40), torn=number % 3 != 0)
        while not power.cut:
            program.board.step(5)
            assert power.cut or "Error" not in program.text, program.text
        kept = max([kept, *map(int, re.findall(r"kept (\d+)\r", program.text))])
        program.text = ""
        power.power_on()
        last, acked = map(int, program.until("opened", 1500).split()[1:])
        assert kept <= last <= kept + 2 and acked <= last, (number, kept, last)
    touched = {block for block, _ in power.operations}
    assert touched & guarded() and touched - guarded()  # journal and filesystem, both
    assert guarded() - touched >= {FILES_AT + block for block in guarded_blocks(BOARD)[:2]}  # the identity's
