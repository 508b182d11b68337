"""The journal over any flash contents, hypothesis: it opens or says JournalError, in bounded memory, and gives back
only records that were written under that number."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tumbler.core.journal import JournalError
from tumbler.core.journal_flash import FlashJournal

from tests.core import journal_cuts
from tests.core.journal_flash_parts import DEV, Nor, record, written

SECTORS = 24
SIZE = SECTORS * 4096
PAGE = 256
MOST_BYTES = 64 * 1024  # of heap, above the flash itself

AT = st.integers(0, SIZE - 1)
PAGES = st.integers(0, SIZE // PAGE - 1)
DAMAGE = st.lists(
    st.one_of(
        st.tuples(st.just("write"), AT, st.binary(min_size=1, max_size=40)),
        st.tuples(st.just("clear"), AT, st.binary(min_size=1, max_size=600)),  # as a program that went astray
        st.tuples(st.just("copy_page"), PAGES, PAGES),
        st.tuples(st.just("copy_sector"), st.integers(0, SECTORS - 1), st.integers(0, SECTORS - 1)),
        st.tuples(st.just("erase_sector"), st.integers(0, SECTORS - 1), st.none()),
        st.tuples(st.just("fill_page"), PAGES, st.integers(0, 255)),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def lived() -> journal_cuts.Life:
    """Thirty rounds, the last two not acked: the main ring has come round."""
    life = journal_cuts.Life()
    life.start()
    life.live(240)
    life.live(12)
    return life


def _damage(data: bytearray, what: str, a, b) -> None:
    if what == "write":
        data[a : a + len(b)] = b[: SIZE - a]
    elif what == "clear":
        for n, byte in enumerate(b[: SIZE - a]):
            data[a + n] &= byte
    elif what == "copy_page":
        data[a * PAGE : (a + 1) * PAGE] = data[b * PAGE : (b + 1) * PAGE]
    elif what == "copy_sector":
        data[a * 4096 : (a + 1) * 4096] = data[b * 4096 : (b + 1) * 4096]
    elif what == "erase_sector":
        data[a * 4096 : (a + 1) * 4096] = b"\xff" * 4096
    else:
        data[a * PAGE : (a + 1) * PAGE] = bytes([b]) * PAGE


def _opened(data: bytearray) -> FlashJournal | None:
    journal = FlashJournal(Nor(SECTORS, data), range(300, 300 + SECTORS))
    try:
        journal.open(DEV)
    except JournalError:
        assert (journal.next_seq, journal.acked, journal.recall(1)) == (1, 0, None)
        with pytest.raises(JournalError):
            journal.append(record(1))
        return None
    return journal


@settings(deadline=None, max_examples=300)
@given(damage=DAMAGE)
def test_whatever_was_done_to_it_it_gives_back_only_what_was_written(lived: journal_cuts.Life, damage):
    data = bytearray(lived.nor.data)
    for what, a, b in damage:
        _damage(data, what, a, b)
    journal = _opened(data)
    if journal is None:
        return
    assert journal.next_seq <= lived.last + 1
    journal.check()
    for seq in range(1, journal.next_seq):
        assert journal.recall(seq) in (None, lived.lines[seq]), seq
    for seq in range(journal.acked + 1, journal.next_seq):
        assert journal.recall(seq) == lived.lines[seq], seq
    assert 0 <= journal.acked <= lived.acked
    seq = journal.next_seq
    for _ in range(8):
        journal.prepare()
    if journal.free():
        journal.append(record(seq, 77))
        assert journal.recall(seq) == record(seq, 77)
        journal.check()


@settings(deadline=None, max_examples=200)
@given(pages=st.dictionaries(PAGES, st.binary(min_size=1, max_size=PAGE), max_size=40), magic=st.booleans())
def test_flash_full_of_anything_is_an_empty_journal_or_an_error(pages: dict[int, bytes], magic: bool):
    data = bytearray(b"\xff" * SIZE)
    for page, held in pages.items():
        held = (b"TSJ1" if page % 16 == 0 else b"\x40\xa0") + held if magic else held
        data[page * PAGE : page * PAGE + len(held[:PAGE])] = held[:PAGE]
    tracemalloc.start()
    journal = _opened(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert journal is not None and journal.next_seq == 1 and journal.recall(1) is None


def test_a_start_takes_little_memory():
    nor = Nor(112)
    journal = written(nor, 160)
    tracemalloc.start()
    journal.open(DEV)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert journal.next_seq == 161 and peak < MOST_BYTES


@pytest.mark.parametrize("seed", range(40))
def test_lives_with_faults_in_one_ring_and_power_cuts_lose_nothing(seed: int):
    kept, cuts, _ = journal_cuts.random_life(seed, 150)
    assert kept == 150 and cuts >= 0
