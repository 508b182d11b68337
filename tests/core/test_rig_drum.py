"""The drum and the machinery that the rig plays."""

from rig.core.drum import SLICE_US, Drum
from rig.core.machine import RELAY_MS, Machine

from tests.core import kit

T_F_US = 20


def drum(pulses_per_spin=1, t_f_us=T_F_US, seed=1):
    return Drum(pulses_per_spin, 1, 50, t_f_us, kit.Random(seed).below)


def edges(the_drum, contact, slices):
    """Times in us at which the sensor comes to the magnet (near) and leaves it, over so many slices."""
    out, now_us, before = [], 0, False
    for _ in range(slices):
        for near, us in the_drum.plan(contact):
            if near != before:
                out.append((now_us, near))
            before = near
            now_us += us
    return out


def test_each_slice_lasts_as_long_as_it_should_and_no_piece_is_too_short_to_play():
    for fault in (None, "high", "low", "noise", "bounce"):
        for t_f_us in (10, 20, 2000):
            the_drum = drum(8, t_f_us)
            the_drum.sensor_fault = fault
            for i in range(300):
                pieces = the_drum.plan(i < 150)
                assert sum([us for _, us in pieces]) == SLICE_US, (fault, pieces)
                assert min([us for _, us in pieces]) >= 1, (fault, pieces)


def test_it_spins_up_turns_at_its_rate_coasts_and_rests():
    the_drum = drum()
    assert edges(the_drum, False, 50) == []
    assert not the_drum.turns()
    edges(the_drum, True, 150)  # three seconds
    near = [us for us, near in edges(the_drum, True, 260) if near][1:]  # the first may have begun before
    assert 11 <= len(near) <= 13  # 2.5 a second, for five seconds
    assert all([399000 <= near[i + 1] - near[i] <= 401000 for i in range(len(near) - 1)])
    assert 1 <= len([1 for _, near in edges(the_drum, False, 70) if near]) <= 3  # it coasts for 1.2 s
    assert not the_drum.turns()
    assert edges(the_drum, False, 50) == []


def test_motor_faults():
    for fault, contact, turns in (("stall", True, False), ("push", False, True), ("slip", True, True)):
        the_drum = drum()
        the_drum.motor_fault = fault
        count = len(edges(the_drum, contact, 200))
        assert the_drum.turns() is turns, fault
        assert (count > 16) is (fault == "push"), fault  # a slipping belt: an eighth of the rate


def test_a_stuck_sensor_says_one_thing_whatever_turns():
    the_drum = drum()
    the_drum.sensor_fault = "high"
    assert edges(the_drum, True, 100) == []
    the_drum.sensor_fault = "low"
    assert edges(the_drum, True, 100) == [(0, True)]


def test_bounce_and_noise_last_less_than_half_the_filter_time_and_there_are_some():
    for fault in ("bounce", "noise"):
        for t_f_us in (10, 20, 2000):
            the_drum = drum(1, t_f_us)
            edges(the_drum, True, 100)
            the_drum.sensor_fault = fault
            pieces = [us for _ in range(200) for _, us in the_drum.plan(True)]
            short = [us for us in pieces if us < 1000]
            assert len(short) > 20, fault
            assert max(short) <= max(4, t_f_us // 2), (fault, t_f_us)


class Hands:
    def __init__(self):
        self.low = {"cover", "estop"}

    def pull(self, line, low):
        if low:
            self.low.add(line)
        else:
            self.low.discard(line)

    def is_low(self, line):
        return line in self.low


class Player:
    def __init__(self):
        self.played = []
        self.running = False

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def has_room(self):
        return True

    def play(self, pieces):
        self.played += pieces


class Bench:
    """Machine, hands and player; time passes in 2 ms ticks."""

    def __init__(self):
        self.hands, self.player, self.drum = Hands(), Player(), drum()
        self.machine = Machine(self.drum, self.hands, self.player, lambda a, b: a - b)
        self.ms = 0

    def run(self, ms, relay_on):
        for _ in range(ms // 2):
            self.ms += 2
            self.machine.tick(self.ms, relay_on)


def test_the_mirror_contact_follows_the_relay_by_the_armatures_time():
    bench = Bench()
    bench.run(50, True)
    assert bench.hands.low == {"cover", "estop"} and not bench.player.played  # without a host nothing moves
    bench.machine.start()
    assert bench.hands.is_low("relay_feedback") and bench.player.running
    bench.run(RELAY_MS, True)
    assert bench.hands.is_low("relay_feedback")
    bench.run(4, True)
    assert not bench.hands.is_low("relay_feedback")
    bench.run(RELAY_MS + 4, False)
    assert bench.hands.is_low("relay_feedback")


def test_cover_and_estop_cut_the_coil_by_wire():
    for line in ("cover", "estop"):
        bench = Bench()
        bench.machine.start()
        bench.run(100, True)
        assert bench.drum.turns()
        bench.hands.pull(line, False)
        bench.run(RELAY_MS + 4, True)
        assert bench.hands.is_low("relay_feedback"), line


def test_a_welded_contact_stays_closed_and_mending_opens_it():
    bench = Bench()
    bench.machine.start()
    bench.run(100, True)
    bench.drum.motor_fault = "weld"
    bench.run(5000, False)
    assert bench.drum.turns() and not bench.hands.is_low("relay_feedback")
    bench.drum.motor_fault = None
    bench.run(100, False)
    assert bench.hands.is_low("relay_feedback")


def test_a_weld_before_the_relay_closed_does_nothing():
    bench = Bench()
    bench.machine.start()
    bench.drum.motor_fault = "weld"
    bench.run(100, False)
    assert not bench.drum.turns() and bench.hands.is_low("relay_feedback")


def test_stop_ends_the_drum_at_once_and_mends_all():
    bench = Bench()
    bench.machine.start()
    bench.drum.motor_fault, bench.drum.sensor_fault = "push", "noise"
    bench.run(300, False)
    assert bench.drum.turns()
    bench.machine.stop()
    before = len(bench.player.played)
    bench.run(300, True)
    assert not bench.drum.turns() and not bench.player.running and len(bench.player.played) == before
    assert (bench.drum.motor_fault, bench.drum.sensor_fault) == (None, None)
