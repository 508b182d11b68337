"""After the host's store was restored from a backup: the link sends again what is still here, and no ack moves back."""

from tumbler.core import ledger
from tumbler.core.link import Link

from tests.core.link_parts import HKEY, RKEY, Clock, Identity, Journal, ack, decoded, drain, nonce, seqs, told


class ShortJournal(Journal):
    """A journal whose records before `oldest` are gone; counts how often it was read."""

    oldest, reads = 1, 0

    def recall(self, seq):
        self.reads += 1
        return Journal.recall(self, seq) if seq >= self.oldest else None


def restored(records=9, acked=9, oldest=1):
    """A link that had `acked` records acked by a host, which now comes back with an older store."""
    journal = ShortJournal()
    journal.write(records)
    link = Link(Identity(), journal, Clock())
    drain(link)
    told(link, ack(journal, acked, n=1, cmd="welcome"))
    journal.oldest = oldest
    return link, journal


def resend(journal, seq, n=2, **other):
    if seq == 0:
        return ledger.encode_command("resend", nonce(1), n, (0, 0, "0" * 32), HKEY)
    return ack(journal, seq, n=n, cmd="resend", **other)


def answers(lines):
    return [(d["n"], d["ok"], d["why"]) for d in decoded(lines) if d["kind"] == "answer"]


def hello(lines):
    return [d["next"] - d["unacked"] for d in decoded(lines) if d["kind"] == "hello"]


def test_it_sends_all_behind_the_record_that_the_host_names_and_the_journals_ack_stays():
    link, journal = restored()
    told(link, resend(journal, 4))
    lines = drain(link, 10000)
    assert answers(lines) == [(2, True, "done")]
    assert seqs(lines) == [5, 6, 7, 8, 9]
    assert journal.acked == 9 and journal.acks == 1


def test_the_hello_behind_the_answer_says_from_where_on_and_comes_until_a_welcome():
    link, journal = restored()
    told(link, resend(journal, 4), 10000)
    assert hello(drain(link, 10010)) == []
    assert hello(drain(link, 12000)) == [5]
    assert hello(drain(link, 14000)) == [5]
    told(link, ack(journal, 4, n=3, cmd="welcome"))
    assert hello(drain(link, 16000)) == [] and link.bad_acks == 0


def test_acks_move_on_from_there_to_where_they_were_and_then_the_journal_takes_them_again():
    link, journal = restored(records=9, acked=7)
    told(link, resend(journal, 4))
    drain(link, 100)
    told(link, ack(journal, 6, n=3), 200)
    assert journal.acked == 7
    assert seqs(drain(link, 2000)) == [7, 8, 9]  # only what is not acked comes again
    told(link, ack(journal, 8, n=4), 2100)
    assert journal.acked == 8
    assert seqs(drain(link, 4000)) == [9]
    told(link, resend(journal, 7, n=5), 4100)
    drain(link, 4200)
    told(link, ack(journal, 9, n=6), 4300)
    assert journal.acked == 9 and seqs(drain(link, 7000)) == []


def test_what_is_not_acked_again_is_sent_again():
    link, journal = restored()
    told(link, resend(journal, 6))
    assert seqs(drain(link, 100)) == [7, 8, 9]
    assert seqs(drain(link, 500)) == []
    assert seqs(drain(link, 1200)) == [7, 8, 9]


def test_records_that_are_written_meanwhile_come_behind():
    link, journal = restored()
    told(link, resend(journal, 7))
    journal.write(2)
    assert seqs(drain(link, 100)) == [8, 9, 10, 11]


def test_where_the_older_ones_are_gone_it_begins_at_the_oldest_that_is_here():
    for oldest in range(2, 10):
        link, journal = restored(oldest=oldest)
        told(link, resend(journal, 1))
        lines = drain(link, 10)
        assert seqs(lines) == list(range(oldest, 10)), oldest
        assert answers(lines) == [(2, True, "done")]
        assert hello(drain(link, 2500)) == [oldest]


def test_a_host_without_any_record_gets_all_that_is_here():
    link, journal = restored(oldest=4)
    told(link, resend(journal, 0))
    assert seqs(drain(link, 10)) == [4, 5, 6, 7, 8, 9]


def test_the_oldest_record_is_found_in_few_looks():
    link, journal = restored(records=300, acked=300, oldest=222)
    journal.reads = 0
    told(link, resend(journal, 1))
    assert journal.reads <= 12
    assert seqs(drain(link, 10))[0] == 222


def test_when_none_is_here_any_more_nothing_is_sent_and_the_hello_says_so():
    link, journal = restored(oldest=10)
    told(link, resend(journal, 3))
    assert seqs(drain(link, 10)) == []
    assert hello(drain(link, 2500)) == [10]


def test_another_record_than_the_one_here_is_refused_and_nothing_is_sent():
    link, journal = restored()
    told(link, resend(journal, 4, rmac="ab" * 16) + resend(journal, 4, n=3, boot=11))
    lines = drain(link, 10000)
    assert answers(lines) == [(2, False, "bad_ack"), (3, False, "bad_ack")]
    assert seqs(lines) == [] and link.bad_acks == 2


def test_one_that_is_forged_or_played_again_does_nothing():
    link, journal = restored()
    told(link, resend(journal, 4, key=RKEY) + resend(journal, 4, nonce="0" * 16) + resend(journal, 4, n=1))
    assert drain(link, 10000) == [] and link.bad_lines == 3


def test_a_host_that_is_ahead_of_the_journal_is_noticed_here_too():
    link, _ = restored()
    told(link, ledger.encode_command("resend", nonce(1), 2, (12, 10, "a" * 32), HKEY))
    assert link.host_ahead and seqs(drain(link, 10)) == []


def test_a_host_that_has_all_may_ask_too():
    link, journal = restored(records=9, acked=7)
    told(link, resend(journal, 8))  # it lost the ack, not the record
    assert seqs(drain(link, 10000)) == [8, 9]
