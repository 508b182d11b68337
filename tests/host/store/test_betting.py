"""Taking wagers: only while betting is known to be open, all of a batch or none."""

from dataclasses import replace

import pytest

from host_tools.settler.limits import Limit
from host_tools.settler.settle import Wager
from host_tools.store import Refused, Settler, Store
from tests.host.store.chain import BATCH, BIG, DEV, HOIANA, PAIR, SMALL, at, figures


@pytest.fixture
def betting(store, board):
    """Round 1 with open bets, last status at second 2; gives a way to place wagers."""
    board.betting(batch=[])

    def place(batch=BATCH, seconds=2.0, number=1, paytable=HOIANA):
        return store.place_wagers(DEV, number, batch, paytable, lambda: at(seconds))

    return place


def placed(store):
    with store._db.reading() as connection:
        return connection.exec_driver_sql("select wager_id from wagers order by round, place").scalars().all()


def test_a_batch_is_taken_in_its_order(store, betting):
    assert betting() == 4
    assert betting([SMALL._replace(wager_id="A0")]) == 1
    assert placed(store) == ["W1", "W2", "W3", "W4", "A0"]


def test_the_lease_ends_1500_ms_after_the_last_status(store, betting):
    assert betting([SMALL], seconds=3.5) == 1
    with pytest.raises(Refused, match=r"1\.501 s ago"):
        betting([BIG], seconds=3.501)
    with pytest.raises(Refused):
        betting([BIG], seconds=3.500001)
    assert placed(store) == ["W1"]


def test_a_clock_that_was_set_back_makes_the_lease_no_longer(betting):
    with pytest.raises(Refused):
        betting(seconds=0.499)


def test_a_transaction_in_which_the_lease_ends_takes_nothing(store, board):
    """The process was stopped, or the disk hung, after the wagers were found good."""
    board.betting(batch=[])
    moments = iter([at(2), at(30)])
    with pytest.raises(Refused, match=r"28\.000 s ago"):
        store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: next(moments))
    assert placed(store) == []


def test_a_new_status_renews_the_lease_and_a_key_does_not(store, betting):
    store.update_live(DEV, 1, None, 1, (3,), at(3))
    with pytest.raises(Refused):
        betting(seconds=4)
    store.update_live(DEV, 1, "BETTING", 1, None, at(3))
    assert betting(seconds=4) == 4


@pytest.mark.parametrize(("state", "number"), [("CLOSED", 1), ("BETTING", 2), ("FAULT", 1)])
def test_a_status_that_is_not_betting_in_this_round_refuses(store, betting, state, number):
    store.update_live(DEV, 1, state, number, None, at(2))
    with pytest.raises(Refused, match=f"says {state} in round {number}"):
        betting()
    assert placed(store) == []


def test_no_status_at_all_refuses(store, board):
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3)
    with pytest.raises(Refused, match="says nothing yet"):
        store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(2))


def test_after_bets_closed_was_stored_a_fresh_status_betting_does_not_help(store, board, betting):
    board.take("bets_closed", 1, "dealer")
    store.update_live(DEV, 1, "BETTING", 1, None, at(3))
    with pytest.raises(Refused, match="bets_closed"):
        betting(seconds=3)


def test_before_bets_open_was_stored_nothing_is_taken(store, board):
    store.update_live(DEV, 1, "BETTING", 1, None, at(1))
    with pytest.raises(Refused, match="not begun it"):
        store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(1))
    board.take("spin", 1, 3)
    with pytest.raises(Refused, match="in force is spin"):
        store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(1))


def test_an_open_alarm_refuses(store, betting):
    alarm = store.alarm(DEV, "totals", "They differ.", at(2))
    with pytest.raises(Refused, match="alarm"):
        betting()
    store.confirm_alarm(alarm, "anna", at(2))
    assert betting() == 4


def test_another_paytable_than_that_of_the_round_refuses(betting):
    with pytest.raises(Refused, match="under paytable hoiana"):
        betting(paytable=replace(HOIANA, head=HOIANA.head._replace(name="other"), hash="0" * 64))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (BIG._replace(wager_id="W1"), "'W1' is already taken"),
        (Wager("W9", "Eru", "odd", "", 100), "does not cover odd"),
        (Wager("W9", "Eru", "total", "3", 100), "does not cover total 3"),
        (Wager("W9", "Eru", "big", "", 0), "no stake over 0"),
        (Wager("W9", "Eru", "big", "", -5), "no stake over 0"),
    ],
)
def test_one_bad_wager_refuses_the_whole_batch(store, betting, bad, why):
    with pytest.raises(Refused, match=why):
        betting([*BATCH, bad])
    assert placed(store) == []


def test_an_id_that_an_earlier_batch_took_is_refused_and_another_round_may_use_it(store, board, betting):
    betting()
    with pytest.raises(Refused, match="'W2' is already taken"):
        betting([Wager("W8", "Eru", "big", "", 100), BIG])
    board.take("bets_closed", 1, "dealer")
    board.take("uncovered", 1)
    board.take("result", 1, (6, 1, 3), 4)
    board.betting(2)
    assert placed(store) == ["W1", "W2", "W3", "W4"] * 2


def test_an_empty_batch_takes_none(betting):
    assert betting([]) == 0


def test_the_same_batch_again_is_taken_once(store, betting):
    betting()
    assert betting() == 0
    assert betting(BATCH[1:3]) == 0
    assert placed(store) == ["W1", "W2", "W3", "W4"]


@pytest.mark.parametrize("other", [{"stake_cents": 1001}, {"kind": "big"}, {"player": "Eru"}])
def test_a_batch_that_differs_from_the_one_that_was_placed_is_refused_by_what_stands(store, betting, other):
    betting()
    with pytest.raises(Refused, match=r"'W1' .* differs from this one: it is of Aroha, small, 1000 cents"):
        betting([SMALL._replace(**other), *BATCH[1:]])
    assert placed(store) == ["W1", "W2", "W3", "W4"]


def test_a_stake_outside_the_tables_limits_refuses_the_whole_batch(store, board):
    """A batch need not have come from a wager file, which asks them too."""
    limited = replace(HOIANA, limits={"small": Limit(max_cents=1000), "all": Limit(min_cents=600)}, hash="1" * 64)
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, settler=Settler(limited))
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    for bad in (SMALL._replace(stake_cents=1001), BIG._replace(stake_cents=599)):
        with pytest.raises(Refused, match=f"'{bad.wager_id}': stake .* the table's m"):
            store.place_wagers(DEV, 1, [PAIR._replace(stake_cents=600), bad], limited, lambda: at(2))
    assert placed(store) == []
    assert store.place_wagers(DEV, 1, [SMALL, BIG], limited, lambda: at(2)) == 2


@pytest.fixture
def next_run(store, board, url):
    """Round 1, BETTING last at second 3, W1 taken at second 2 and W2 at second 3.4; then the run ends and another
    follows, on a wall clock that was set an hour forward meanwhile."""
    board.betting(batch=[SMALL])
    store.update_live(DEV, 1, "BETTING", 1, None, at(3))
    store.place_wagers(DEV, 1, [BIG], HOIANA, lambda: at(3.4))
    following = Store.open(url)
    board.store = following
    yield following
    following.close()


def test_a_closing_that_another_run_reads_is_not_believed_later_than_the_last_betting(next_run, board):
    """It was at second 3.2, which that run reads as an hour later: by that no wager would be late."""
    done = board.take("bets_closed", 1, "dealer", occurred_s=3603.2)
    assert figures(done.made.entries) == [("W2", "settle", "void", 0, 2000)]
    assert done.made.entries[0].reason == (
        "accepted not before 2026-03-01 12:00:03.000001 UTC, from when on the bets may have been closed"
    )


def test_the_run_that_saw_the_bets_open_believes_its_own_time_of_closing(store, board):
    board.betting(batch=[SMALL])
    store.place_wagers(DEV, 1, [BIG], HOIANA, lambda: at(3.4))
    assert board.take("bets_closed", 1, "dealer", occurred_s=3.5).made.entries == []


def test_wagers_of_the_run_before_count_when_the_next_one_still_sees_the_bets_open(next_run, board):
    next_run.update_live(DEV, 1, "BETTING", 1, None, at(3604))
    assert board.take("bets_closed", 1, "dealer", occurred_s=3604.5).made.entries == []


def test_bets_that_the_next_run_saw_open_in_another_round_say_nothing_about_this_one(next_run, board):
    next_run.update_live(DEV, 1, "BETTING", 2, None, at(3604))
    assert len(board.take("bets_closed", 1, "dealer", occurred_s=3604.5).made.entries) == 1


def test_a_closing_that_another_run_reads_is_timed_by_the_boards_own_clock(store, board, url):
    """Open for 1000 ms of the board from second 2 on, less 0.1 ms that the clocks may differ and 20 ms of bound."""
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, occurred_s=2, bound_ms=20)
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    for wager, seconds in ((SMALL, 2), (BIG, 2.979), (PAIR, 2.98)):
        store.place_wagers(DEV, 1, [wager], HOIANA, lambda seconds=seconds: at(seconds))
    board.store = Store.open(url)
    done = board.take("bets_closed", 1, "dealer", occurred_s=3603)
    board.store.close()
    assert figures(done.made.entries) == [("W3", "settle", "void", 0, 500)]
    assert "accepted not before 2026-03-01 12:00:02.979900 UTC" in done.made.entries[0].reason


def test_over_a_start_of_the_board_its_clock_tells_no_time_of_closing(store, board, url):
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, occurred_s=2, bound_ms=20)
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    store.place_wagers(DEV, 1, [SMALL], HOIANA, lambda: at(2.5))
    board.store, board.boot = Store.open(url), 2
    done = board.take("bets_closed", 1, "board", occurred_s=3603)
    board.store.close()
    assert "accepted not before 2026-03-01 12:00:02.000001 UTC" in done.made.entries[0].reason
