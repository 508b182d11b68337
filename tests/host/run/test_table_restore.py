"""A store that was restored from a backup: nothing before somebody answers, then all that the board still has."""

import sqlite3
from contextlib import closing

import pytest

from host_tools.errors import UserError
from tests.host.run.table_bench import NOON, WAGERS, play, started

LATER = (2, 3, 5)


def copy(source, target):
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)


@pytest.fixture
def restored(bench, tmp_path):
    """Round 1 before the backup; round 2 and round 3, acked, after it. -> a run that was stopped by the alarm."""
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0])
    play(made, 1)
    copy(tmp_path / "t.db", tmp_path / "backup.db")
    play(made, 2, LATER)
    made.say(board.write("meter", 2, 8, 2, 0, 0, 0, 2))
    play(made, 3)
    assert board.acked == 17
    made.store.close()
    copy(tmp_path / "backup.db", tmp_path / "t.db")
    again = bench(board=board, wagers=WAGERS, now=made.now)
    with pytest.raises(UserError, match=r"store_behind.*accept-restore"):
        again.meet()
    return again


def accept(made):
    return made.store.accept_restore(made.board.dev, "host:anna", NOON)


def go_on(bench, restored):
    """The next run, up to its end of what the board sends unasked."""
    made = bench(board=restored.board, wagers=WAGERS, now=restored.now + 60)
    made.board.t_ms += 60_000
    made.meet()
    made.say(b"".join(made.board.unacked()))
    return made


def returned(made):
    query = "select round, wager_id, sum(returned_cents), count(*) from settlements group by round, wager_id"
    with made.store._db.reading() as connection:
        return connection.exec_driver_sql(query).all()


def test_without_that_name_the_run_stays_stopped_and_the_board_hears_no_resend(bench, restored):
    made = bench(board=restored.board)
    with pytest.raises(UserError, match="stopped by alarm 1"):
        made.meet()
    restored.board.hear(made.wire.heard())
    assert [line for line in restored.board.heard if line["cmd"] == "resend"] == []


def test_with_it_the_board_sends_again_and_every_round_is_settled_exactly_once(bench, restored):
    board = restored.board
    before = returned(restored)
    assert accept(restored) == (7, 17)
    made = go_on(bench, restored)
    asked = [line for line in board.heard if line["cmd"] == "resend"]
    assert [(line["boot"], line["seq"], line["rmac"]) for line in asked] == [(1, 6, board.macs[5].hex())]
    assert made.stored() == board.lines and board.acked == 17
    assert made.store.open_alarms() == []
    assert [(row.round, row.state, row.dice, row.settled) for row in made.store.rounds()] == [
        (1, "result", (1, 3, 6), True),
        (2, "result", LATER, True),
        (3, "result", (1, 3, 6), True),
    ]
    assert returned(made) == before  # what was wagered behind the backup is in no store any more
    play(made, 4)
    assert [row[0] for row in returned(made)] == [1, 1, 4, 4]
    with made.store._db.reading() as connection:
        row = connection.exec_driver_sql("select confirmed_by, resend, missing_from, missing_to from alarms").all()
    assert row == [("host:anna", 1, 7, 17)]


def test_a_round_whose_wagers_the_backup_has_is_settled_by_the_result_that_comes_again(bench, tmp_path):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.write("bets_open", 1, 3))
    made.say(board.status("BETTING", 1))
    copy(tmp_path / "t.db", tmp_path / "backup.db")
    made.pass_time(1)
    made.say(board.write("bets_closed", 1, "dealer") + board.write("uncovered", 1))
    made.say(board.write("result", 1, (1, 3, 6), 4))
    assert returned(made) == [(1, "W1", 2000, 1), (1, "W2", 0, 1)]
    made.store.close()
    copy(tmp_path / "backup.db", tmp_path / "t.db")
    again = bench(board=board, now=made.now)
    with pytest.raises(UserError, match="store_behind"):
        again.meet()
    assert returned(again) == []
    accept(again)
    once = go_on(bench, again)
    assert returned(once) == [(1, "W1", 2000, 1), (1, "W2", 0, 1)]
    assert returned(go_on(bench, once)) == returned(once)
    assert [line["cmd"] for line in board.heard].count("resend") == 1  # the store has all of it now


def test_what_the_board_does_not_have_any_more_is_a_named_gap_in_the_end(bench, restored):
    board = restored.board
    board.forget(9)  # records 1 to 9
    accept(restored)
    made = bench(board=board)
    with pytest.raises(UserError, match=r"store_behind.*records 7 to 9"):
        made.meet()
    (alarm,) = made.store.open_alarms()
    made.store.confirm_alarm(alarm.id, "ben", NOON)
    last = bench(board=board)
    last.meet()
    last.say(b"".join(board.unacked()))
    assert last.stored()[6:] == board.lines and board.acked == 17
    assert last.store.open_alarms() == []


def test_a_run_that_dies_in_the_midst_of_it_goes_on_where_it_was(bench, restored):
    board = restored.board
    accept(restored)
    made = bench(board=board)
    made.meet()
    made.say(b"".join(board.unacked()[:4]))
    board.acked = 17  # its power was cut: what it keeps is what was acked before
    again = go_on(bench, made)
    assert [line["seq"] for line in board.heard if line["cmd"] == "resend"] == [6, 10]
    assert again.stored() == board.lines and again.store.open_alarms() == []


def test_a_board_that_has_another_record_there_is_an_alarm(bench, restored):
    board = restored.board
    accept(restored)

    def hear(data, original=board.hear):
        said = original(data)
        if board.heard and board.heard[-1]["cmd"] == "resend":
            return board.answer(board.heard[-1], ok=False, why="bad_ack")
        return said

    board.hear = hear
    made = bench(board=board)
    with pytest.raises(UserError, match="ack_refused"):
        made.meet()


def test_without_an_open_store_behind_there_is_nothing_to_accept(bench):
    made = bench(board=started()).meet()
    assert accept(made) is None and not made.store.restoring(made.board.dev)
