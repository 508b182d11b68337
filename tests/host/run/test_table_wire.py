"""A run on a bad wire, with a board that goes away or is not ours: the store must equal what was sent."""

import os
from datetime import datetime, timezone

import pytest

from host_tools.errors import UserError
from host_tools.link.port import LinkLost
from host_tools.run import table
from tests.host.run.table_bench import WAGERS, Wire, play, started


@pytest.mark.parametrize("step", [1, 7, 50])
def test_cut_garbled_doubled_and_dropped_bytes_at_every_place_leave_the_store_equal(bench, step):
    """Every `step`-th byte of a round's lines, from a start that moves, is hit by each fault in turn; then a resend."""
    made = bench(board=started()).meet()
    board = made.board
    board.play(1)
    whole = b"".join(board.lines)
    for number, place in enumerate(range(step // 2, len(whole), step * 9)):
        kinds = (b"", whole[place : place + 1] * 2, b"\xff", b"\n", b"\r\n>>> ")
        made.say(whole[:place] + kinds[number % len(kinds)] + whole[place + 1 :])
        assert made.stored() == board.lines[: len(made.stored())]
        assert board.acked == len(made.stored())
    made.say(b"\n" + b"".join(board.unacked()))
    assert made.stored() == board.lines


def test_every_byte_that_came_is_in_the_capture_and_its_time_beside_it(bench, tmp_path):
    made = bench(board=started())
    sent = b"\x00boot noise\r\n" + made.board.status()
    made.say(sent)
    kept = made.capture.log_path.read_bytes()
    assert kept.startswith(sent)
    times = made.capture.log_path.with_suffix(".times.csv").read_text().splitlines()
    assert times[0] == "offset,utc"
    offsets = [int(line.split(",")[0]) for line in times[1:]]
    assert offsets[0] == 0 and offsets == sorted(offsets) and offsets[-1] < len(kept)
    assert datetime.fromisoformat(times[1].split(",")[1]).utcoffset().total_seconds() == 0


def test_the_run_goes_on_when_the_port_came_back_under_another_name(bench):
    made = bench(board=started()).meet()
    board = made.board
    board.play(1)
    made.say(b"".join(board.lines[:3]) + board.lines[3][:30])
    old, made.wire = made.wire, Wire()
    old.cut()

    def pause(_):
        made.waits += 1

    def step(port, original=made.run.step):
        if port.device == made.wire.device:  # opening it threw away what was there before
            os.write(made.wire.master, board.hear(made.wire.heard()) + board.status() + b"".join(board.unacked()))
        original(port)

    made.run.step = step
    asked = board.nonces
    made.run.until(made.port, None, lambda: board.acked == 6, pause)
    assert board.nonces > asked
    assert made.stored() == board.lines
    assert f"Port {made.wire.device} is back" in made.shown()


def test_a_silent_stranger_on_the_port_of_our_board_is_told_and_our_board_is_looked_for_on(bench):
    made = bench(board=started()).meet()
    board = made.board
    ours, made.wire = made.wire, Wire()
    ours.cut()
    stranger = made.wire.device
    opened = []

    def open_again():
        opened.append(made.wire.device)
        if opened.count(stranger) > 2:
            made.wire = Wire()
            return made.wire.port()
        return made.wire.port()

    made.open_again = open_again

    def step(port, original=made.run.step):
        made.now += 1
        if port.device == made.wire.device != stranger:
            os.write(made.wire.master, board.hear(made.wire.heard()) + board.status() + b"".join(board.unacked()))
        original(port)

    made.run.step = step
    made.run.until(made.port, None, lambda: board.acked == 1 or made.now > 500, lambda _: None)
    assert board.acked == 1
    assert made.shown().count("The port is gone") == 1
    assert made.shown().count(f"Port {stranger} is not that of board {board.dev}") == 1
    assert f"Board {board.dev} is back on port {made.wire.device}" in made.shown()


def test_a_port_that_goes_away_is_a_lost_link(bench):
    made = bench(board=started()).meet()
    made.wire.cut()
    with pytest.raises(LinkLost):
        for _ in range(3):
            made.run.step(made.port)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (b"", "DTR"),
        (b"MicroPython v1.28.0 on Pico\r\n>>> ", "put the firmware"),
        (b"Traceback (most recent call last):\n", "captured log"),
        (b"start\nok T:20.1 /0.0\n", "check with --target"),
    ],
)
def test_what_is_not_our_board_is_told_with_a_hint(bench, said, hint):
    made = bench()
    if said:
        made.write(said + b"\n")
    with pytest.raises(UserError, match="not our board") as error:
        made.wait(table.NO_LINE_S)
    assert hint in str(error.value)
    assert made.wire.heard() == b""


def test_an_unknown_board_is_refused_with_the_sentence_how_to_enrol(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(table.keys, "board_key", lambda dev: bytes(range(32)))
    made = bench(board=started(dev="e6614c31d3b8a52f-9c1e"))
    with pytest.raises(UserError, match="tumbler enrol e6614c31d3b8a52f-9c1e --table NAME"):
        made.meet()


def test_a_board_with_another_key_stores_nothing_and_stops(bench):
    made = bench(board=started())
    forger = started(key=bytes(32))
    made.board.lines.clear()
    made.board.macs.clear()
    made.meet()
    with pytest.raises(UserError, match="alarm 1 \\(chain\\)"):
        made.say(forger.lines[0])
    assert made.stored() == []
    assert made.board.acked == 0


def test_a_replayed_log_changes_nothing(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    before = made.store.settlements(made.board.dev, 1)
    made.say(b"".join(made.board.lines) * 2)
    assert made.stored() == made.board.lines
    assert made.store.settlements(made.board.dev, 1) == before


def test_a_log_of_the_same_board_with_other_dice_stops_the_settling(bench):
    made = bench(board=started()).meet()
    made.board.play(1)
    made.say(b"".join(made.board.lines) + made.board.write("meter", 1, 4, 1, 0, 0, 0, 2))
    forger = started()
    forger.play(1, dice=(6, 6, 6))
    with pytest.raises(UserError, match="stopped by alarm 1 \\(conflict\\)"):
        made.say(forger.lines[-1])
    assert made.stored() == made.board.lines


def test_a_board_whose_settling_is_stopped_is_not_started(bench):
    made = bench(board=started())
    made.store.alarm(made.board.dev, "gap", "A record is missing.", datetime.now(timezone.utc))
    with pytest.raises(UserError, match="tumbler alarms confirm 1"):
        made.meet()


def test_our_board_may_be_silent_later(bench):
    bench(board=started()).meet().wait(10 * table.NO_LINE_S)


def test_a_board_that_speaks_but_does_not_answer_is_told_once(bench):
    made = bench()
    for _ in range(30):
        made.now += 1
        made.write(made.board.status())
    assert made.shown().count("does not answer") == 1
