"""UF2 files: what a whole one gives, and that nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.uf2 import read_uf2, write_uf2
from tests.host.image.fake_uf2 import BLOCK, FLASH, RP2350, block, flash_of, uf2

PAGES = bytes(range(256)) * 3
GOOD = uf2(PAGES)


def refusal(data: bytes) -> str:
    with pytest.raises(UserError) as caught:
        read_uf2(data, "some.uf2")
    message = str(caught.value)
    assert message.startswith("some.uf2") and message.endswith(".") and "\n" not in message
    return message


def test_a_whole_file_gives_its_pages_by_address() -> None:
    pages = read_uf2(uf2(b"A" * 256 + b"B" * 256), "some.uf2")
    assert pages == {FLASH: b"A" * 256, FLASH + 256: b"B" * 256}


def test_pages_are_written_rising_numbered_and_marked() -> None:
    data = write_uf2({FLASH + 0x1000: b"2" * 256, FLASH: b"1" * 256})
    assert data == block(FLASH, b"1" * 256, 0, 2) + block(FLASH + 0x1000, b"2" * 256, 1, 2)


@given(st.dictionaries(st.integers(0, 0xFFFF).map(lambda n: FLASH + 256 * n), st.binary(min_size=256, max_size=256)))
def test_what_is_written_is_read_back(pages: dict[int, bytes]) -> None:
    if pages:
        assert read_uf2(write_uf2(pages), "some.uf2") == pages == flash_of(write_uf2(pages))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "0 bytes"),
        (GOOD[:-1], "1535 bytes"),
        (GOOD + b"\n", "1537 bytes"),
        (GOOD[:-BLOCK], "block 0 of 2, says it is block 0 of 3, so blocks are missing"),
        (GOOD[BLOCK:], "says it is block 1 of 3"),
        (GOOD[BLOCK : 2 * BLOCK] + GOOD[:BLOCK] + GOOD[2 * BLOCK :], "says it is block 1 of 3"),
        (b"X" + GOOD[1:], "block 0 of 3, lacks the marks of UF2"),
        (GOOD[:-1] + b"\0", "block 2 of 3, lacks the marks of UF2"),
        (GOOD[:BLOCK] + bytes(BLOCK) + GOOD[2 * BLOCK :], "block 1 of 3, lacks the marks"),
        (b"\x7fELF" + bytes(BLOCK - 4), "lacks the marks of UF2"),
        (uf2(PAGES, family=RP2350), "not for the flash of an RP2040"),
        (block(FLASH, bytes(256), 0, 1, flags=0), "not for the flash of an RP2040"),
        (block(FLASH, bytes(256), 0, 1, flags=0x2001), "not for the flash of an RP2040"),
        (block(FLASH, bytes(128), 0, 1), "128 bytes for address 0x10000000"),
        (block(FLASH, bytes(476), 0, 1), "476 bytes for address"),
        (block(FLASH + 1, bytes(256), 0, 1), "address 0x10000001"),
        (block(0x20000000, bytes(256), 0, 1), "address 0x20000000, which is no page of the flash"),
        (block(0x11000000, bytes(256), 0, 1), "address 0x11000000, which is no page of the flash"),
        (block(0x0FFFFF00, bytes(256), 0, 1), "address 0x0fffff00, which is no page of the flash"),
        (block(FLASH, bytes(256), 0, 2) + block(FLASH, bytes(256), 1, 2), "block 1 of 2, is a second one for address"),
    ],
)
def test_what_is_no_whole_uf2_for_the_rp2040_is_refused_with_the_place(data: bytes, said: str) -> None:
    message = refusal(data)
    assert said in message
    assert "; download it again" in message or "; give " in message or "; download the file again" in message


def test_the_last_page_of_the_largest_flash_is_taken() -> None:
    assert list(read_uf2(block(0x10FFFF00, bytes(256), 0, 1), "some.uf2")) == [0x10FFFF00]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, 2 * BLOCK), st.binary(max_size=40))
def test_damage_gives_a_sentence_or_pages_and_never_another_error(at: int, cut: int, put: bytes) -> None:
    data = GOOD[:at] + put + GOOD[at + cut :]
    try:
        pages = read_uf2(data, "some.uf2")
    except UserError as error:
        assert str(error).startswith("some.uf2") and str(error).endswith(".")
    else:
        assert len(pages) * BLOCK == len(data) and {len(page) for page in pages.values()} == {256}


@given(st.binary(max_size=2000))
def test_other_bytes_are_refused(data: bytes) -> None:
    refusal(data)
