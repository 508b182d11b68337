"""A whole round of the unchanged firmware on an emulated RP2040, from power-on to the acked result."""

import dataclasses

import pytest

from host_tools.boards import load_board
from host_tools.emu.board import EmuBoard
from host_tools.link.events import Alarm, Bad, Hello, Noise
from host_tools.rig import CallRig
from host_tools.sim import Dealer
from tests.emu.host import Host

READY_MS = 2000  # power-on until a round may begin: ready, inputs known, the sensor quiet for 500 ms
DICE = (1, 3, 6)
ENTER = (
    b"\x03\x03\x01\x04"  # Ctrl-C twice, Ctrl-A, Ctrl-D in one write: how a tool asks for the raw REPL and a soft reset
)
ENTER_EVERY = 20  # steps of the board, 100 ms


class Played:
    """What one round left behind."""

    def __init__(self, uf2, emulated):
        # A quick drum, 6 pulses a second instead of 2.5, and a slow filter, whose clock is emulated with less work.
        pico = load_board("pico")
        quick = dataclasses.replace(pico, sensor=dataclasses.replace(pico.sensor, min_hz=4, t_f_us=2000))
        self.board = emulated(EmuBoard(quick, uf2=uf2))
        self.host = Host(self.board)
        self.steps = 0
        self.shown_when_entered: set[str] = set()
        self.board.after_step = self.attack
        rig = CallRig(self.board.call)
        dealer = Dealer(rig, betting_ms=0)
        rig.next_dice(*DICE)
        rig.step(READY_MS)
        self.before_spin_ns = self.board.clock.nanos
        self.dice = dealer.play_round()
        self.host.session.port_changed()  # asks for a hello, which says what was not acked
        rig.step_until(lambda _: len(self.host.of(Hello)) > 1, 1600)  # after the next status line

    def attack(self):
        """A tool tries to get in, over and over, while the host works."""
        if self.steps % ENTER_EVERY == 0:
            self.board.usb.send(ENTER)
            seen = self.board.world.read()
            self.shown_when_entered |= {seen["display"].strip(), "motor on" if seen["relay"] else "motor off"}
        self.steps += 1
        self.host.pump()


@pytest.fixture(scope="module")
def played(uf2, emulated):
    return Played(uf2, emulated)


def test_the_round_is_recorded_as_the_dealer_played_it(played):
    records = played.host.records
    kinds = ["boot", "spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
    assert [record["kind"] for record in records] == kinds
    assert played.dice == DICE
    assert records[5]["dice"] == DICE
    assert 3 <= records[5]["spins"] <= 20
    assert [event for event in played.host.events if isinstance(event, (Bad, Noise, Alarm))] == []


def test_all_of_it_is_acked(played):
    assert played.host.of(Hello)[-1].fields["unacked"] == 0


def test_the_relay_is_on_once_and_not_before_spin(played):
    edges = played.board.world.relay_edges
    assert [on for _, on in edges] == [True, False]
    assert edges[0][0] > played.before_spin_ns


def test_who_asks_for_the_repl_gets_none_in_any_state_and_changes_nothing(played):
    assert played.shown_when_entered >= {"motor on", "WAIT", "BETS", "SHUT", "---", "136"}
    assert not any(b">>>" in event.raw for event in played.host.of(Noise))


def test_nothing_reset_the_board(played):
    assert played.board.resets == []
