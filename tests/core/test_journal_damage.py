"""The journal in files after power cuts, failing disks and lost files: nothing is lost, nothing missing is hidden."""

import os

from tumbler.core.journal import JournalError
from tumbler.hw.journal_file import JournalFile

from tests.core import kit
from tests.core.journal_parts import (
    FailingDisk,
    Folder,
    content,
    holds,
    more,
    opened,
    put,
    record,
    segments,
    written,
)


def after_a_cut(path, last, rest):
    """Append record `last`, leave its slot as rest(slot), restart: all before are there and the journal goes on."""
    written(path, last, capacity=1000)
    newest = segments(path)[-1]
    data = content(newest)
    at = len(data) - 320
    for n, left in rest(data[at:]):
        if segments(path)[-1] != newest:
            os.remove(segments(path)[-1])  # from the round before
        put(newest, data[:at] + left)
        journal = opened(path, capacity=1000)
        whole = left[: len(record(last))] == record(last)
        assert journal.next_seq == (last + 1 if whole else last), n
        assert holds(journal, 1, journal.next_seq - 1), n
        assert holds(opened(path), 1, journal.next_seq - 1), n  # looking changes nothing
        while journal.next_seq < last + 3:
            more(journal, 1)
        assert holds(journal, 1, last + 2) and holds(opened(path), 1, last + 2), n


def cut_at_every_byte(slot):
    return [(n, slot[:n]) for n in range(len(slot) + 1)]


def cut_here_and_there(slot):
    end = len(slot.rstrip(b"\n"))
    return [(n, slot[:n]) for n in (0, 1, 100, end - 1, end, end + 1, end + 2, 319)]


def test_cut_in_the_first_record_of_all():
    with Folder() as path:
        after_a_cut(path, 1, cut_here_and_there)


def test_cut_at_every_byte_of_an_append():
    with Folder() as path:
        after_a_cut(path, 4, cut_at_every_byte)


def test_cut_in_the_last_slot_of_a_segment():
    with Folder() as path:
        after_a_cut(path, 64, cut_here_and_there)


def test_cut_in_the_first_slot_of_a_new_segment():
    with Folder() as path:
        after_a_cut(path, 65, cut_here_and_there)


def test_a_slot_that_was_never_filled_or_holds_other_bytes():
    for filler in (b"\x00", b"\xff", b"\n", b"#", b"}"):

        def torn(slot, filler=filler):
            return [(n, slot[:n] + filler * (320 - n)) for n in (0, 1, 60, 120)]

        with Folder() as path:
            after_a_cut(path, 3, torn)


def test_torn_again_and_again_at_the_same_record():
    with Folder() as path:
        journal = written(path, 2)
        for kept in (1, 120, 0, 64, 100, 150, 1, 1, 149):
            journal = opened(path)
            with FailingDisk("write", kept), kit.raises(JournalError):
                more(journal, 1)
        assert 320 * 3 < len(content(segments(path)[0]))
        journal = opened(path)
        assert journal.next_seq == 3
        more(journal, 3)
        assert holds(journal, 1, 5) and holds(opened(path), 1, 5)


def test_a_segment_of_torn_slots_only():
    with Folder() as path:
        written(path, 65, capacity=1000)
        put(segments(path)[1], b"#" * 320 * 70)
        journal = opened(path, capacity=1000)
        more(journal, 3)
        assert holds(opened(path), 1, 67) and len(segments(path)) == 3


# ------------------------------------------------------------ a disk that fails


def test_after_a_failed_append_nothing_is_taken_until_the_files_were_looked_at():
    for when, kept in (("write", 0), ("write", 5), ("write", 320), ("short", 17), ("flush", 0)):
        with Folder() as path:
            written(path, 2)
            with FailingDisk(when, kept):
                journal = opened(path)
                with kit.raises(JournalError):
                    more(journal, 1)
            with kit.raises(JournalError):  # the disk is well again, but what is on it?
                journal.append(record(3))
            assert journal.next_seq == 3 and journal.recall(2) == record(2)
            journal.open()
            assert holds(journal, 1, journal.next_seq - 1), (when, kept)
            while journal.next_seq < 6:
                more(journal, 1)
            assert holds(journal, 1, 5) and holds(opened(path), 1, 5), (when, kept)


def test_after_a_failure_of_another_kind_too():
    with Folder() as path:
        written(path, 2)
        with FailingDisk("memory", 9):
            journal = opened(path)
            with kit.raises(MemoryError):
                more(journal, 1)
        with kit.raises(JournalError):
            journal.append(record(3))
        journal.open()
        more(journal, 1)
        assert holds(opened(path), 1, 3)


def test_a_directory_that_cannot_be_made_or_read():
    with Folder() as path:
        journal = JournalFile(path + "/no/journal", 10)
        journal.open()
        with kit.raises(JournalError):
            more(journal, 1)
        put(path + "/journal", b"a file in its place")
        with kit.raises(JournalError):
            opened(path)
        with kit.raises(JournalError):
            JournalFile(path + "/journal", 10).open()


# ------------------------------------------------------------ records that are missing


def broken(path):
    """Opening must fail; the journal then counts as empty and takes nothing."""
    journal = JournalFile(path + "/journal", 1000)
    with kit.raises(JournalError):
        journal.open()
    with kit.raises(JournalError):
        journal.append(record(1))
    return (journal.next_seq, journal.acked, journal.recall(1)) == (1, 0, None)


def test_a_record_spoiled_in_the_middle_is_missed():
    with Folder() as path:
        written(path, 5)
        (only,) = segments(path)
        data = content(only)
        for seq in (1, 2, 4):
            at = 320 * (seq - 1) + 70
            put(only, data[:at] + b"?" + data[at + 1 :])
            assert broken(path), seq
            put(only, data[: 320 * (seq - 1)] + data[320 * seq :])
            assert broken(path), seq


def test_records_twice_or_out_of_order_are_seen():
    with Folder() as path:
        written(path, 5)
        (only,) = segments(path)
        slots = [content(only)[320 * n : 320 * (n + 1)] for n in range(5)]
        for order in ((0, 1, 1, 2, 3, 4), (0, 2, 1, 3, 4), (0, 1, 2, 3, 4, 0), (4, 3, 2, 1, 0)):
            put(only, b"".join([slots[n] for n in order]))
            assert broken(path), order


def test_a_segment_lost_in_the_middle_is_missed():
    with Folder() as path:
        written(path, 200, capacity=1000)
        os.remove(segments(path)[1])
        assert broken(path)


def test_a_segment_cut_in_the_middle_is_missed():
    with Folder() as path:
        written(path, 100, capacity=1000)
        first = segments(path)[0]
        put(first, content(first)[:-320])
        assert broken(path)


def test_a_segment_cut_before_one_that_holds_nothing_yet_is_missed():
    with Folder() as path:
        written(path, 65, capacity=1000)
        first, second = segments(path)
        put(second, b"")
        assert opened(path, capacity=1000).next_seq == 65
        put(first, content(first)[:-320])
        assert broken(path)


def test_acked_records_lost_at_the_end_are_missed():
    with Folder() as path:
        journal = written(path, 5)
        journal.ack(4)
        (only,) = segments(path)
        data = content(only)
        put(only, data[: 320 * 4])
        assert opened(path).next_seq == 5
        put(only, data[: 320 * 3])
        assert broken(path)


def test_a_lost_journal_does_not_exist_and_begins_anew():
    with Folder() as path:
        journal = written(path, 5)
        journal.ack(4)
        os.remove(segments(path)[0])
        journal = opened(path)
        assert (journal.next_seq, journal.acked) == (1, 0)
        more(journal, 2)
        assert holds(opened(path), 1, 2) and opened(path).acked == 0


def test_a_record_that_cannot_be_read_back_is_an_error():
    with Folder() as path:
        journal = written(path, 3)
        (only,) = segments(path)
        put(only, content(only)[:320])
        with kit.raises(JournalError):
            journal.recall(3)
        os.remove(only)
        with kit.raises(JournalError):
            journal.recall(1)


def test_other_files_in_the_directory_are_left_alone():
    with Folder() as path:
        os.mkdir(path + "/journal")
        for name in ("notes.txt", "1.seg", "0000000001.seg.bak"):
            put(path + "/journal/" + name, b"x")
        journal = opened(path)
        assert journal.next_seq == 1
        more(journal, 2)
        assert holds(opened(path), 1, 2) and content(path + "/journal/notes.txt") == b"x"
