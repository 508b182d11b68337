"""A run settles, shows and orders what a board and a store say: played over a real pseudo terminal."""

import pytest
from tumbler.core.ledger import decode_command

from host_tools.capture import sent_path
from host_tools.errors import UserError
from tests.host.run.table_bench import WAGERS, play, started


def test_a_round_is_stored_settled_acked_and_shown(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    assert made.stored() == made.board.lines
    assert made.board.acked == 6
    entries = made.store.settlements(made.board.dev, 1)
    assert [(e.settlement.wager.wager_id, e.settlement.outcome, e.settlement.returned_cents) for e in entries] == [
        ("W1", "win", 2000),
        ("W2", "lose", 0),
    ]
    for text in ("1, 3, 6, total 10", "Place your bets".lower(), "NOT FOR PLAY", "secondary source"):
        assert text in made.shown()


def test_the_wagers_are_placed_anew_in_every_round(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    play(made, 2, dice=(5, 5, 5))
    assert [len(made.store.settlements(made.board.dev, number)) for number in (1, 2)] == [2, 2]


def test_the_wagers_are_placed_once_however_often_the_board_says_betting(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.write("bets_open", 1, 3))
    made.say(board.status("BETTING", 1) * 3)
    made.say(board.write("bets_closed", 1, "dealer"))
    assert made.shown().count("2 wagers are placed") == 1
    assert "No wager" not in made.shown()


def test_wagers_wait_for_a_bets_open_that_was_lost_on_the_way(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    board.write("bets_open", 1, 3)
    made.say(board.status("BETTING", 1))
    made.say(board.unacked()[0] + board.status("BETTING", 1))
    assert "2 wagers are placed" in made.shown()
    assert "No wager" not in made.shown()


def test_wagers_that_were_never_taken_are_told_with_the_reason(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.status("BETTING", 1))
    made.say(board.write("bets_open", 1, 3))
    made.say(board.write("bets_closed", 1, "dealer"))
    assert "No wager of this batch is taken in round 1" in made.shown()


def test_a_simulated_board_is_said_to_be_not_for_play_before_any_round(bench):
    assert "NOT FOR PLAY" in bench(board=started()).meet().shown()


def test_wagers_that_came_after_the_bets_were_closed_go_back(bench):
    """The board closed the bets 1 s before the status BETTING that was still under way: t tells."""
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.write("bets_open", 1, 3))
    board.t_ms = 10_000
    made.say(board.status("BETTING", 1))
    board.t_ms = 9_000
    made.say(board.write("bets_closed", 1, "dealer"))
    entries = made.store.settlements(board.dev, 1)
    assert [(e.settlement.outcome, e.settlement.returned_cents) for e in entries] == [("void", 1000), ("void", 500)]
    assert "2 late wagers are void" in made.shown()


def test_a_correction_settles_anew_and_lists_who_was_overpaid(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    made.say(made.board.write("correction", 1, 1, 6, (4, 5, 6), "supervisor", "wrong_entry"))
    standing = made.store.settlements(made.board.dev, 1)[-2:]
    assert [(e.settlement.wager.wager_id, e.settlement.returned_cents) for e in standing] == [("W1", 0), ("W2", 7500)]
    for text in (
        "CORRECTED by supervisor",
        "2 settlements are reversed, which had returned 20.00",
        "4, 5, 6, total 15",
    ):
        assert text in made.shown()
    assert "Aroha was overpaid 20.00 on wager W1" in made.shown()


def test_a_meter_that_disagrees_stops_the_settling(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    with pytest.raises(UserError, match="stopped by alarm 1 \\(totals\\)"):
        made.say(made.board.write("meter", 2, 8, 2, 0, 0, 0, 2))


def test_the_live_row_follows_states_and_keys(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(board.status("UNCOVERED", 3))
    made.say(board._say("key", 3, "6", "shown", (1, 6)))
    live = made.store.live(board.dev)
    assert (live.state, live.round, live.window) == ("UNCOVERED", 3, (1, 6))


def test_it_stops_after_the_meter_of_the_last_round(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(b"".join(board.unacked()))
    play(made, 1)
    assert not made.run._finished(2)
    assert not made.run._finished(1)
    made.say(board.write("meter", 1, 4, 1, 0, 0, 0, 2))
    assert made.run._finished(1)
    assert made.stored()[-1] == board.lines[-1]


def test_every_ack_is_in_the_capture_of_what_was_sent(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    lines = sent_path(made.capture.log_path).read_bytes().split(b"\n")[:-1]
    sent = [decode_command(line) for line in lines]
    assert [line for line in sent if line["cmd"] != "hello?"] == made.board.heard
    assert sent[-1]["cmd"] == "ack" and sent[-1]["seq"] == 6
