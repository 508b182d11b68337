"""Supervision of the drum while the motor runs: counted spins, every fault of a run, and what is none."""

from tumbler.core import events as E
from tumbler.core.spin import SpinWatch

from tests.core import kit
from tests.core.drum import MASK, MOTION, RATE, RUN_TOO_LONG, SETTINGS, STALL, Drum, good_run, settings

# ------------------------------------------------------------ a good run


def test_a_good_run_is_done_once_and_settles_once():
    drum = good_run()
    assert drum.told == [(2100, E.SPINS_DONE), (3600, E.SETTLED)], drum.told
    assert drum.watch.spins() == 4


def test_ticks_wrap_anywhere_in_a_run():
    for before_ms in list(range(0, 4000, 50)) + [1000, 1001, 1002, 1200, 2100, 2102, 3598, 3600, 10_098, 10_100]:
        drum = good_run(base_ms=MASK - before_ms)
        assert drum.told == [(2100, E.SPINS_DONE), (3600, E.SETTLED)], (before_ms, drum.told)


def test_count_wraps_anywhere_in_a_run():
    for before in range(7):
        drum = good_run(base_count=MASK - before)
        assert drum.told == [(2100, E.SPINS_DONE), (3600, E.SETTLED)], (before, drum.told)
        assert drum.watch.spins() == 4, before


def test_spins_are_done_with_the_last_pulse_of_the_last_spin():
    def check(pulses_per_spin, required, pulse):
        drum = Drum(pulses_per_spin=pulses_per_spin, required=required).turn(1100, 9000, 100).start().run_to(9000)
        assert drum.told == [(1000 + 100 * pulse, E.SPINS_DONE)], drum.told

    kit.cases([(1, 3, 4), (1, 5, 6), (4, 3, 13), (8, 4, 33)], check)


def test_three_pulses_are_not_three_spins():
    """N pulses prove N - 1 intervals: the first only begins the first spin. pulses_per_spin, pulses, spins, whether
    3 spins are done."""

    def check(pulses_per_spin, pulses, spins, done):
        drum = Drum(pulses_per_spin=pulses_per_spin).turn(1100, 1000 + 100 * pulses, 100).start()
        drum.run_to(1090 + 100 * pulses)
        assert drum.watch.spins() == spins, drum.watch.spins()
        assert drum.events() == ([E.SPINS_DONE] if done else []), drum.told

    kit.cases(
        [
            (1, 0, 0, False),
            (1, 1, 0, False),
            (1, 2, 1, False),
            (1, 3, 2, False),
            (1, 4, 3, True),
            (4, 0, 0, False),
            (4, 1, 0, False),
            (4, 4, 0, False),
            (4, 5, 1, False),
            (4, 8, 1, False),
            (4, 9, 2, False),
            (4, 12, 2, False),
            (4, 13, 3, True),
        ],
        check,
    )


def test_pulses_from_before_the_run_do_not_count():
    drum = Drum(base_count=777).turn(0, 400, 100).turn(1200, 1800, 300).start().run_to(1900)
    assert drum.told == []
    assert drum.watch.spins() == 2


def test_spins_are_whole_and_those_while_coasting_count():
    drum = Drum(pulses_per_spin=4).turn(1100, 3100, 100).start()
    assert drum.run_to(1550).watch.spins() == 1
    assert drum.stop(2300).run_to(5000).watch.spins() == 5
    assert drum.events() == [E.SPINS_DONE, E.SETTLED]


def test_a_second_run_is_like_the_first():
    drum = good_run()
    drum.turn(21_200, 22_400, 300).start(21_000).stop(22_100).run_to(40_000)
    assert drum.told[2:] == [(22_100, E.SPINS_DONE), (23_600, E.SETTLED)], drum.told
    assert drum.watch.spins() == 4


# ------------------------------------------------------------ the motor runs


def test_stall_when_the_first_pulse_is_not_in_time():
    assert Drum().start().run_to(9000).told == [(2502, STALL)]
    assert Drum(first_pulse_ms=300).start().run_to(9000).told == [(1302, STALL)]


def test_a_first_pulse_at_the_last_moment_is_in_time():
    assert Drum().turn(2500, 4000, 500).start().run_to(4400).events() == [E.SPINS_DONE]


def test_a_late_tick_over_the_first_pulse_is_no_stall():
    """The pulse came at 2450, the tick that could tell comes at 2600 to 3000."""
    for late_ms in range(200, 601, 50):
        drum = Drum(lateness=lambda now, late_ms=late_ms: late_ms if now == 2400 else 2)
        drum.turn(2450, 3000, 500).start().run_to(3100)
        assert drum.told == [], (late_ms, drum.told)


def test_run_too_long_at_the_limit_not_after_it():
    drum = Drum(required=50).turn(1500, 30_000, 500).start().run_to(15_998)
    assert drum.told == []
    drum.run_to(20_000)
    assert drum.told == [(16_000, RUN_TOO_LONG)]


def test_run_too_long_though_the_spins_were_done():
    """The relay does not open although the table has opened it."""
    drum = Drum(max_on_ms=3000).turn(1500, 30_000, 500).start().run_to(6000)
    assert drum.told == [(3000, E.SPINS_DONE), (4000, RUN_TOO_LONG)], drum.told


def test_run_too_long_goes_before_spins_done_in_one_late_tick():
    drum = Drum(max_on_ms=3000, lateness=lambda now: 600 if now == 3900 else 2)
    drum.turn(1900, 3500, 800).turn(3950, 3950, 1).start().run_to(5000)
    assert drum.events() == [RUN_TOO_LONG], drum.told


def test_too_fast():
    """ms between pulses, and the pulse that tells. 50 Hz allows 20 ms; 4 ms are for reading, 2 for the first tick."""

    def check(max_hz, every_ms, pulse):
        drum = Drum(max_hz=max_hz, required=50).turn(1200, 1900, every_ms).start().run_to(1900)
        if pulse:
            at_ms = 1200 + every_ms * (pulse - 1)
            assert drum.told == [(at_ms + at_ms % 2, RATE)], drum.told
        else:
            assert [event for event in drum.events() if event != E.SPINS_DONE] == [], drum.told

    kit.cases(
        [
            (50, 20, 0),
            (50, 21, 0),
            (50, 18, 5),
            (50, 14, 3),
            (50, 13, 3),
            (50, 12, 2),
            (50, 3, 2),
            (50, 1, 2),
            (10, 100, 0),
            (10, 95, 3),
            (10, 90, 2),
            (2, 500, 0),
            (2, 490, 2),
            (1000, 1, 0),
        ],
        check,
    )


def test_one_pulse_counted_twice_is_too_fast():
    """A bounce longer than the hardware's filter: 2 to 10 ms after a pulse, at any place among good ones."""
    for after_ms in (2, 5, 10):
        for at in range(1200, 3200, 200):
            drum = Drum(required=50)
            drum.pulses = sorted(list(range(1200, 3400, 200)) + [at + after_ms])
            drum.start().run_to(3300)
            assert drum.events() == [RATE], (after_ms, at, drum.told)


def test_a_fast_sensor_far_over_its_limit():
    watch = SpinWatch(*settings(max_hz=10_000, pulses_per_spin=64, required=50))
    for t in range(0, 1000, 2):
        assert watch.update(t, 0) == 0
    watch.start(1000, 0)
    for t in range(0, 160, 2):
        assert watch.update(1000 + t, t * 10) == 0, t  # 10 kHz
    assert watch.update(1160, 160 * 10 + 50) == RATE  # 40 are for reading


def late(chance):
    """Once the motor runs, one tick of five comes 50 to 600 ms late."""
    return lambda now_ms: 2 if now_ms < 1000 else chance.choice((1, 2, 2, 3, chance.between(50, 600)))


def test_late_ticks_at_the_highest_and_the_lowest_rate_are_no_fault():
    """Ticks 50 to 600 ms late at random while the pulses keep to a limit, or change between the two."""
    for seed in range(200):
        chance = kit.Random(seed)
        drum = Drum(required=50, lateness=late(chance))
        at_ms = 1000 + chance.between(1, 1500)
        while at_ms < 15_500:
            drum.pulses.append(at_ms)
            at_ms += (20, 1000, chance.between(20, 1000))[seed % 3]
        drum.start().run_to(15_300)
        assert [event for event in drum.events() if event != E.SPINS_DONE] == [], (seed, drum.told)


def test_late_ticks_do_not_hide_a_drum_that_is_too_fast():
    """Twice the highest rate, for 1.5 s; ticks 50 to 600 ms late."""
    for seed in range(50):
        chance = kit.Random(seed)
        drum = Drum(required=500, lateness=late(chance))
        drum.turn(1200, 2700, 10).start().run_to(2700)
        assert drum.events() == [RATE], (seed, drum.told)


def test_too_slow():
    """No pulse for longer than min_hz allows, after the first one."""

    def check(min_hz, last_ms, fault_ms):
        drum = Drum(min_hz=min_hz, required=50).turn(1200, last_ms, 100).start().run_to(9000)
        assert drum.told == [(fault_ms, RATE)], drum.told

    kit.cases([(1, 1200, 2202), (1, 3000, 4002), (2, 3000, 3502), (3, 3000, 3336), (5, 3000, 3202)], check)


def test_the_lowest_rate_is_allowed():
    drum = Drum(required=50).turn(2000, 15_900, 1000).start().run_to(15_900)
    assert drum.told == []


def test_a_run_tells_one_fault():
    """The table opens the relay with the first; the drum goes wild after."""
    drum = Drum().start().turn(2600, 2700, 1).run_to(20_000)
    assert drum.told == [(2502, STALL)]


def test_the_drum_moves_right_before_the_relay_closes():
    """A pulse between the last tick and the closing: there was no quiet before this run."""
    drum = Drum().run_to(1000)
    drum.watch.start(drum.time() + 300, drum.count() + 1)
    drum.base_count += 1
    drum.base_ms += 300
    assert drum.run_to(1100).told == [(1002, MOTION)]


def test_a_counter_that_runs_backwards_is_a_fault():
    """Its hardware was started anew: the count falls to 0 in mid-run."""
    watch = SpinWatch(*SETTINGS)
    watch.update(0, 5000)
    watch.start(1000, 5000)
    assert watch.update(1002, 5001) == 0
    assert watch.update(1004, 0) == RATE


# ------------------------------------------------------------ memory


def test_takes_no_heap():
    watch = SpinWatch(*settings(required=50))
    watch.update(MASK - 1000, MASK - 5)
    watch.start(MASK - 1000, MASK - 5)

    def step(i):
        if i == 1500:
            watch.stop((MASK - 1000 + 2 * i) & MASK)
        watch.update((MASK - 1000 + 2 * i) & MASK, (MASK - 5 + i // 20) & MASK)
        watch.quiet((MASK - 1000 + 2 * i) & MASK)
        watch.spins()

    assert kit.heap_bytes(step, 8000) == 0
    assert watch.spins() > 50  # it ran, coasted and came to rest


def test_no_number_needs_heap_on_a_board():
    for base in (0, MASK - 1500, MASK // 2 - 1500, MASK // 2):
        drum = good_run(base, MASK - 2, kit.small)
        assert drum.events() == [E.SPINS_DONE, E.SETTLED]
    largest = [64, 50, 1, 10_000, 10_000, 60_000, 60_000, 60_000]
    watch = SpinWatch(*[kit.small(value) for value in largest])
    watch.update(kit.small(0), kit.small(0))
    watch.start(kit.small(MASK), kit.small(MASK))
    for count in (0, MASK, 5, MASK // 2, 0):  # nonsense of a broken counter, and ticks hours apart
        watch.update(kit.small(MASK // 3), kit.small(count))
        watch.update(kit.small(MASK // 2), kit.small(count))


def test_nonsense_in_every_tick_of_the_longest_coasting_needs_no_heap():
    """A broken counter leaps half its range every 2 ms for 60 s; the sum of it all must stay a board's small number."""
    watch = SpinWatch(*settings(max_coast_ms=60_000))
    watch.update(0, 0)
    watch.start(2, 0)
    watch.stop(2)
    for t in range(4, 60_000, 2):
        watch.update(t, (t // 2 % 2) << 29)
    assert 50 < watch.spins() < 1 << 30, watch.spins()
