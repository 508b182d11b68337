"""What the terminal asks of its journal around a round: room erased ahead, both copies looked at, totals kept apart."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import round as R

from tests.core.terminal_parts import COVER, Bench

ENTRY_DIGITS = ("1", "3", "6", "entry")


def whole_round(b):
    b.to_uncovered().tap(*ENTRY_DIGITS).switch(COVER, False)
    return b


def fault_shown(b, code):
    return b.state == R.FAULT and b.panel.text == "F%d" % (F.FAULTS.index(code) + 1)


def test_no_spin_before_the_journal_has_room_for_a_round_without_an_erase():
    b = Bench()
    b.store.unprepared = 1 << 20
    b.terminal.prepared = False
    b.tap("spin")
    assert b.state == R.IDLE and "spin" not in b.kinds()
    b.store.unprepared = 0
    b.run(4).tap("spin")
    assert b.state == R.SPINNING


def test_the_journal_is_prepared_in_idle_once_a_second_and_never_in_a_round():
    b = Bench()
    b.run(1000)
    b.store.calls.clear()
    b.run(5000)
    assert b.store.calls == ["prepare"] * 5
    b.tap("spin")
    b.store.calls.clear()
    b.run(5000).tap("no_more_bets").switch(COVER, True).tap(*ENTRY_DIGITS).run(3000)
    assert "prepare" not in b.store.calls
    b.switch(COVER, False)
    assert b.state == R.IDLE and b.store.calls.count("prepare") == 1


def test_a_journal_that_fails_while_it_prepares_is_a_fault():
    b = Bench()
    b.store.fails_to_prepare = True
    b.run(2000)
    assert fault_shown(b, "journal")


def test_one_erase_a_tick():
    b = Bench()
    b.store.unprepared, b.terminal.prepared = 3, False
    for left in (2, 1, 0, 0):
        b.run(2)
        assert b.store.unprepared == left
    assert b.terminal.prepared


def test_both_copies_are_looked_at_before_a_round_and_after_it():
    b = Bench()
    b.store.calls.clear()
    whole_round(b)
    assert [call for call in b.store.calls if call != "prepare"] == [
        "check",
        "spin",
        "bets_open",
        "bets_closed",
        "uncovered",
        "result",
        "meter",
        "check",
    ]


def test_copies_that_differ_before_a_round_are_a_fault_and_nothing_moves():
    b = Bench()
    b.store.unequal = True
    b.tap("spin")
    assert not b.relay.energised and "spin" not in b.kinds() and fault_shown(b, "journal")


def test_copies_that_differ_after_a_round_are_a_fault():
    b = Bench()
    b.to_uncovered().tap(*ENTRY_DIGITS)
    b.store.unequal = True
    b.switch(COVER, False)
    assert b.kinds()[-2:] == ["result", "meter"] and fault_shown(b, "journal")


def test_the_journal_is_told_the_totals_before_every_record():
    b = Bench()
    before = []
    append = b.store.append
    b.store.append = lambda line: (before.append(b.store.totals), append(line))
    whole_round(b)
    # rounds, spins, results, voids, corrections, faults
    assert [t[:3] for t in before] == [(0, 0, 0)] + [(1, 0, 0)] * 4 + [(1, before[-1][1], 1)]
    assert before[-1][1] >= 3


def test_the_journal_is_told_the_totals_before_it_prepares():
    """A note of acks may begin a sector, whose header tells them; a stale one was a lost journal at the next start."""
    b = whole_round(Bench())
    told, prepare = [], b.store.prepare
    b.store.prepare = lambda: (told.append(b.store.totals), prepare())[1]
    b.switch(E.SUPERVISOR, True).tap("6", "6", "6", "entry").run(1200)
    assert b.kinds()[-1] == "correction"
    assert told[-1][:1] + told[-1][2:] == (1, 1, 0, 1, 0)  # rounds, results, voids, corrections, faults


def restarted(counted):
    """After a round and a half, with what a sector's header says of the totals before record counted(records)[0]."""
    b = whole_round(Bench()).to_betting()
    b.store.counted = counted(b.records())
    return b.start("power")


def meter_of(records):
    (meter,) = [record for record in records if record["kind"] == "meter"]
    totals = tuple([meter[name] for name in ("rounds", "spins", "results", "voids", "corrections", "faults")])
    return meter["seq"], totals


def test_totals_that_agree_are_no_fault():
    for behind in (0, 1, 2):  # before the meter record, behind it, behind the next spin

        def counted(records, behind=behind):
            seq, totals = meter_of(records)
            return seq + behind, (totals[0] + (behind == 2),) + totals[1:]

        assert fault_shown(restarted(counted), "power_lost"), behind


def test_totals_that_do_not_agree_are_a_lost_journal():
    for behind in (0, 1, 2, 3):
        for n in range(6):

            def counted(records, behind=behind, n=n):
                seq, totals = meter_of(records)
                totals = (totals[0] + (behind >= 2),) + totals[1:]
                return seq + behind, totals[:n] + (totals[n] + 1,) + totals[n + 1 :]

            assert fault_shown(restarted(counted), "journal_lost"), (behind, n)


def test_many_starts_without_a_round_do_not_fill_the_journal():
    for b, starts in ((Bench(), 60), (whole_round(whole_round(Bench())), 110)):
        rounds = b.terminal.round.round
        for _ in range(starts):
            b.start("power")
            b.lines.clear()
            assert b.store.next_seq - b.store.keep <= 2 * 48 + 8
        assert (b.state, b.terminal.round.round, b.terminal.totals.rounds) == (R.IDLE, rounds, rounds)
        whole_round(b)
        assert b.records()[-1]["rounds"] == rounds + 1 and b.chain_holds()


def test_the_last_round_can_be_corrected_after_some_starts():
    b = whole_round(Bench())
    for _ in range(20):
        b.start("power")
    b.switch(E.SUPERVISOR, True).tap("2", "2", "2", "entry")
    assert b.records()[-1]["kind"] == "correction" and b.records()[-1]["dice"] == (2, 2, 2)


def test_many_starts_in_the_middle_of_a_round_forget_nothing_of_it():
    b = whole_round(Bench()).to_uncovered()
    for _ in range(60):
        b.start("power")
        b.lines.clear()
    b.tap(*ENTRY_DIGITS).switch(COVER, False)
    assert b.kinds()[-2:] == ["result", "meter"] and b.records()[-1]["rounds"] == 2
