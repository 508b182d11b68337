"""The journal in files: what was appended is there again, in order, and nothing else; room, recall and acks."""

import os

from tumbler.core.journal import JournalError
from tumbler.hw.journal_file import RECALL_RECORDS, JournalFile

from tests.core import kit
from tests.core.journal_parts import (
    CAPACITY,
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


def test_a_journal_that_never_was():
    with Folder() as path:
        journal = opened(path)
        assert journal.next_seq == 1
        assert (journal.next_seq, journal.acked, journal.unacked(), journal.free()) == (1, 0, 0, CAPACITY)
        assert journal.recall(0) is None and journal.recall(1) is None
        assert os.listdir(path) == []


def test_records_are_there_after_a_restart():
    with Folder() as path:
        journal = written(path, 5)
        assert holds(journal, 1, 5)
        again = opened(path)
        assert holds(again, 1, 5)
        assert (again.unacked(), again.free()) == (5, CAPACITY - 5)
        more(again, 2)
        assert holds(again, 1, 7) and holds(opened(path), 1, 7)


def test_records_go_on_over_many_segments():
    with Folder() as path:
        journal = written(path, 150, capacity=1000)
        assert len(segments(path)) == 3
        assert holds(journal, 1, 150) and holds(opened(path), 1, 150)


def test_a_restart_where_a_segment_is_just_full():
    for count in (63, 64, 65):
        with Folder() as path:
            written(path, count, capacity=1000)
            journal = opened(path, capacity=1000)
            more(journal, 2)
            assert holds(opened(path), 1, count + 2), count


def test_append_only_adds_to_the_file():
    with Folder() as path:
        journal = opened(path)
        before = b""
        for n in range(1, 20):
            more(journal, 1)
            now = content(segments(path)[0])
            assert now[: len(before)] == before and len(now) == 320 * n
            before = now


def test_a_segment_is_read_as_lines():
    with Folder() as path:
        written(path, 9)
        lines = [line for line in content(segments(path)[0]).split(b"\n") if line]
        assert lines == [record(seq)[:-1] for seq in range(1, 10)]


def test_only_the_next_record_is_taken():
    with Folder() as path:
        journal = written(path, 3)
        for line in (record(3), record(5), record(4)[:-1], record(4).replace(b'"round":4', b'"round":5'), b"", b"\n"):
            with kit.raises(JournalError):
                journal.append(line)
        assert holds(journal, 1, 3)
        journal.append(record(4))
        assert holds(opened(path), 1, 4)


def test_nothing_is_taken_before_it_was_opened():
    with Folder() as path:
        journal = JournalFile(path + "/journal", CAPACITY)
        with kit.raises(JournalError):
            journal.append(record(1))
        assert os.listdir(path) == []


# ------------------------------------------------------------ room


def test_an_unacked_record_never_goes_the_journal_is_full_instead():
    with Folder() as path:
        journal = written(path, 4, capacity=4)
        assert journal.free() == 0
        with kit.raises(JournalError) as caught:
            journal.append(record(5))
        assert "full" in str(caught.value)
        assert holds(journal, 1, 4) and holds(opened(path), 1, 4)
        journal.ack(2)
        assert journal.free() == 2
        more(journal, 2)
        assert journal.free() == 0 and holds(opened(path), 1, 6)


def test_the_last_800_acked_records_stay_and_older_segments_go():
    assert RECALL_RECORDS == 800
    with Folder() as path:
        journal = opened(path)
        for seq in range(1, 1301):
            journal.keep = seq
            journal.append(record(seq))
            if seq % 10 == 0:
                journal.ack(seq - 5)
            if seq % 100 == 0:
                oldest = int(segments(path)[0][-14:-4])
                assert oldest <= max(1, journal.acked - 799), (oldest, seq)
                assert oldest > journal.acked - 800 - 2 * 64, (oldest, seq)
        assert journal.recall(1) is None and journal.recall(oldest - 1) is None
        assert holds(journal, oldest, 1300)
        again = opened(path)
        assert holds(again, oldest, 1300) and again.acked == 1295


def test_what_recovery_needs_stays_however_old_and_acked():
    with Folder() as path:
        journal = opened(path, 200)
        journal.keep = 3
        for seq in range(1, 1301):
            journal.append(record(seq))
            journal.ack(seq)
        assert journal.recall(3) == record(3)
        journal.keep = 1300
        for seq in range(1301, 1400):
            journal.append(record(seq))
        assert journal.recall(3) is None


def test_the_journal_of_the_dev_before_is_put_aside_whole_and_the_next_begins_empty():
    with Folder() as path:
        journal = written(path, 5)
        journal.ack(3)
        journal.open("sim-bb", "sim-aa")
        assert (journal.next_seq, journal.acked, journal.recall(1)) == (1, 0, None)
        journal.append(record(1))
        old = JournalFile(path + "/journal.sim-aa", 10)
        old.open()
        assert (old.next_seq, old.acked) == (6, 3)


def test_names_that_are_no_segments_are_passed_over():
    with Folder() as path:
        journal = opened(path)
        journal.append(record(1))
        with open(path + "/journal/zzzzzzzzzz.seg", "wb") as f:
            f.write(b"x")
        assert opened(path).next_seq == 2


def test_the_record_before_what_recovery_needs_stays_too_for_its_mac():
    with Folder() as path:
        journal = opened(path, 200)
        journal.keep = 65  # the first of the second segment
        for seq in range(1, 1301):
            journal.append(record(seq))
            journal.ack(seq)
        assert journal.recall(64) == record(64)


def test_unacked_records_stay_however_many_there_are():
    with Folder() as path:
        journal = written(path, 1000, capacity=2000)
        journal.ack(100)
        more(journal, 200)
        assert holds(opened(path, capacity=2000), 1, 1200)


# ------------------------------------------------------------ acks


def test_acks_are_kept_and_never_move_backwards():
    with Folder() as path:
        journal = written(path, 9)
        for seq, acked in ((3, 3), (2, 3), (0, 3), (3, 3), (7, 7), (1, 7), (9, 9)):
            journal.ack(seq)
            again = opened(path)
            assert (journal.acked, again.acked, again.unacked()) == (acked, acked, 9 - acked)


def test_a_record_that_was_never_written_is_not_acked():
    with Folder() as path:
        journal = written(path, 3)
        with kit.raises(JournalError):
            journal.ack(4)
        assert journal.acked == 0 and opened(path).acked == 0


def test_an_ack_file_cut_or_spoiled_at_any_byte_gives_an_older_ack():
    with Folder() as path:
        journal = written(path, 12)
        journal.ack(3)
        journal.ack(11)
        newest = path + "/journal/acked.1"
        whole = content(newest)
        assert whole.startswith(b"11 ")
        for n in range(len(whole)):
            put(newest, whole[:n])
            assert opened(path).acked == 3, n
            put(newest, whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :])
            assert opened(path).acked == 3, n
        again = opened(path)
        again.ack(5)  # goes into the spoiled one, the good one stays
        assert content(path + "/journal/acked.0").startswith(b"3 ") and opened(path).acked == 5


def test_without_any_good_ack_file_records_are_only_sent_again():
    with Folder() as path:
        journal = written(path, 12)
        journal.ack(3)
        journal.ack(11)
        for n in (0, 1):
            put(path + "/journal/acked.%d" % n, b"\xff" * 11)
        again = opened(path)
        assert again.acked == 0 and again.unacked() == 12
        again.ack(11)
        assert opened(path).acked == 11


def test_an_ack_that_cannot_be_written_is_an_error_and_does_not_count():
    with Folder() as path:
        journal = written(path, 5)
        journal.ack(2)
        for when in ("write", "short", "flush"):
            with FailingDisk(when, 1), kit.raises(JournalError):
                journal.ack(4)
            assert journal.acked == 2
        more(journal, 1)
        assert opened(path).acked in (2, 4)  # a flush that fails may have written all
        journal.ack(5)
        assert opened(path).acked == 5 and holds(opened(path), 1, 6)
