"""The journal in raw flash that sticks, fails or lost something: one ring mends the other; in none, it is missed."""

from tumbler.core.journal import JournalError, JournalLost
from tumbler.core.journal_flash import FlashJournal

from tests.core import kit
from tests.core.journal_flash_parts import (
    DEV,
    ERASED,
    MAIN,
    SECTORS,
    Nor,
    PowerOff,
    fill,
    flash,
    holds,
    make_ready,
    opened,
    places,
    powered,
    record,
    spoil,
    write,
    written,
)


def wipe(nor, sectors):
    for sector in sectors:
        nor.data[sector * 4096 : (sector + 1) * 4096] = ERASED


def nothing_taken(nor, kind=JournalError):
    """Opening fails, changes nothing, and leaves a journal that takes and gives nothing."""
    before = nor.operations
    journal = FlashJournal(nor, range(300, 300 + SECTORS))
    with kit.raises(kind) as caught:
        journal.open(DEV)
    assert type(caught.value) is kind, caught.value
    with kit.raises(JournalError):
        journal.append(record(1))
    with kit.raises(JournalError):
        journal.append(record(6))
    assert (journal.next_seq, journal.acked, journal.recall(1)) == (1, 0, None) and not journal.prepare()
    return nor.operations == before


# ------------------------------------------------------------ flash that fails


def test_bits_that_are_stuck_in_the_next_pages():
    for bits in ((0, 8), (8, 0)):  # read 1, read 0
        for ring in (0, 1):
            nor = flash(SECTORS)
            journal = written(nor, 3)
            at = places(nor, 3)[ring] // 256 * 256
            for page in (1, 2, 4, 20):
                nor.stuck[at + 256 * page + 60] = bits
            write(journal, 40)
            journal.check()
            assert holds(journal, 1, 43) and holds(opened(nor), 1, 43), (bits, ring)


def test_sectors_that_take_nothing_are_left_out():
    nor = flash(SECTORS)
    journal = written(nor, 3)
    nor.bad_writes = {2, 3, 7, MAIN + 1, MAIN + 4}
    room = journal.free()
    for _ in range(100):
        write(journal, 8)
        journal.ack(journal.next_seq - 1)
    assert journal.next_seq == 804 and holds(opened(nor), 790, 803)
    assert 0 < journal.free() < room


def test_sectors_that_fail_count_as_no_room():
    nor = flash(SECTORS)
    journal = written(nor, 3)
    nor.bad_writes = {MAIN + 2, MAIN + 3, MAIN + 5}
    fill(journal)
    last = journal.next_seq - 1
    assert 20 < last < 60 and holds(journal, 1, last) and holds(opened(nor), 1, last)


def test_a_sector_whose_erase_leaves_bits_behind():
    nor = flash(SECTORS)
    journal = written(nor, 3)
    for sector in (1, 2, MAIN + 2):
        for n in range(0, 4096, 97):
            nor.stuck[sector * 4096 + n] = (0x10, 0)
    for _ in range(20):
        write(journal, 8)
        journal.ack(journal.next_seq - 1)
    assert holds(opened(nor), 150, 163)


def test_after_a_failed_append_nothing_is_taken_until_the_flash_was_looked_at():
    for first in (0, MAIN):
        nor = flash(SECTORS)
        journal = written(nor, 3)
        nor.bad_writes = set(range(first, SECTORS if first else MAIN))
        with kit.raises(JournalError):
            journal.append(record(4))
        nor.bad_writes = set()
        with kit.raises(JournalError):
            journal.append(record(4))
        assert journal.next_seq == 4 and journal.recall(3) == record(3)
        journal.open(DEV)
        last = journal.next_seq - 1
        assert last == (4 if first else 3) and holds(journal, 1, last)
        write(journal, 2)
        assert holds(opened(nor), 1, last + 2)


def test_a_journal_that_fails_gives_up_after_a_few_tries():
    nor = flash(SECTORS)
    journal = written(nor, 3)
    make_ready(journal)
    for n in range(SECTORS * 4096):
        if n % 256 == 50:
            nor.stuck[n] = (0xFF, 0)
    before = nor.operations
    with kit.raises(JournalError):
        journal.append(record(4))
    assert nor.operations - before < 40


def test_one_ring_that_cannot_be_read_leaves_the_other():
    for first in (0, MAIN):
        nor = flash(SECTORS)
        written(nor, 30)
        nor.bad_reads = set(range(first, SECTORS if first else MAIN))
        journal = FlashJournal(nor, range(300, 300 + SECTORS))
        with kit.raises(JournalError):  # it cannot be brought to the same end
            journal.open(DEV)
        nor.bad_reads = set()
        assert holds(opened(nor), 1, 30)


def test_a_newest_sector_that_cannot_be_read_is_mended_from_the_other_ring():
    for ring in (0, 1):
        nor = flash(SECTORS)
        written(nor, 30)
        nor.bad_reads = nor.bad_writes = {places(nor, 30)[ring] // 4096}
        journal = opened(nor)
        assert holds(journal, 1, 30)
        write(journal, 3)
        assert holds(opened(nor), 1, 33)
        nor.bad_reads = nor.bad_writes = set()  # what it holds is old by now
        assert holds(opened(nor), 1, 33)
        opened(nor).check()


def test_flash_that_cannot_be_read_at_all_is_an_error_and_not_an_empty_journal():
    nor = flash(SECTORS)
    written(nor, 30)
    nor.bad_reads = set(range(SECTORS))
    assert nothing_taken(nor)


def test_nothing_found_and_a_sector_that_cannot_be_read_is_no_empty_journal():
    nor = flash(SECTORS)
    written(nor, 3)
    for ring in (0, 1):
        nor.bad_reads = {(0, MAIN)[ring]}
        other = (MAIN, 0)[ring] * 4096
        was = bytes(nor.data[other : other + 256])
        nor.data[other : other + 256] = bytes(256)
        assert nothing_taken(nor), ring
        nor.data[other : other + 256] = was


def test_acked_records_that_only_cannot_be_read_are_not_lost_and_nothing_is_erased():
    nor = flash(SECTORS)
    journal = written(nor, 40)
    journal.ack(40)
    write(journal, 3)
    _, at = places(nor, 40)
    for page in range(at // 256, at // 256 + 8):  # of the copy, with some that were acked
        nor.data[page * 256 : page * 256 + 256] = bytes(256)
    nor = powered(nor)
    nor.bad_reads = set(range(MAIN))
    with kit.raises(JournalError) as caught:
        opened(nor)
    assert type(caught.value) is JournalError, caught.value
    assert not any(list(nor.erases)[:MAIN])
    assert holds(opened(powered(nor)), 1, 43)


def test_copies_that_differ_are_seen_before_a_round():
    for ring in (0, 1):
        nor = flash(SECTORS)
        journal = written(nor, 16)
        spoil(nor, places(nor, 12)[ring])
        with kit.raises(JournalError):
            journal.check()
        with kit.raises(JournalError):
            journal.append(record(17))
        journal = opened(nor)  # and mended at the next start
        journal.check()
        assert holds(journal, 1, 16)


# ------------------------------------------------------------ what is missing


def test_a_record_missing_in_the_middle_of_both_rings_is_missed():
    for seq in (1, 2, 9, 20, 29):
        nor = flash(SECTORS)
        written(nor, 30)
        for at in places(nor, seq):
            spoil(nor, at)
        assert nothing_taken(powered(nor)), seq


def test_an_old_record_that_is_missing_only_ends_the_recall_there():
    nor = flash(SECTORS)
    journal = written(nor, 40)
    journal.ack(40)
    write(journal, 8)
    for at in places(nor, 10):
        spoil(nor, at)
    journal = opened(nor)
    assert journal.recall(10) is None and holds(journal, 11, 48)


def test_holes_in_either_ring_are_mended_from_the_other():
    for full in (False, True):
        nor = flash(SECTORS)
        journal = written(nor, 40)
        if full:
            fill(journal)
        last = journal.next_seq - 1
        for ring, seq in ((0, 3), (0, 17), (1, 8), (1, 9), (1, 30)):
            spoil(nor, places(nor, seq)[ring])
        journal = opened(nor)
        journal.check()
        assert holds(journal, 1, last), full
        for ring in (journal._main, journal._copy):
            for seq in range(1, last + 1):
                assert ring.line(seq) == record(seq), (full, seq)


def test_a_full_copy_with_a_sector_gone_is_written_anew():
    nor = flash(SECTORS)
    journal = opened(nor)
    fill(journal)
    last = journal.next_seq - 1
    journal._copy.append(last, record(last), 0, 1, 1, (0, (0,) * 6))  # as starts do, until no sector is to spare
    while journal._copy._spare(1):
        journal._copy.restart()
        journal._copy.append(last, record(last), 0, 1, 1, (0, (0,) * 6))
    sector = places(nor, last // 2)[1] // 4096 * 4096
    nor.data[sector : sector + 256] = bytes(256)
    journal = opened(nor)
    journal.check()
    assert holds(journal, 1, last)
    for ring in (journal._main, journal._copy):
        assert all([ring.line(seq) == record(seq) for seq in range(1, last + 1)])


def test_the_last_record_for_which_there_was_room_cut_again_and_again():
    if kit.MICROPYTHON:
        kit.skip("no room for a second flash")
    nor = flash(SECTORS)
    journal = opened(nor)
    fill(journal)
    last = journal.next_seq - 1
    spoil(nor, places(nor, last)[1])
    for _ in range(30):
        dry = Nor(SECTORS, bytearray(nor.data))
        opened(dry)
        nor = powered(nor)
        nor.cut_at = dry.operations - 1
        with kit.raises(PowerOff):
            opened(nor)
    journal = opened(powered(nor))
    journal.check()
    assert holds(journal, 1, last)


def test_the_power_goes_at_every_operation_of_a_mend():
    for spoiled in (((0, 17),), ((1, 9),), ((0, 3), (0, 30), (1, 8), (1, 31))):
        cut, whole = 0, False
        while not whole:
            nor = flash(SECTORS)
            written(nor, 32)
            for ring, seq in spoiled:
                spoil(nor, places(nor, seq)[ring])
            nor = powered(nor)
            nor.cut_at = cut
            try:
                opened(nor)
                whole = True
            except PowerOff:
                pass
            nor = powered(nor)
            journal = opened(nor)
            journal.check()
            assert holds(journal, 1, 32), (spoiled, cut)
            write(journal, 10)
            for ring in (journal._main, journal._copy):
                assert all([ring.line(seq) == record(seq) for seq in range(1, 43)]), (spoiled, cut)
            assert holds(opened(nor), 1, 42), (spoiled, cut)
            cut += 1
        assert cut > 40


def test_a_ring_that_is_gone_is_written_anew():
    for first, behind in ((0, MAIN), (MAIN, SECTORS)):
        nor = flash(SECTORS)
        journal = written(nor, 32)
        journal.ack(32)
        write(journal, 10)
        wipe(nor, range(first, behind))
        journal = opened(nor)
        journal.check()
        assert journal.acked == 32 and holds(journal, 33, 42)


def test_a_journal_that_is_gone_is_empty():
    nor = flash(SECTORS)
    written(nor, 30)
    wipe(nor, range(SECTORS))
    assert opened(nor).next_seq == 1


def test_records_that_end_before_what_was_acked_are_a_lost_journal():
    nor = flash(SECTORS)
    journal = written(nor, 40)
    journal.ack(40)
    while journal._main._page > 3:  # until a sector was begun
        write(journal, 1)
    journal.ack(journal.next_seq - 1)
    newest = {places(nor, journal.next_seq - 1)[0] // 4096}
    for sector in range(SECTORS):
        keep = 256 if sector in newest else 0  # its header says that 40 were acked
        nor.data[sector * 4096 + keep : (sector + 1) * 4096] = b"\xff" * (4096 - keep)
    assert nothing_taken(powered(nor), JournalLost)


def test_two_different_records_of_one_number_are_an_error():
    nor = flash(SECTORS)
    written(nor, 3)
    main = bytes(nor.data[: 2 * 4096])
    nor = flash(SECTORS)
    write(opened(nor), 3, boot=2)
    nor.data[: 2 * 4096] = main
    assert nothing_taken(nor)
