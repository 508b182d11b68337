"""Every fault that a machine can show, made by the rig; and what the terminal decides when power comes back."""

import pytest
from tumbler.core import fields

from host_tools.boards import BOARDS_DIR
from tests.sim.conftest import READY_MS
from tests.sim.flashfile import BLOCK, SECTORS, journal, put_journal


def spin(sim, ms=0):
    sim.rig.tap("spin")
    sim.rig.step_until(lambda seen: seen["relay"], 500)
    sim.rig.step(ms)


def bets(sim):
    sim.dealer.open_bets()


def closed(sim):
    sim.dealer.open_bets()
    sim.dealer.close_bets()


def nothing(sim):
    pass


FAULTS = {
    "stall": (lambda sim: sim.rig.motor("stall"), spin, 4000),
    "rate": (lambda sim: spin(sim, 600), lambda sim: sim.rig.motor("slip"), 4000),
    "motion": (lambda sim: sim.dealer.open_bets(), lambda sim: sim.rig.motor("push"), 3000),
    "estop": (spin, lambda sim: sim.rig.estop(True), 200),
    "cover_contacts": (nothing, lambda sim: sim.rig.cover_wire(True), 300),
    "uncover_limit": (closed, nothing, 121_000),
    "feed_lost": (lambda sim: spin(sim, 500), lambda sim: sim.rig.stall(150), 400),
    "relay_stuck": (lambda sim: sim.rig.motor("weld"), spin, 6000),
}


@pytest.mark.parametrize("code", FAULTS)
def test_fault_is_recorded_stops_the_motor_and_latches(sim, code):
    before, make, limit_ms = FAULTS[code]
    before(sim)
    make(sim)
    fault = sim.until("fault", limit_ms)
    assert fault["code"] == code
    seen = sim.rig.step(100)
    assert not seen["relay"]
    sim.rig.tap("spin")
    sim.rig.step(1000)
    seen = sim.rig.read()
    assert (seen["relay"], seen["lamp"]) == (False, "blink")
    assert seen["display"].strip() == f"F{fields.FAULTS.index(code) + 1}"
    assert sim.host.kinds()[-1] == "fault"


def test_a_fault_clears_only_after_its_cause_is_gone_and_voids_the_round(sim):
    spin(sim)
    sim.rig.estop(True)
    sim.until("fault", 200)
    sim.rig.step(3000)
    sim.answer()
    assert "clear" not in sim.host.kinds()
    sim.rig.estop(False)
    sim.rig.step(200)
    sim.answer()
    assert sim.host.last_of("clear")["act"] == "clear"
    assert sim.host.last_of("void")["reason"] == "fault"
    sim.dealer.play_round()
    assert sim.host.last_of("result")["round"] == 2


def test_a_fault_survives_the_power_switch(sim):
    sim.rig.estop(True)
    sim.until("fault", 200)
    sim.rig.estop(False)
    sim.rig.power_cut()
    sim.rig.step(READY_MS)
    assert sim.rig.step(500)["lamp"] == "blink"


def test_without_relay_feedback_a_welded_contact_is_seen_by_the_drum(start_sim, tmp_path):
    lines = (BOARDS_DIR / "pico.toml").read_text().splitlines(keepends=True)
    board = tmp_path / "plain.toml"
    text = "".join(line for line in lines if not line.startswith("relay_feedback"))
    board.write_text(text.replace('board = "pico"', 'board = "plain"'))
    sim = start_sim(board=board)
    sim.rig.step(READY_MS)
    sim.rig.motor("weld")
    spin(sim)
    assert sim.until("fault", 12_000)["code"] == "coast_too_long"


@pytest.mark.parametrize("coast", [False, True])
def test_power_lost_while_the_dice_move_voids_the_round(sim, coast):
    spin(sim, 500)
    if coast:
        sim.rig.step_until(lambda seen: not seen["relay"], 10_000)
    sim.rig.power_cut()
    void = sim.until("void", 1000)
    assert (void["reason"], void["by"], void["round"]) == ("power_lost", "board", 1)
    sim.rig.step(3000)
    sim.dealer.play_round()


@pytest.mark.parametrize("state", [bets, closed])
def test_power_lost_with_bets_on_the_table_goes_on_when_the_supervisor_attests(sim, state):
    sim.rig.next_dice(4, 4, 2)
    state(sim)
    sim.rig.power_cut()
    assert sim.until("fault", 1000)["code"] == "power_lost"
    sim.rig.step(READY_MS)
    sim.answer("2")
    assert sim.host.last_of("clear")["act"] == "go_on"
    if state is bets:
        sim.dealer.close_bets()
    assert sim.dealer.enter_result() == (4, 4, 2)
    result = sim.host.last_of("result")
    assert (result["round"], result["dice"], result["spins"]) == (1, (4, 4, 2), None)


def test_power_lost_and_the_cover_opened_cannot_go_on(sim):
    closed(sim)
    sim.rig.power_cut()
    sim.rig.step(READY_MS)
    assert sim.until("fault", 500)["code"] == "power_lost"
    sim.rig.cover(True)
    assert sim.until("fault", 500)["code"] == "opened_in_fault"
    sim.rig.cover(False)
    sim.answer("2")
    assert "clear" not in sim.host.kinds()
    sim.answer("1")
    assert sim.host.last_of("void")["round"] == 1


def test_power_lost_after_uncovering_goes_on_with_an_empty_window(sim):
    closed(sim)
    sim.rig.cover(True)
    sim.rig.step(300)
    sim.rig.tap("1")
    sim.rig.tap("2")
    sim.rig.power_cut()
    sim.rig.step(READY_MS)
    assert sim.rig.read()["display"] == " ---"
    for key in ("3", "entry"):
        sim.rig.tap(key)
    assert "result" not in sim.host.kinds()
    sim.rig.supervisor(True)  # turning the key empties the window
    sim.rig.step(200)
    sim.rig.supervisor(False)
    sim.rig.step(200)
    dice = sim.dealer.enter_result()
    assert sim.host.last_of("result")["dice"] == dice


def test_power_lost_after_the_result_loses_and_doubles_nothing(sim):
    dice = sim.dealer.play_round()
    for _ in range(3):
        sim.rig.power_cut()
        sim.rig.step(READY_MS)
    assert [record["dice"] for record in sim.host.records if record["kind"] == "result"] == [dice]
    assert [record["boot"] for record in sim.host.records if record["kind"] == "boot"] == [1, 2, 3, 4]


def test_a_lost_journal_is_a_fault_until_the_supervisor_makes_a_new_dev(sim):
    sim.dealer.play_round()
    old = sim.host.last_of("result")["dev"]
    put_journal(sim.board.state_dir, b"\xff" * (SECTORS * BLOCK))
    sim.rig.power_cut()
    sim.rig.step(READY_MS)
    sim.rig.tap("spin")
    assert sim.rig.step(500)["lamp"] == "blink"
    sim.answer("3")
    sim.until("clear", 3000)
    boot = sim.host.last_of("boot")
    assert boot["replaces"] == old
    assert boot["dev"] != old
    sim.dealer.play_round()
    assert sim.host.last_of("result")["dev"] == boot["dev"]


def test_a_hang_of_the_firmware_is_ended_by_the_watchdog_with_the_relay_off(sim):
    spin(sim, 500)
    sim.rig.stall(5000)
    seen = sim.rig.step(150)
    assert not seen["relay"]
    sim.rig.step(2500)
    assert sim.board.resets == ["watchdog"]
    assert sim.host.last_of("boot")["cause"] == "watchdog"
    assert sim.until("void", 1000)["reason"] == "power_lost"


def test_a_journal_that_was_set_back_is_lost_once_the_host_tells(sim):
    """Seqs must not be used again, and a new dev must be able to go on."""
    before = journal(sim.board.state_dir)
    sim.dealer.play_round()
    sim.rig.step(3000)
    old = sim.host.last_of("result")["dev"]
    put_journal(sim.board.state_dir, before)
    sim.rig.power_cut()
    seen = sim.rig.step(READY_MS)
    assert seen["display"].strip() == f"F{fields.FAULTS.index('journal_lost') + 1}"
    sim.answer("3")
    sim.until("clear", 3000)
    assert sim.host.last_of("boot")["replaces"] == old
    sim.dealer.play_round()


def test_a_record_that_is_damaged_once_is_read_from_its_copy(sim):
    sim.dealer.play_round()
    sim.rig.step(3000)
    whole = journal(sim.board.state_dir)
    at = whole.index(b'"kind":"uncovered"')
    put_journal(sim.board.state_dir, whole[:at] + b"x" * 300 + whole[at + 300 :])
    sim.rig.power_cut()
    assert sim.rig.step(READY_MS)["display"].strip() != f"F{fields.FAULTS.index('journal') + 1}"
    sim.dealer.play_round()


def test_a_journal_with_a_hole_in_its_middle_is_a_fault_that_no_key_clears(sim):
    sim.dealer.play_round()
    sim.rig.step(3000)
    whole = journal(sim.board.state_dir)
    put_journal(sim.board.state_dir, whole.replace(b'"kind":"result"', b'"kind":"\0\0\0\0\0\0"'))
    sim.rig.power_cut()
    shown = f"F{fields.FAULTS.index('journal') + 1}"
    assert sim.rig.step(READY_MS)["display"].strip() == shown
    for number in ("1", "3"):
        sim.answer(number)
    sim.rig.supervisor(False)
    sim.rig.step(200)
    sim.rig.tap("spin")
    seen = sim.rig.step(500)
    assert (seen["display"].strip(), seen["relay"]) == (shown, False)
