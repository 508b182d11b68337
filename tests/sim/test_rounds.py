"""Whole rounds of the unchanged firmware on MicroPython, seen from the table and from the host's end of the line."""

import pytest

from tests.sim.conftest import READY_MS

ROUND = ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]


@pytest.mark.clause("tai-sai 6.1", "tai-sai 6.4(a)", "tai-sai 6.4(b)")
def test_two_rounds_are_recorded_as_the_dealer_played_them(sim):
    sim.rig.next_dice(1, 3, 6)
    sim.rig.next_dice(5, 5, 5)
    assert sim.dealer.play(2) == [(1, 3, 6), (5, 5, 5)]
    sim.rig.step(500)
    assert sim.host.kinds() == ["boot", *ROUND, *ROUND]
    results = [record for record in sim.host.records if record["kind"] == "result"]
    assert [(r["round"], r["dice"]) for r in results] == [(1, (1, 3, 6)), (2, (5, 5, 5))]
    assert all(r["spins"] >= 3 for r in results)
    assert sim.host.bad == []


def test_a_round_with_a_pulse_driven_relay(start_sim, pulse_board):
    sim = start_sim(board=pulse_board)
    sim.rig.step(READY_MS)
    sim.rig.next_dice(1, 3, 6)
    assert sim.dealer.play_round() == (1, 3, 6)
    sim.rig.step(500)
    assert sim.host.kinds() == ["boot", *ROUND]
    assert not sim.rig.read()["relay"]


def test_a_cover_lifted_for_a_moment_stops_a_pulse_driven_relay_for_good(start_sim, pulse_board):
    sim = start_sim(board=pulse_board)
    sim.rig.step(READY_MS)
    sim.rig.tap("spin")
    sim.rig.step_until(lambda seen: seen["relay"], 1000)
    sim.rig.cover(True)
    sim.rig.step(10)  # shorter than the cover's debounce
    sim.rig.cover(False)
    sim.rig.step(1000)
    assert not sim.rig.read()["relay"]
    assert sim.host.last_of("void")["reason"] == "opened_early"


def test_an_acked_record_is_sent_once(sim):
    sim.dealer.play(2)
    sim.rig.step(5000)
    assert set(sim.host.seen.values()) == {1}
    assert sim.host.said[-1]["kind"] == "status"


def test_records_of_a_host_that_was_silent_all_arrive_later(start_sim):
    sim = start_sim(acks=False)
    sim.rig.step(READY_MS)
    sim.dealer.play(2)
    sim.host.acks = True
    sim.rig.step(5000)
    assert sim.host.kinds() == ["boot", *ROUND, *ROUND]
    times = dict(sim.host.seen)
    sim.rig.step(5000)
    assert sim.host.seen == times  # all acked: nothing comes again


def test_nothing_about_the_dice_leaves_the_box_before_the_cover_opens(start_sim):
    def until_closed(dice):
        sim = start_sim(seed=9)
        sim.rig.next_dice(*dice)
        sim.rig.step(READY_MS)
        sim.dealer.open_bets()
        sim.dealer.close_bets()
        sim.rig.step(3000)
        return bytes(sim.host.raw)

    assert until_closed((1, 1, 1)) == until_closed((6, 5, 4))


def test_relay_is_on_only_while_the_terminal_says_wait_under_a_shut_cover(sim):
    sim.rig.tap("spin")
    on = off_after = 0
    for _ in range(1000):
        seen = sim.rig.step(5)
        if seen["relay"]:
            on += 1
            assert seen["display"] == "WAIT"
        elif on:
            off_after += 1
    assert on > 100
    assert off_after > 100


@pytest.mark.clause("tai-sai 6.1")
def test_no_spin_under_an_open_cover(sim):
    sim.rig.cover(True)
    sim.rig.step(200)
    sim.rig.tap("spin")
    seen = sim.rig.step(1000)
    assert (seen["relay"], seen["drum_turns"]) == (False, False)
    assert sim.host.kinds() == ["boot"]


def test_no_memory_is_taken_while_the_motor_runs(start_sim):
    sim = start_sim(probe=True)
    sim.rig.step(READY_MS)
    sim.dealer.open_bets()
    assert sim.board.heap() == 0


def test_a_round_over_the_wrap_of_the_ticks(start_sim):
    sim = start_sim(start_ticks=2**30 - READY_MS - 1500)  # the ticks wrap while the drum turns
    sim.rig.step(READY_MS)
    dice = sim.dealer.play_round()
    sim.rig.step(500)
    assert sim.host.kinds() == ["boot", *ROUND]
    assert sim.host.last_of("result")["dice"] == dice
    times = [record["t"] for record in sim.host.records]
    assert times == sorted(times)
    assert times[-1] < 20_000  # ms since boot, not ticks


def test_numbers_count_only_under_an_open_cover(sim):
    sim.dealer.open_bets()
    sim.rig.tap("4")
    sim.dealer.close_bets()
    sim.rig.tap("4")
    sim.rig.tap("entry")
    assert "4" not in sim.rig.read()["display"]
    assert [said["key"] for said in sim.host.said if said["kind"] == "key" and said["key"] == "4"] == []


@pytest.mark.clause("tai-sai 6.4(a)", "tai-sai 6.4(b)")
def test_entry_of_two_numbers_is_refused_and_the_last_three_pressed_count(sim):
    sim.dealer.open_bets()
    sim.dealer.close_bets()
    sim.rig.cover(True)
    sim.rig.step(300)
    for key in ("2", "6"):
        sim.rig.tap(key)
    beeps = sim.rig.read()["beeps"]
    sim.rig.tap("entry")
    assert sim.rig.step(600)["beeps"] == beeps + 3
    for key in ("1", "3", "6"):
        sim.rig.tap(key)
    assert sim.rig.read()["display"] == " 136"
    sim.rig.tap("entry")
    assert sim.until("result", 500)["dice"] == (1, 3, 6)


@pytest.mark.parametrize("when", ["spinning", "coasting", "betting"])
def test_a_cover_opened_early_voids_the_round(sim, when):
    sim.rig.tap("spin")
    if when != "spinning":
        sim.rig.step_until(lambda seen: not seen["relay"], 10_000)
    if when == "betting":
        sim.until("bets_open", 10_000)
    sim.rig.cover(True)
    void = sim.until("void", 500)
    assert (void["by"], void["reason"], void["round"]) == ("board", "opened_early", 1)
    assert not sim.rig.read()["relay"]
    sim.rig.cover(False)
    sim.rig.step(5000)
    sim.dealer.play_round()
    assert sim.host.last_of("result")["round"] == 2


def test_supervisor_corrects_and_voids(sim):
    sim.rig.next_dice(2, 3, 4)
    sim.dealer.play_round()
    sim.rig.supervisor(True)
    sim.rig.step(200)
    for key in ("2", "3", "5", "entry"):
        sim.rig.tap(key)
    correction = sim.until("correction", 500)
    result = sim.host.last_of("result")
    assert (correction["dice"], correction["by"]) == ((2, 3, 5), "supervisor")
    assert (correction["ref_boot"], correction["ref_seq"]) == (result["boot"], result["seq"])
    for key in ("5", "entry"):
        sim.rig.tap(key)
    void = sim.until("void", 500)
    assert (void["reason"], void["ref_seq"]) == ("dispute", correction["seq"])


def test_the_host_closes_the_bets(sim):
    sim.dealer.open_bets()
    bets = sim.host.last_of("bets_open")
    sim.host.order("no_more_bets", 1, bets["boot"], bets["seq"], "host:anna")
    assert sim.until("bets_closed", 500)["by"] == "host:anna"
