"""The state of the table: what follows from each record and status, and that the cover hides the dice."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host_tools.store import Settler, Store
from host_tools.store.database import Database
from host_tools.store.rows import Owner
from host_tools.view.reading import Reader, serving
from tests.host.store.chain import DEV, HOIANA, SETTLER, Chain, at

STATES = ("SPINNING", "COASTING", "BETTING", "CLOSED", "UNCOVERED", "RESULT", "IDLE", "FAULT")


def says(store, state, number=1, seconds=0.0, boot=1):
    store.update_live(DEV, boot, state, number, None, at(seconds))


def state_of(reader, seconds=0.0):
    return reader.read(at(seconds))


def test_a_round_in_words(store, board, reader):
    says(store, "IDLE", 0)
    told = [state_of(reader).state]
    for kind, values in (
        ("spin", (1, 3)),
        ("bets_open", (1, 3)),
        ("bets_closed", (1, "dealer")),
        ("uncovered", (1,)),
        ("result", (1, (6, 1, 3), 4)),
    ):
        board.take(kind, *values)
        told.append(state_of(reader).state)
    board.void(1)
    told.append(state_of(reader).state)
    board.take("spin", 2, 3)
    told.append(state_of(reader).state)
    assert told == [
        "idle", "spinning", "place_bets", "no_more_bets", "uncovered", "result", "void", "spinning",
    ]  # fmt: skip


def test_dice_that_come_to_rest_are_told_by_the_status_alone(store, board, reader):
    board.take("spin", 1, 3)
    says(store, "COASTING")
    assert state_of(reader).state == "settling"
    board.take("bets_open", 1, 3)
    assert state_of(reader).state == "place_bets"


def test_a_board_is_away_when_its_status_is_over_three_seconds_old(store, board, reader):
    assert state_of(reader).state == "away"
    says(store, "IDLE", 0)
    assert [state_of(reader, seconds).state for seconds in (3, 3.001, -3.001)] == ["idle", "away", "away"]


def test_a_fault_is_told_by_its_record_and_by_the_status(store, board, reader):
    board.take("spin", 1, 3)
    says(store, "SPINNING")
    board.take("fault", 1, "SPINNING", "stall")
    now = state_of(reader)
    assert (now.state, now.fault.code, now.fault.state, now.fault.boot, now.fault.seq) == (
        "fault", "stall", "SPINNING", 1, 2,
    )  # fmt: skip
    board.take("void", 1, 1, 1, "supervisor", "fault")
    board.take("clear", 1, 1, 2, "supervisor", "clear")
    now = state_of(reader)
    assert (now.state, now.fault, now.void_reason, now.board.faults) == ("void", None, "fault", 1)
    says(store, "FAULT")
    assert state_of(reader).state == "fault"


@pytest.mark.clause("tai-sai 3.3")
def test_a_result_lights_its_areas_at_their_odds(store, board, reader):
    board.result(dice=(6, 1, 6))
    result = state_of(reader).result
    assert (result.dice, result.total, result.side, result.mark) == ((6, 1, 6), 13, "big", None)
    assert result.call == "1, double 6, total 13"
    lit = {area.area: area.odds for area in result.winning}
    assert lit == {
        "big": (1, 1), "double-6": (8, 1), "total-13": (8, 1), "combination-1-6": (5, 1), "face-1": (1, 1),
        "face-6": (2, 1),
    }  # fmt: skip


def test_corrections_voids_and_adjustments_are_marked(store, board, reader):
    board.result(1, (6, 1, 3))
    board.correct(1, (6, 1, 4))
    now = state_of(reader)
    assert (now.result.dice, now.result.mark) == ((6, 1, 4), "corrected")
    board.result(2, (5, 5, 5), batch=[])
    board.void(2)
    board.result(3, (1, 1, 2), batch=[])
    store.adjust(DEV, 1, store.round(DEV, 1).in_force, (1, 1, 1), "dispute", "host:anna", SETTLER, at(99))
    now = state_of(reader)
    assert [(past.round, past.dice, past.total, past.side, past.mark) for past in now.last_rounds] == [
        (1, (1, 1, 1), 3, "triple", "adjusted"),
        (2, None, None, None, "void"),
        (3, (1, 1, 2), 4, "small", None),
    ]
    assert now.figures.rounds == 2


def test_thirty_rounds_are_shown(store, board, reader):
    for number in range(1, 33):
        board.result(number, (1, 2, 3), batch=[])
    assert [past.round for past in state_of(reader).last_rounds] == list(range(3, 33))
    board.take("spin", 33, 3)
    assert [past.round for past in state_of(reader).last_rounds] == list(range(3, 33))


def test_numbers_pressed_before_the_status_uncovered_stay_when_it_comes(store, board, reader):
    board.uncovered()
    says(store, "CLOSED")
    store.update_live(DEV, 1, None, 1, (6, 1), at(0))
    assert state_of(reader).numbers == [6, 1]
    says(store, "UNCOVERED")
    assert state_of(reader).numbers == [6, 1]


@pytest.mark.parametrize("state", ["UNCOVERED", "RESULT", "IDLE", "FAULT"])
@pytest.mark.parametrize("window", [(), (5,), (5, 5), (5, 5, 5)])
def test_numbers_that_a_supervisor_presses_behind_a_result_are_not_shown_as_the_rounds(
    store, board, reader, state, window
):
    board.result(1, (6, 1, 3))
    says(store, state, 1)
    store.update_live(DEV, 1, None, 1, window, at(0))
    now = state_of(reader)
    assert (now.numbers, now.result.dice) == ([6, 1, 3], (6, 1, 3))


def test_numbers_of_an_earlier_round_are_not_shown_in_this_one(store, board, reader):
    board.uncovered(1, batch=[])
    says(store, "UNCOVERED", 1)
    store.update_live(DEV, 1, None, 1, (6, 1), at(0))
    assert state_of(reader).numbers == [6, 1]
    board.take("result", 1, (6, 1, 3), 4)
    for kind, *values in (("spin", 2, 3), ("bets_open", 2, 3), ("bets_closed", 2, "dealer"), ("uncovered", 2)):
        board.take(kind, *values)  # all are here before the first status of the round
    assert state_of(reader).numbers == []


def test_another_paytable_than_the_views_lights_nothing(store, board, reader):
    from dataclasses import replace

    other = replace(HOIANA, head=HOIANA.head._replace(name="other"), hash="0" * 64)
    for kind, *values in (("spin", 1, 3), ("bets_open", 1, 3), ("bets_closed", 1, "dealer"), ("uncovered", 1)):
        board.take(kind, *values, settler=Settler(other))
    board.take("result", 1, (6, 1, 3), 4, settler=Settler(other))
    now = state_of(reader)
    assert (now.paytable_fits, now.result.winning, now.result.total) == (False, [], 10)


def test_wagers_are_open_only_while_the_lease_lasts_and_no_alarm_is_open(store, board, reader):
    board.betting(batch=[])  # its status is of second 2
    assert [state_of(reader, seconds).wagers_open for seconds in (2, 3.5, 3.6)] == [True, True, False]
    store.alarm(DEV, "totals", "They differ.", at(2))
    now = state_of(reader, 2)
    assert (now.wagers_open, [alarm.kind for alarm in now.alarms]) == (False, ["totals"])
    store.confirm_alarm(1, "anna", at(2))
    board.take("bets_closed", 1, "dealer")
    assert not state_of(reader, 2).wagers_open


def test_the_health_of_a_board(store, board, reader):
    boot = ("0123456789abcdef", "1.28.0", "pico")
    board.take("boot", *boot, "power", "production", None)
    board.take("boot", *boot, "watchdog", "production", None)
    says(store, "IDLE", 0, 7)
    health = state_of(reader).board
    assert (health.starts, health.resets, health.start_cause, health.started_at) == (2, 1, "watchdog", at(2))
    assert (health.says, health.status_at, health.last_record_at, health.run_since) == ("IDLE", at(7), at(2), None)


def test_a_run_that_died_is_on_no_longer_once_its_lease_is_over(store, reader):
    """Killed outright, it leaves its row as the owner behind."""
    store.claim(Owner(DEV, "token", "desk", 4711, at(0), at(9), at(14)), None)
    says(store, "IDLE", 0, 9)
    assert [state_of(reader, seconds).board.run_since for seconds in (9, 14, 14.001)] == [at(0), at(0), None]
    assert state_of(reader, 15).state == "away"


def test_records_that_wait_on_the_board(store, board, reader):
    board.take("spin", 1, 3)
    assert state_of(reader).board.unacked is None
    store.update_live(DEV, 1, "SPINNING", 1, None, at(0), 4)
    assert state_of(reader).board.unacked == 2
    for kind, *values in (("bets_open", 1, 3), ("bets_closed", 1, "dealer"), ("uncovered", 1)):
        board.take(kind, *values)
    assert state_of(reader).board.unacked == 0


def test_a_table_is_shown_whatever_board_serves_it(store, database, board):
    board.betting()
    reader = Reader(database, serving("T1"), HOIANA)
    assert (state_of(reader).table, state_of(reader).dev, state_of(reader).round) == ("T1", DEV, 1)
    other = "sim-0000000000b2-0001"
    store.enrol(other, "T1", at(9))
    assert (state_of(reader).dev, state_of(reader).round) == (other, None)
    store.enrol(other, "T2", at(10))
    now = state_of(reader)
    assert (now.dev, now.state) == (None, "away")


faces = st.tuples(*[st.integers(1, 6)] * 3)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(earlier=faces, dice=faces, stale=st.lists(st.integers(1, 6), max_size=3), status=st.sampled_from(STATES))
def test_nothing_about_the_dice_is_told_before_the_cover_opens(tmp_path_factory, earlier, dice, stale, status):
    """Two rounds that differ in their dice alone look the same until the cover opens, after any status and with any
    numbers that an older line left behind."""
    covered = [
        _covered_states(tmp_path_factory.mktemp("view"), earlier, result, stale, status) for result in (dice, (1, 2, 3))
    ]
    assert covered[0] == covered[1]
    for state in covered[0]:
        assert (state.result, state.numbers) == (None, [])
        assert [past.round for past in state.last_rounds] == [1]


def _covered_states(folder, earlier, dice, stale, status):
    url = f"sqlite:///{folder}/t.db"
    store, database = Store.open(url), Database(url, make=False)
    board, reader = Chain(store), Reader(database, lambda _: DEV, HOIANA)
    board.result(1, earlier)
    says(store, "RESULT", 1)
    told = []

    def look():
        says(store, status, 2)
        store.update_live(DEV, 1, None, 2, stale, at(0))
        told.append(state_of(reader))

    for kind, *values in (("spin", 2, 3), ("bets_open", 2, 3), ("bets_closed", 2, "dealer")):
        board.take(kind, *values)
        look()
    board.take("uncovered", 2)
    board.take("result", 2, dice, 4)
    assert state_of(reader).result.dice == dice
    store.close()
    database.close()
    return told


@pytest.mark.parametrize("kind", ["spin", "bets_open", "bets_closed"])
def test_a_fault_under_the_cover_tells_nothing_of_the_dice(store, board, reader, kind):
    for each, *values in (("spin", 1, 3), ("bets_open", 1, 3), ("bets_closed", 1, "dealer")):
        board.take(each, *values)
        if each == kind:
            break
    board.take("fault", 1, "BETTING", "power_lost")
    says(store, "FAULT")
    store.update_live(DEV, 1, None, 1, (2,), at(0))
    now = state_of(reader)
    assert (now.state, now.numbers, now.result) == ("fault", [], None)
