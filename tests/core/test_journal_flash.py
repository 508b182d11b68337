"""The journal in raw flash: what was appended is there again, in order, and nothing else; room, recall, acks, wear."""

from tumbler.core.journal import ROUND_RECORDS, JournalError, free_rounds
from tumbler.core.journal_flash import FlashJournal, split

from tests.core import kit
from tests.core.journal_flash_parts import (
    DEV,
    Nor,
    fill,
    flash,
    holds,
    make_ready,
    oldest,
    opened,
    record,
    write,
    written,
)

OTHER = "sim-0000000000a1-0002"
SECTORS = 40  # 30 in the main ring, 10 in the copy
BOARD_SECTORS = 112  # as boards/*.toml have


def whole_board():
    if kit.MICROPYTHON:
        kit.skip("458752 bytes of flash are too much for the heap; the figure is the same on CPython")
    return Nor(BOARD_SECTORS)


def refused(journal, line):
    with kit.raises(JournalError):
        journal.append(line)


def test_a_journal_that_never_was():
    nor = flash(SECTORS)
    journal = opened(nor)
    assert (journal.next_seq, journal.acked, journal.unacked()) == (1, 0, 0)
    assert journal.recall(0) is None and journal.recall(1) is None
    assert nor.operations == 0


def test_records_are_there_after_a_restart():
    nor = flash(SECTORS)
    journal = written(nor, 5)
    assert holds(journal, 1, 5)
    journal = opened(nor)
    assert holds(journal, 1, 5) and journal.unacked() == 5
    write(journal, 6)
    assert holds(journal, 1, 11) and holds(opened(nor), 1, 11)


def test_restarts_anywhere_in_a_sector():
    nor = flash(SECTORS)
    for count in range(1, 60):
        journal = opened(nor)
        assert holds(journal, max(1, count - 9), count - 1), count
        journal.ack(count - 1)
        write(journal, 1)
    assert holds(opened(nor), 50, 59)


def test_only_the_next_record_is_taken():
    nor = flash(SECTORS)
    journal = written(nor, 3)
    before = nor.operations
    for line in (record(3), record(5), record(4)[:-1], record(4).replace(b'"round"', b'"rownd"'), b"", b"\n"):
        refused(journal, line)
    assert nor.operations == before
    write(journal, 1)
    assert holds(opened(nor), 1, 4)


def test_nothing_is_taken_before_it_was_opened():
    nor = flash(SECTORS)
    refused(FlashJournal(nor), record(1))
    assert nor.operations == 0


# ------------------------------------------------------------ room


def test_an_unacked_record_never_goes_the_journal_is_full_instead():
    nor = flash(SECTORS)
    journal = opened(nor)
    fill(journal)
    last = journal.next_seq - 1
    refused(journal, record(last + 1))
    assert holds(journal, 1, last) and holds(opened(nor), 1, last)
    journal.ack(last - 5)
    journal.keep = last
    room = journal.free()
    assert room > 40 and journal.unacked() == 5
    for _ in range(room):
        journal.append(record(journal.next_seq))
    assert holds(opened(nor), last - 4, last + room)


def test_free_never_promises_too_much_and_falls_by_one_a_record_at_most():
    nor = flash(SECTORS)
    journal = opened(nor)
    promised = journal.free()
    while journal.free():
        journal.append(record(journal.next_seq))
        promised -= 1
        assert journal.free() >= promised, journal.next_seq


def test_what_recovery_needs_and_the_record_before_it_stay_however_old_and_acked():
    nor = flash(SECTORS)
    journal = written(nor, 16)
    journal.ack(16)
    write(journal, 1)
    journal.keep = 10
    while journal.free():
        journal.append(record(journal.next_seq))
        journal.ack(journal.next_seq - 1)
    last = journal.next_seq - 1
    assert last > 40
    for again in (journal, opened(nor)):
        assert holds(again, 9, last)
    journal.keep = last
    assert journal.free() > 40


def test_a_board_keeps_the_last_100_rounds_however_long_their_records():
    """8 records a round, each as long as they come about; restarts now and then; the figure of boards/README.md."""
    nor = whole_board()
    journal = opened(nor)
    fewest = 1 << 20
    for n in range(400):
        write(journal, ROUND_RECORDS)
        journal.ack(journal.next_seq - 1)
        if n > 130 and n % 7 == 0:
            fewest = min(fewest, (journal.next_seq - oldest(journal)) // ROUND_RECORDS)
        if n % 50 == 0:
            journal = opened(nor)
    assert fewest >= 100, fewest
    assert free_rounds(opened(Nor(BOARD_SECTORS)).free()) >= 18


def test_a_thousand_rounds_wear_all_sectors_alike():
    nor = flash(SECTORS)
    journal = opened(nor)
    for _ in range(1000):
        write(journal, ROUND_RECORDS)
        journal.ack(journal.next_seq - 1)
    assert holds(journal, oldest(journal), 8000) and holds(opened(nor), oldest(journal), 8000)
    main, copy = split(SECTORS)
    for ring in (nor.erases[:main], nor.erases[main:]):
        assert min(ring) > 20 and max(ring) - min(ring) <= 1, nor.erases
    assert len(nor.erases) == main + copy


def test_many_restarts_wear_no_sector_out():
    """A start erases what was erased ahead once more; it is not always the same sector."""
    nor = flash(SECTORS)
    for _ in range(400):
        journal = opened(nor)
        write(journal, 2)
        make_ready(journal)
        journal.ack(journal.next_seq - 1)
        journal.keep = journal.next_seq - 1
        journal.append(record(journal.next_seq))
    assert max(nor.erases) <= 8 * (sum(nor.erases) // SECTORS), nor.erases


# ------------------------------------------------------------ time


def flash_use(nor, step):
    """(reads, programs and erases, erases) that a step takes."""
    before = (nor.reads, nor.operations, sum(nor.erases))
    step()
    return nor.reads - before[0], nor.operations - before[1], sum(nor.erases) - before[2]


def test_no_append_of_a_prepared_round_erases():
    nor = flash(SECTORS)
    journal = opened(nor)
    for n in range(200):
        make_ready(journal)
        for _ in range(ROUND_RECORDS + 3):
            _, operations, erases = flash_use(nor, lambda: journal.append(record(journal.next_seq)))
            assert erases == 0 and operations <= 6, n  # two pages and a header, in both rings
        journal.ack(journal.next_seq - 1)
        journal.keep = journal.next_seq - 1


def test_prepare_erases_one_sector_at_most_and_none_when_ready():
    nor = flash(SECTORS)
    journal = opened(nor)
    ready, calls = False, 0
    while not ready:
        before = sum(nor.erases)
        ready = journal.prepare()
        calls += 1
        assert sum(nor.erases) - before == (0 if ready else 1)
    assert calls == 5
    assert flash_use(nor, journal.prepare) == (0, 0, 0)


def test_prepare_never_erases_what_may_not_be_lost():
    nor = flash(SECTORS)
    journal = opened(nor)
    fill(journal)
    last = journal.next_seq - 1
    for _ in range(50):
        journal.prepare()
    for ring in (journal._main, journal._copy):
        assert all([ring.line(seq) == record(seq) for seq in range(1, last + 1)])


def test_recalling_in_order_costs_a_read_a_page():
    nor = flash(SECTORS)
    journal = written(nor, 40)
    first = flash_use(nor, lambda: journal.recall(1))[0]
    assert first <= 2
    for seq in range(2, 41):
        pages = 1 if len(record(seq)) <= 238 else 2
        assert flash_use(nor, lambda seq=seq: journal.recall(seq))[0] <= pages + 2, seq


def test_a_start_reads_headers_the_newest_sectors_and_what_may_not_be_lost():
    nor = whole_board()
    journal = opened(nor)
    for _ in range(150):
        write(journal, ROUND_RECORDS)
        journal.ack(journal.next_seq - 1)
    journal = opened(nor)
    reads = flash_use(nor, lambda: journal.open(DEV))[0]
    assert reads <= BOARD_SECTORS + 2 * 16 + 2 * 2 * 12, reads


# ------------------------------------------------------------ acks and totals


def test_an_ack_rides_in_the_next_record_and_never_moves_backwards():
    nor = flash(SECTORS)
    journal = written(nor, 9)  # too few to be noted by themselves
    for seq, acked in ((3, 3), (2, 3), (0, 3), (3, 3), (7, 7), (1, 7), (9, 9)):
        journal.ack(seq)
        assert journal.acked == acked
    assert opened(nor).acked == 0
    journal = written(nor, 1)
    journal.ack(9)
    write(journal, 1)
    assert opened(nor).acked == 9


def test_acks_that_no_record_takes_along_are_noted_in_idle():
    """A board that is started again and again without a round stays good for rounds as long as a host acks."""
    nor = flash(SECTORS)
    journal = written(nor, 8)
    for start in range(200):
        journal = opened(nor)
        assert journal.unacked() <= 17, start
        journal.keep = journal.next_seq - 1
        journal.append(record(journal.next_seq))
        journal.ack(journal.next_seq - 1)
        make_ready(journal)
        assert holds(journal, max(1, journal.next_seq - 16), journal.next_seq - 1), start
    last = journal.next_seq - 1
    assert holds(opened(nor), last - 16, last)


def test_a_record_that_was_never_written_is_not_acked():
    journal = written(flash(SECTORS), 3)
    with kit.raises(JournalError):
        journal.ack(4)
    assert journal.acked == 0


def test_totals_are_kept_in_the_headers_of_sectors():
    nor = flash(SECTORS)
    journal = opened(nor)
    assert journal.counted == (0, (0, 0, 0, 0, 0, 0))
    for _ in range(100):
        write(journal, 1)
        journal.ack(journal.next_seq - 1)
        make_ready(journal)
        journal = opened(nor)
        seq, totals = journal.counted
        assert journal.next_seq - 15 <= seq < journal.next_seq and totals == (seq, 2, 3, 4, 5, 6)


# ------------------------------------------------------------ devs


def test_the_next_dev_begins_empty_and_leaves_the_records_of_the_one_before_until_the_ring_comes_round():
    nor = flash(SECTORS)
    journal = written(nor, 50)
    journal.open(OTHER, DEV)
    assert (journal.next_seq, journal.acked, journal.recall(1)) == (1, 0, None)
    assert holds(opened(nor), 1, 50)
    write(journal, 3, boot=2)
    again = opened(nor, OTHER, DEV)
    assert holds(again, 1, 3, boot=2)
    assert nor.data.count(record(50)) == 2 and nor.data.count(record(1)) == 2
    journal = again
    while nor.data.count(record(50)):
        write(journal, 1, boot=2)
        journal.ack(journal.next_seq - 1)
    assert journal.next_seq > 100


def test_the_journal_of_another_dev_is_not_taken_over():
    nor = flash(SECTORS)
    written(nor, 50)
    before = nor.operations
    journal = FlashJournal(nor, range(300, 300 + SECTORS))
    with kit.raises(JournalError) as caught:
        journal.open(OTHER)
    assert DEV in str(caught.value)
    refused(journal, record(1))
    assert nor.operations == before


def test_a_dev_that_was_replaced_does_not_go_on():
    nor = flash(SECTORS)
    journal = written(nor, 50)
    journal.open(OTHER, DEV)
    write(journal, 3, boot=2)
    with kit.raises(JournalError):
        opened(nor)


def test_flash_laid_out_in_another_way_is_not_touched():
    nor = flash(SECTORS)
    written(nor, 50)
    before = nor.operations
    for blocks in (range(301, 301 + SECTORS), list(range(301, 300 + SECTORS)) + [300], range(300, 299 + SECTORS)):
        journal = FlashJournal(nor, blocks)
        with kit.raises(JournalError):
            journal.open(DEV)
    fewer = Nor(SECTORS - 8, nor.data)
    with kit.raises(JournalError):
        opened(fewer)
    assert nor.operations == before


def test_guards_that_lie_scattered_all_over_are_refused():
    with kit.raises(ValueError):
        FlashJournal(flash(SECTORS), range(300, 390, 2))
    FlashJournal(flash(SECTORS), range(300, 388, 2))
