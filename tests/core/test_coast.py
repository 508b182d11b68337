"""Supervision of the drum with the relay off: coasting, rest, motion, and what a power cut leaves turning."""

from tumbler.core import events as E
from tumbler.core.spin import SpinWatch

from tests.core import kit
from tests.core.drum import COAST_TOO_LONG, MASK, MOTION, RATE, SETTINGS, Drum, good_run

# ------------------------------------------------------------ coasting


def test_settled_needs_500_quiet_ms_and_the_minimum_coast_time():
    def check(stop_ms, last_pulse_ms, min_coast_ms, settled_ms):
        drum = Drum(min_coast_ms=min_coast_ms).turn(1100, last_pulse_ms, 100).start().stop(stop_ms).run_to(20_000)
        assert drum.told == [(1400, E.SPINS_DONE), (settled_ms, E.SETTLED)], drum.told

    kit.cases(
        [
            (1400, 1400, 1500, 2900),  # at rest at once: the minimum
            (1400, 2300, 1500, 2900),
            (1400, 2400, 1500, 2900),
            (1400, 2500, 1500, 3000),  # 500 ms after the last pulse
            (1400, 8000, 1500, 8500),
            (1400, 1400, 100, 1900),
        ],
        check,
    )


def test_settled_after_a_run_without_a_pulse():
    drum = Drum().start().stop(1600).run_to(20_000)
    assert drum.told == [(3100, E.SETTLED)]


def test_a_pulse_seen_late_makes_rest_late_never_early():
    """The last pulse lies in the time that the late tick did not see: quiet runs from that tick."""
    drum = Drum(lateness=lambda now: 400 if now == 2800 else 2).turn(1100, 2900, 100).start().stop(1400).run_to(9000)
    assert drum.told == [(1400, E.SPINS_DONE), (3700, E.SETTLED)], drum.told


def test_pulses_within_the_coast_time_are_no_fault():
    """Until the dice were at rest, up to the last half second of the coast time."""
    drum = Drum().turn(1100, 2000, 100).turn(2400, 8800, 400).start().stop(1400).run_to(60_000)
    assert drum.told == [(1400, E.SPINS_DONE), (9300, E.SETTLED)], drum.told


def test_movement_after_the_dice_were_at_rest_is_a_fault_however_soon():
    """Bets are open on them: a shaken table must not pass because the coast time is not over yet."""
    drum = Drum().turn(1100, 2000, 100).turn(3700, 3700, 100).start().stop(1400).run_to(60_000)
    assert drum.told == [(1400, E.SPINS_DONE), (2900, E.SETTLED), (3700, MOTION)], drum.told


def test_coast_too_long():
    drum = Drum().turn(1100, 9000, 100).start().stop(1400).run_to(60_000)
    assert drum.told == [(1400, E.SPINS_DONE), (9400, COAST_TOO_LONG)], drum.told  # and it never settled


def test_coast_too_long_when_the_relay_is_welded():
    """It is told once; a drum that stops and begins again is motion."""
    drum = Drum().turn(1100, 30_000, 100).turn(40_000, 41_000, 100).start().stop(1400).run_to(60_000)
    assert drum.told == [(1400, E.SPINS_DONE), (9400, COAST_TOO_LONG), (40_000, MOTION)], drum.told


def test_a_late_tick_over_the_end_of_the_coast_time():
    """The last pulse at 8850, quiet at 9350, coast time over at 9400: what a late tick saw is in its favour."""
    for late_ms in range(50, 601, 10):
        drum = Drum(lateness=lambda now, late_ms=late_ms: late_ms if now == 8840 else 2)
        drum.turn(1200, 8850, 50).start().stop(1400).run_to(60_000)
        assert drum.events() == [E.SPINS_DONE, E.SETTLED], (late_ms, drum.told)


def test_a_drum_that_turns_on_behind_a_late_tick_is_motion():
    """The tick that ends the coast time comes too late to tell, the next pulse tells."""
    drum = Drum(lateness=lambda now: 600 if now == 8850 - 10 else 2)
    drum.turn(1110, 20_000, 90).start().stop(1400).run_to(30_000)
    assert drum.events() in ([E.SPINS_DONE, COAST_TOO_LONG], [E.SPINS_DONE, MOTION]), drum.told


def test_too_fast_while_coasting():
    drum = Drum().turn(1100, 1400, 100).turn(2000, 2100, 5).start().stop(1400).run_to(2200)
    assert drum.events() == [E.SPINS_DONE, RATE], drum.told


def test_stop_when_the_relay_was_off_changes_nothing():
    drum = good_run()
    told = list(drum.told)
    drum.stop(20_100).turn(20_200, 20_200, 1).run_to(30_000)
    assert drum.told == told + [(20_200, MOTION)], drum.told  # not a new coast time
    drum = Drum().turn(1200, 2400, 300).start().stop(2100).stop(2800).run_to(20_000)
    assert drum.told == [(2100, E.SPINS_DONE), (3600, E.SETTLED)], drum.told


# ------------------------------------------------------------ at rest, power-on


def test_motion_is_told_once_until_the_drum_was_quiet():
    drum = Drum().turn(20_000, 24_000, 250).turn(24_600, 24_800, 100).run_to(30_000)
    assert drum.told == [(20_000, MOTION), (24_600, MOTION)], drum.told


def test_a_counter_that_jumps_at_rest_is_motion():
    watch = SpinWatch(*SETTINGS)
    for t in range(0, 10_000, 2):
        assert watch.update(t, 5000) == 0
    assert watch.update(10_000, 0) == MOTION


def test_quiet():
    drum = Drum(base_ms=MASK - 700)
    assert not drum.watch.quiet(5000)  # nothing was seen yet
    drum.run_to(0)
    assert not drum.watch.quiet(drum.time())
    assert not drum.run_to(498).watch.quiet(drum.time())
    assert drum.run_to(500).watch.quiet(drum.time())
    drum.turn(600, 600, 1).run_to(600)
    assert not drum.watch.quiet(drum.time())
    assert not drum.run_to(1098).watch.quiet(drum.time())
    assert drum.run_to(1100).watch.quiet(drum.time())


def test_quiet_for_a_month():
    """Beyond 6.2 days a difference of ticks turns negative; beyond 12.4 it begins anew."""
    watch = SpinWatch(*SETTINGS)
    for minute in range(30 * 24 * 60):
        now = minute * 60_000 & MASK
        assert watch.update(now, 3) == 0, minute
        assert watch.quiet(now) or minute == 0, minute
    watch.start(now, 3)
    assert watch.update((now + 200) & MASK, 4) == 0


def test_a_drum_left_turning_by_a_power_cut_may_coast():
    drum = Drum(base_count=12_345).turn(100, 7000, 100).run_to(20_000)
    assert drum.told == []
    assert not Drum().turn(100, 7000, 100).run_to(7000).watch.quiet(7000)


def test_a_drum_that_turns_on_after_power_on_is_coast_too_long():
    assert Drum().turn(100, 20_000, 100).run_to(30_000).told == [(8000, COAST_TOO_LONG)]
