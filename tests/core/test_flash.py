"""Raw sectors: what is asked for lands in our blocks, whole and aligned, and nothing else is touched."""

from tumbler.hw.flash import Sectors

from tests.core import kit
from tests.core.flash_parts import BLOCK, PAGE, Flash, blank

BLOCKS = 8


def sectors(blocks=(6, 3)):
    flash = Flash(blank(BLOCKS))
    for i in range(len(flash.data)):
        flash.data[i] = i * 31 & 0xFF
    return flash, Sectors(flash, blocks)


def test_each_sector_is_its_block():
    flash, s = sectors()
    assert (s.count, s.blocks) == (2, [6, 3])
    s.erase(1)
    page = bytes(range(256))
    s.program(1, 2 * PAGE, page)
    buf = bytearray(4)
    s.read(1, 2 * PAGE + 10, buf)
    assert buf == b"\x0a\x0b\x0c\x0d"
    assert flash.block(3) == b"\xff" * 512 + page + b"\xff" * (BLOCK - 768)
    assert flash.touched == {3}


def test_programming_does_not_erase():
    flash, s = sectors()
    before = flash.block(6)
    s.program(0, 0, b"\x0f" * PAGE)
    assert flash.block(6) == bytes([b & 0x0F for b in before[:PAGE]]) + before[PAGE:]


def test_what_lies_outside_is_refused_and_nothing_is_touched():
    flash, s = sectors()
    before = bytes(flash.data)
    page, buf = bytes(PAGE), bytearray(PAGE)
    rows = (
        lambda: s.erase(2),
        lambda: s.erase(-1),
        lambda: s.read(2, 0, buf),
        lambda: s.read(-1, 0, buf),
        lambda: s.read(0, BLOCK - PAGE + 1, buf),
        lambda: s.read(0, -1, buf),
        lambda: s.program(2, 0, page),
        lambda: s.program(-1, 0, page),
        lambda: s.program(0, BLOCK, page),
        lambda: s.program(0, -PAGE, page),
        lambda: s.program(0, BLOCK - PAGE, page + page),
        lambda: s.program(0, 1, page),
        lambda: s.program(0, 0, page[:-1]),
        lambda: s.program(0, 0, b""),
    )
    for n in range(len(rows)):
        with kit.raises(OSError) as caught:
            rows[n]()
        assert caught.value.args[0] == 22, n
    assert flash.data == before and flash.touched == set()


def test_blocks_that_the_flash_has_not_or_that_are_named_twice_are_refused():
    for blocks in ((8,), (-1,), (3, 3), (0, 1, 2, 8)):
        with kit.raises(OSError):
            sectors(blocks)
