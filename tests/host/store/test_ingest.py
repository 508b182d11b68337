"""Taking records: once and in order, whatever comes again, early or wrong; what is out of order becomes an alarm."""

from datetime import datetime, timezone

import pytest

from host_tools.link.events import Identity
from host_tools.store import Conflict, Gap
from host_tools.store.rows import Made
from host_tools.store.schema import metadata
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, Chain, at, figures


def contents(store):
    """Every row of every table."""
    with store._db.reading() as connection:
        return {name: connection.execute(table.select()).all() for name, table in metadata.tables.items()}


def test_a_record_is_kept_as_it_came(store, board):
    raw, fields = board.line("boot", "0" * 16, "1.28.0", "pico", "power", "production", None)
    done = board.give(raw, fields, received_s=7.25, occurred_s=1)
    assert done == (True, "boot", None, Made(), "")
    row = contents(store)["records"][0]
    assert (row.line.encode(), row.received_at, row.occurred_at) == (raw, at(7.25), at(1))
    assert row.received_at == datetime(2026, 3, 1, 12, 0, 7, 250000, tzinfo=timezone.utc)
    assert store.last_identity(DEV) == Identity(1, 1, fields["mac"])


def test_no_identity_before_the_first_record(store):
    assert store.last_identity(DEV) is None


def test_every_record_of_a_round_again_changes_nothing(store, board):
    lines = [board.line("spin", 1, 3), board.line("bets_open", 1, 3)]
    for line in lines:
        board.give(*line)
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(2))
    rest = [
        board.line("bets_closed", 1, "dealer"),
        board.line("uncovered", 1),
        board.line("result", 1, (6, 1, 3), 4),
        board.line("correction", 1, 1, 5, (3, 3, 6), "supervisor", "wrong_entry"),
        board.line("fault", 1, "RESULT", "estop"),
        board.line("clear", 1, 1, 7, "supervisor", "clear"),
        board.line("void", 1, 1, 6, "supervisor", "dispute"),
        board.line("meter", 1, 4, 1, 1, 1, 1, 2),
    ]
    for line in rest:
        assert board.give(*line).new
    before = contents(store)
    assert len(before["settlements"]) == 4 + 8 + 8
    for raw, fields in lines + rest:
        again = board.give(raw, fields, received_s=99)
        assert again == (False, fields["kind"], fields.get("round"), Made(), "")
    assert contents(store) == before
    assert store.open_alarms() == []


def test_a_record_before_its_time_is_a_gap_and_changes_nothing(store, board):
    board.take("spin", 1, 3)
    board.line("bets_open", 1, 3)
    line = board.line("bets_closed", 1, "dealer")
    before = contents(store)
    with pytest.raises(Gap) as gap:
        board.give(*line)
    assert (gap.value.expected, gap.value.got) == (2, 3)
    assert contents(store) == before


def test_the_first_record_of_a_dev_has_seq_1(store, board):
    board.line("spin", 1, 3)
    line = board.line("bets_open", 1, 3)
    with pytest.raises(Gap) as gap:
        board.give(*line)
    assert (gap.value.expected, gap.value.got) == (1, 2)


def test_other_bytes_for_a_stored_identity_are_a_conflict(store, board):
    board.take("spin", 1, 3)
    before = contents(store)
    other = Chain(store)
    line = other.line("spin", 1, 4)
    with pytest.raises(Conflict, match="1:1"):
        other.give(*line)
    assert contents(store) == before


def test_a_stored_seq_under_another_boot_is_a_conflict(store, board):
    board.take("spin", 1, 3)
    other = Chain(store)
    other.boot = 2
    line = other.line("spin", 1, 3)
    with pytest.raises(Conflict):
        other.give(*line)


def test_the_next_seq_under_an_earlier_boot_is_a_conflict(store, board):
    board.boot = 5
    board.take("spin", 1, 3)
    board.boot = 4
    line = board.line("bets_open", 1, 3)
    with pytest.raises(Conflict, match="earlier start"):
        board.give(*line)


def test_two_boards_keep_their_own_rounds(store, board):
    board.take("spin", 1, 3)
    Chain(store, "sim-0000000000b2-0001").take("spin", 1, 3)
    assert [(row.dev, row.round) for row in store.rounds()] == [(DEV, 1), ("sim-0000000000b2-0001", 1)]
    assert len(store.rounds(DEV)) == 1


def test_a_round_follows_its_record_in_force(store, board):
    states = []
    for kind, values in [
        ("spin", (1, 3)),
        ("bets_open", (1, 3)),
        ("bets_closed", (1, "dealer")),
        ("uncovered", (1,)),
        ("result", (1, (6, 1, 3), 4)),
        ("correction", (1, 1, 5, (1, 1, 2), "supervisor", "wrong_entry")),
        ("void", (1, 1, 6, "supervisor", "dispute")),
    ]:
        board.take(kind, *values, occurred_s=10 + board.seq)
        if kind == "bets_open":
            store.update_live(DEV, 1, "BETTING", 1, None, at(11))  # this run sees the bets open
        row = store.rounds()[0]
        states.append((row.state, row.seq, row.dice, row.settled))
    assert states == [
        ("spin", 1, None, False),
        ("bets_open", 2, None, False),
        ("bets_closed", 3, None, False),
        ("uncovered", 4, None, False),
        ("result", 5, (6, 1, 3), True),
        ("correction", 6, (1, 1, 2), True),
        ("void", 7, None, True),
    ]
    assert (row.paytable, row.paytable_hash) == ("hoiana", HOIANA.hash)
    assert (row.began_at, row.opened_at, row.closed_at, row.ended_at) == (at(10), at(11), at(12), at(16))


@pytest.mark.parametrize(
    ("kind", "values", "why"),
    [
        ("result", (1, (1, 1, 1), 4), "cannot follow bets_open"),
        ("spin", (1, 3), "cannot follow bets_open"),
        ("result", (2, (1, 1, 1), 4), "cannot follow nothing"),
        ("void", (1, 1, 1, "supervisor", "other"), "replaces 1:1, but 1:2 is in force"),
    ],
)
def test_what_cannot_follow_is_kept_as_an_alarm_and_settles_nothing(store, board, kind, values, why):
    board.betting()
    before = store.rounds()
    done = board.take(kind, *values)
    assert why in done.note
    assert [(alarm.kind, alarm.text) for alarm in store.open_alarms(DEV)] == [("order", done.note)]
    assert store.rounds() == before and store.settlements(DEV, 1) == []
    assert store.last_identity(DEV).seq == 3


def test_a_void_is_final(store, board):
    board.result()
    board.void(1)
    before = store.settlements(DEV, 1)
    assert "cannot follow void" in board.correct(1, (1, 1, 2)).note
    assert store.settlements(DEV, 1) == before


def test_meters_that_agree_raise_nothing(store, board):
    board.result(1)
    assert board.take("meter", 1, 4, 1, 0, 0, 0, 2).note == ""
    board.take("void", 1, 1, 5, "supervisor", "dispute")
    board.result(2)
    board.correct(2, (1, 1, 2))
    board.take("fault", 2, "RESULT", "estop")
    board.take("spin", 3, 3)
    board.void(3)
    assert board.take("meter", 3, 8, 2, 2, 1, 1, 2).note == ""
    assert store.open_alarms() == []


@pytest.mark.parametrize("wrong", range(6))
def test_a_meter_that_disagrees_is_an_alarm(store, board, wrong):
    board.result(1)
    board.take("meter", 1, 4, 1, 0, 0, 0, 2)
    board.result(2)
    totals = [2, 8, 2, 0, 0, 0]
    totals[wrong] += 1
    done = board.take("meter", *totals, 2)
    name = ("rounds", "spins", "results", "voids", "corrections", "faults")[wrong]
    assert f"{name} {totals[wrong]}, counted {totals[wrong] - 1}." in done.note
    assert [alarm.kind for alarm in store.open_alarms(DEV)] == ["totals"]


def test_spins_that_a_power_cut_forgot_count_as_none(store, board):
    board.uncovered()
    board.take("result", 1, (6, 1, 3), None)
    assert board.take("meter", 1, 0, 1, 0, 0, 0, 2).note == ""


def test_while_an_alarm_is_open_records_are_kept_and_nothing_is_settled(store, board):
    board.uncovered()
    alarm = store.alarm(DEV, "gap", "A record is missing.", at(5))
    done = board.take("result", 1, (6, 1, 3), 4)
    assert done.new and done.made.entries == [] and "stopped" in done.note
    assert store.settlements(DEV, 1) == [] and store.settle_due(DEV, SETTLER, at(6)).entries == []
    assert store.confirm_alarm(alarm, "anna", at(7))
    made = store.settle_due(DEV, SETTLER, at(8)).entries
    assert [row[3:] for row in figures(made)] == [(1000, 2000), (0, 0), (2500, 3000), (0, 0)]
    assert store.settle_due(DEV, SETTLER, at(9)).entries == []


def test_after_the_confirmation_the_next_record_settles_what_waited(store, board):
    board.betting()
    store.place_wagers(DEV, 1, [BATCH[0]._replace(wager_id="LATE")], HOIANA, lambda: at(3))
    alarm = store.alarm(DEV, "gap", "A record is missing.", at(4))
    board.take("bets_closed", 1, "dealer", occurred_s=2.5)
    board.take("uncovered", 1)
    board.take("result", 1, (6, 1, 3), 4)
    store.confirm_alarm(alarm, "anna", at(7))
    done = board.take("fault", 1, "RESULT", "estop")
    outcomes = {made.settlement.wager.wager_id: made.settlement.outcome for made in done.made.entries}
    assert outcomes == {"W1": "win", "W2": "lose", "W3": "win", "W4": "lose", "LATE": "void"}


def test_an_alarm_of_one_board_does_not_stop_another(store, board):
    store.alarm("sim-0000000000b2-0001", "gap", "A record is missing.", at(0))
    assert len(board.result().made.entries) == 4
