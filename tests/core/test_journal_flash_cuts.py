"""The power goes in an operation of the journal in raw flash: what append() returned for stays, whole."""

from tumbler.core.journal_pages import pages

from tests.core import kit
from tests.core.journal_flash_parts import (
    CLEAN_BEFORE,
    SECTORS,
    TORN,
    PowerOff,
    flash,
    holds,
    opened,
    places,
    powered,
    record,
    spoil,
    write,
    written,
)


def test_the_power_goes_at_every_operation_of_two_rounds():
    for how in (CLEAN_BEFORE, TORN):
        cut, done = 0, -1
        while done < 16:
            nor = flash(SECTORS)
            nor.cut_at, nor.cut_how, done = cut, how, 0
            try:
                journal = opened(nor)
                while done < 16:
                    write(journal, 1)
                    done += 1
            except PowerOff:
                pass
            nor = powered(nor)
            journal = opened(nor)
            last = journal.next_seq - 1
            assert done <= last <= done + 1 and holds(journal, 1, last), (how, cut)
            write(journal, 3)
            assert holds(opened(nor), 1, last + 3), (how, cut)
            cut += 1
        assert cut > 50


def test_a_record_in_one_ring_only_is_kept_and_written_to_the_other():
    nor = flash(SECTORS)
    written(nor, 5)
    for ring in (0, 1):
        spoil(nor, places(nor, 5)[ring])
        assert holds(opened(nor), 1, 5), ring
        assert nor.data.count(record(5)) == 2
        opened(nor).check()


def test_a_tail_that_is_torn_in_both_rings_is_ignored():
    nor = flash(SECTORS)
    written(nor, 5)
    for at in places(nor, 5):
        nor.data[at + 100 : at + 256] = b"\xff" * 156
    journal = opened(nor)
    assert holds(journal, 1, 4)
    for at in places(nor, 4):
        assert nor.data[at] == record(4)[0]
    write(journal, 3)
    assert holds(opened(nor), 1, 7)


def test_a_torn_record_never_comes_back():
    """A page that was torn reads as it did not at first; by then another record has taken its number."""
    nor = flash(SECTORS)
    written(nor, 5)
    was = [(at - at % 256, bytes(nor.data[at - at % 256 : at - at % 256 + 256])) for at in places(nor, 5)]
    for at, page in was:
        nor.data[at + 30 : at + 256] = page[30:200] + b"\xff" * 56
    journal = opened(nor)
    assert journal.next_seq == 5
    for at, page in was:
        now = nor.data[at : at + 256]
        assert all([b == 0 for b in now]), "it could still turn into a record"
    write(journal, 1, boot=2)
    assert opened(nor).recall(5) == record(5, boot=2)


def test_no_page_that_a_cut_may_have_touched_takes_a_record_even_if_it_looks_blank():
    assert pages(len(record(6))) == 2
    for done in (0, 1):  # pages of it that were programmed whole, the next one was begun and shows nothing
        nor = flash(SECTORS)
        journal = written(nor, 5)
        line = places(nor, 5)[0]
        at = line - line % 256 + 256 * (pages(len(record(5))) + done)
        nor.cut_at, nor.cut_how = nor.operations + done, CLEAN_BEFORE
        with kit.raises(PowerOff):
            journal.append(record(6))
        assert all([b == 0xFF for b in nor.data[at : at + 256]]) and (not done or nor.data[at - 256] != 0xFF)
        opened(powered(nor)).append(record(6, boot=2))
        assert all([b == 0 for b in nor.data[at : at + 256]]), done


def test_what_an_erase_left_behind_is_no_record():
    nor = flash(SECTORS)
    journal = written(nor, 5)
    page = places(nor, 5)[0] // 256 * 256
    left = bytes(nor.data[page : page + 256])
    while journal._main._at or journal.next_seq < 100:  # until the ring came round to it
        write(journal, 1)
        journal.ack(journal.next_seq - 1)
    last = journal.next_seq - 1
    assert page // 4096 == 0 and journal._main._page * 256 <= page % 4096
    nor.data[page : page + 256] = left
    journal = opened(nor)
    assert journal.next_seq == last + 1 and journal._main.end == journal._copy.end == last


def test_a_record_given_up_for_a_stuck_bit_does_not_come_back_beside_the_one_that_took_its_number():
    given_up = 0
    for before in range(1, 16):
        nor = flash(SECTORS)
        write(opened(nor), before)
        opened(nor).append(record(before + 1))
        at = nor.data.find(record(before + 1)) + 60  # in the main ring
        for cut in range(1, 7):
            nor = flash(SECTORS)
            write(opened(nor), before)
            journal = opened(nor)
            nor.stuck = {at: (0, 1)} if not record(before + 1)[60] & 1 else {at: (1, 0)}
            nor.cut_at = nor.operations + cut
            try:
                journal.append(record(before + 1))
            except PowerOff:
                pass
            stuck = nor.stuck
            nor = powered(nor)
            nor.stuck = stuck
            journal = opened(nor)
            if journal.next_seq == before + 2:
                continue  # it was written elsewhere before the power went
            given_up += 1
            journal.append(record(before + 1, boot=2))
            journal = opened(powered(nor))  # the bit reads right again
            assert journal.next_seq == before + 2, (before, cut)
            assert journal.recall(before) == record(before), (before, cut)
            assert journal.recall(before + 1) == record(before + 1, boot=2), (before, cut)
    assert given_up > 10
