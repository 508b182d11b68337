"""The model of NOR flash does what the chip does (W25Q16JV datasheet: erase to FF, program only clears bits) and fails
as told."""

import os

from tests.core import kit
from tests.core.journal_flash_parts import CLEAN_AFTER, CLEAN_BEFORE, TORN, Nor, PowerOff


def page(byte):
    return bytes([byte]) * 256


def read(nor, sector, offset=0, length=256):
    buf = bytearray(length)
    nor.read(sector, offset, buf)
    return bytes(buf)


def test_an_erase_sets_a_sector_and_a_program_only_clears_bits():
    nor = Nor(3)
    assert read(nor, 1) == page(0xFF)
    nor.program(1, 256, page(0x3C))
    nor.program(1, 256, page(0xF0))
    assert read(nor, 1, 256) == page(0x30)
    assert read(nor, 1, 0) == page(0xFF) and read(nor, 1, 512) == page(0xFF)
    nor.program(2, 0, page(0))
    nor.erase(1)
    assert read(nor, 1, 0, 4096) == b"\xff" * 4096 and read(nor, 2) == page(0)
    assert (nor.operations, nor.erases, nor.reads) == (4, [0, 1, 0], 6)


def test_only_whole_pages_inside_the_flash():
    nor = Nor(2)
    for sector, offset, data in (
        (0, 1, page(0)),
        (0, 0, bytes(255)),
        (2, 0, page(0)),
        (-1, 0, page(0)),
        (0, 4096, page(0)),
    ):
        with kit.raises(ValueError):
            nor.program(sector, offset, data)
    with kit.raises(ValueError):
        nor.erase(2)
    with kit.raises(ValueError):
        nor.read(1, 4000, bytearray(97))
    assert nor.operations == 0 and nor.data == b"\xff" * 8192


def test_a_cut_comes_before_within_or_behind_an_operation_and_nothing_happens_after_it():
    for how in (CLEAN_BEFORE, TORN, CLEAN_AFTER):
        nor = Nor(1)
        nor.program(0, 0, page(0x0F))
        nor.cut_at, nor.cut_how = 1, how
        with kit.raises(PowerOff):
            nor.program(0, 256, page(0))
        for step in (lambda: nor.program(0, 512, page(0)), lambda: nor.erase(0), lambda: read(nor, 0)):
            with kit.raises(PowerOff):
                step()
        now = Nor(1, nor.data)
        assert read(now, 0) == page(0x0F) and read(now, 0, 512) == page(0xFF)
        after = read(now, 0, 256)
        assert {CLEAN_BEFORE: after == page(0xFF), TORN: True, CLEAN_AFTER: after == page(0)}[how]


def test_what_is_torn_is_between_before_and_after_and_differs_with_the_seed():
    seen = set()
    for seed in range(40):
        nor = Nor(1, seed=seed)
        nor.program(0, 0, page(0x0F))
        nor.cut_at = 1
        with kit.raises(PowerOff):
            nor.erase(0)
        held = bytes(nor.data)
        assert all([byte & 0x0F == 0x0F for byte in held[:256]]) and held[256:] == b"\xff" * 3840
        seen.add(held)
    assert len(seen) > 30


def test_stuck_bits_and_sectors_that_fail():
    nor = Nor(3)
    nor.stuck = {4096 + 7: (0x01, 0), 4096 + 8: (0, 0x80)}
    nor.program(1, 0, page(0x00))
    assert read(nor, 1)[6:10] == b"\x00\x00\x80\x00"
    nor.erase(1)
    assert read(nor, 1)[6:10] == b"\xff\xfe\xff\xff"
    nor.bad_reads, nor.bad_writes = {0}, {2}
    with kit.raises(OSError):
        read(nor, 0)
    for step in (lambda: nor.program(2, 0, page(0)), lambda: nor.erase(2)):
        with kit.raises(OSError):
            step()
    assert read(nor, 2) == page(0xFF)
    nor.erase(0)


def test_flash_in_a_file_is_there_again():
    path = "%s/nor-%s" % (os.getenv("TMPDIR") or "/tmp", os.urandom(8).hex())
    try:
        nor = Nor(2, file=path)
        nor.program(1, 256, page(0x12))
        nor.close()
        nor = Nor(3, file=path)
        assert read(nor, 1, 256) == page(0x12) and read(nor, 1, 0) == page(0xFF) and read(nor, 2) == page(0xFF)
        nor.erase(1)
        nor.close()
        nor = Nor(3, file=path)
        assert os.stat(path)[6] == 3 * 4096 and read(nor, 1, 256) == page(0xFF)
        nor.close()
    finally:
        os.remove(path)
