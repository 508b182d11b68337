"""Keys against tables of time, inputs and expected events: when they count, two at once, stuck, at power-on."""

from tumbler.core import events as E
from tumbler.core.keys import Keys

from tests.core import kit
from tests.core.keypad import (
    COVER,
    COVER_1,
    COVER_2,
    ESTOP,
    K1,
    K2,
    K3,
    KEYS,
    MASK,
    ONE,
    STUCK_1,
    THREE,
    TWO,
    events_of,
    only,
    play,
    ready,
    told_for,
)

# ------------------------------------------------------------ tables of time, inputs, expected

# Every hold is 60 ms or longer, so that each row may also be stretched and seen through late ticks.
TABLE = [
    ("no key", [(0, 0)], []),
    ("one press", [(0, K1), (60, 0)], [ONE]),
    ("the same key twice", [(0, K1), (60, 0), (120, K1), (180, 0)], [ONE, ONE]),
    ("three keys in turn", [(0, K1), (60, 0), (120, K2), (180, 0), (240, K3), (300, 0)], [ONE, TWO, THREE]),
    ("second while the first is held", [(0, K1), (60, K1 | K2), (120, K1), (180, 0)], [ONE, E.TWO_KEYS]),
    ("second held on after the first", [(0, K1), (60, K1 | K2), (120, K2), (180, 0)], [ONE, E.TWO_KEYS]),
    ("second, pressed anew", [(0, K1), (60, K1 | K2), (120, 0), (180, K2), (240, 0)], [ONE, E.TWO_KEYS, TWO]),
    ("both at once", [(0, K1 | K2), (60, 0)], [E.TWO_KEYS]),
    ("both at once, one let go", [(0, K1 | K2), (60, K2), (120, 0), (180, K2), (240, 0)], [E.TWO_KEYS, TWO]),
    ("three at once", [(0, K1 | K2 | E.SPIN_KEY), (60, 0)], [E.TWO_KEYS]),
    ("a third while two are held", [(0, K1 | K2), (60, K1 | K2 | K3), (120, 0)], [E.TWO_KEYS, E.TWO_KEYS]),
    ("supervisor", [(0, E.SUPERVISOR), (60, 0)], [E.SUP_ON, E.SUP_OFF]),
    ("a key, supervisor on", [(0, E.SUPERVISOR), (60, E.SUPERVISOR | K1), (120, 0)], [E.SUP_ON, ONE, E.SUP_OFF]),
    ("cover", [(0, COVER), (60, 0)], [E.COVER_OPENED, E.COVER_CLOSED]),
    ("E-stop", [(0, E.ESTOP), (60, 0), (120, E.ESTOP)], [ESTOP, ESTOP]),
    ("all in one tick", [(0, COVER | E.ESTOP | K1), (60, 0)], [ESTOP, E.COVER_OPENED, ONE, E.COVER_CLOSED]),
    ("relay feedback is a level only", [(0, E.RELAY_FEEDBACK), (60, 0)], []),
] + [("key %d" % n, [(0, bit), (60, 0)], [event]) for n, (bit, event) in enumerate(KEYS)]  # fmt: skip


def test_table():
    def check(name, steps, expected):
        assert only(told_for(steps)) == expected, told_for(steps)

    kit.cases(TABLE, check)


def test_table_at_random_offsets_with_extra_scans():
    """Ticks 0 to 3 ms apart (0: a second scan within the same ms), steps moved by part of a tick, any start time."""

    def check(name, steps, expected):
        for seed in range(20):
            chance = kit.Random(seed)
            base, phase_us = chance.below(1 << 29) * 2, chance.below(2000)
            moved = [(ms + chance.below(3), mask) for ms, mask in steps]
            told = only(told_for(moved, lambda t, chance=chance: chance.below(4), base, phase_us))
            assert told == expected, "seed %d: %r" % (seed, told)

    kit.cases(TABLE, check)


def test_table_with_late_ticks():
    """Ticks 50 to 600 ms late, each hold long enough that one of them cannot hide it."""

    def check(name, steps, expected):
        for seed in range(20):
            chance = kit.Random(seed)
            stretched = [(ms * 25, mask) for ms, mask in steps]

            def step(t, chance=chance):
                return 2 if chance.below(400) else chance.between(50, 600)

            told = only(told_for(stretched, step, tail_ms=1500))
            assert told == expected, "seed %d: %r" % (seed, told)

    kit.cases(TABLE, check)


# ------------------------------------------------------------ when


def test_press_counts_after_12_ms_and_not_before():
    assert told_for([(0, K1), (12, 0)], lambda t: 1) == []
    assert told_for([(0, K1), (13, 0)], lambda t: 1) == [(12, ONE)]


def test_release_takes_25_ms():
    """A gap of 24 ms is a bounce of the same press; after 25 ms the next press is a new one."""
    assert only(told_for([(0, K1), (60, 0), (85, K1), (145, 0)], lambda t: 1)) == [ONE]
    assert only(told_for([(0, K1), (60, 0), (86, K1), (146, 0)], lambda t: 1)) == [ONE, ONE]


def test_times_can_be_set():
    keys = Keys(False, 4, 40)
    assert play(keys, 0, 200, [(0, 0), (100_000, K1), (105_000, 0)], step=lambda t: 1) == [
        (40, E.COVER_CLOSED),
        (104, ONE),
    ]


def test_cover_opens_after_12_ms_and_closes_after_25():
    assert told_for([(0, COVER), (60, 0)], lambda t: 1) == [(12, E.COVER_OPENED), (85, E.COVER_CLOSED)]


def test_a_late_tick_begins_the_window_anew():
    """9 ms without a witness: what was seen before does not count; 8 ms are an ordinary jitter."""
    late = {10: 9}  # by ms since the press
    keys, t, _ = ready()
    told = play(keys, t + 2, t + 80, [(0, 0), ((t + 2) * 1000, K1)], step=lambda now: late.get(now - t - 2, 1))
    assert told == [(t + 2 + 19 + 12, ONE)], told
    late[10] = 8
    keys, t, _ = ready()
    told = play(keys, t + 2, t + 80, [(0, 0), ((t + 2) * 1000, K1)], step=lambda now: late.get(now - t - 2, 1))
    assert told == [(t + 2 + 18, ONE)], told


def test_a_late_tick_over_the_wrap_is_late():
    keys, t, _ = ready(0, MASK - 100)
    for ms, mask in ((t + 2, K1), (t + 4, K1), (t + 204, K1), (t + 206, 0), (t + 300, 0)):
        keys.update((MASK - 100 + ms) & MASK, mask)
    assert events_of(keys) == []


def test_two_samples_of_a_spike_train_around_a_late_tick_are_no_press():
    for gap_ms in range(50, 601, 10):
        keys, t, _ = ready()
        for now, mask in ((t + 2, K1), (t + 2 + gap_ms, K1), (t + 4 + gap_ms, 0), (t + 100 + gap_ms, 0)):
            keys.update(now, mask)
        assert events_of(keys) == [], gap_ms


def test_ticks_wrap_in_mid_press():
    """Start times so that the wrap of 2**30 falls on every ms of a start, a press and a release."""
    for before_ms in range(0, 160):
        keys, t, told = ready(0, MASK - before_ms)
        assert told == [E.COVER_CLOSED], before_ms
        begin = t + 2
        edges = [(0, 0), (begin * 1000, K1), ((begin + 40) * 1000, 0)]
        told = play(keys, begin, begin + 100, edges, MASK - before_ms)
        assert told == [(begin + 12, ONE)], (before_ms, told)
        assert keys.levels == 0, before_ms


# ------------------------------------------------------------ start


def test_nothing_is_known_before_25_stable_ms_and_the_cover_reads_open_until_then():
    keys = Keys(False)
    for t in range(0, 25):
        keys.update(t, 0)
        assert not keys.known and keys.pop() == 0, t
        assert keys.levels == COVER, t
    keys.update(25, 0)
    assert keys.known and keys.levels == 0


def test_start_waits_for_inputs_that_bounce_and_for_late_ticks():
    keys = Keys(False)
    told = play(keys, 0, 300, [(0, 0), (20_000, COVER), (30_000, 0), (40_000, COVER)])
    assert told == [(66, E.COVER_OPENED)], told  # 25 ms after 40 is seen by the tick at 66
    keys = Keys(False)
    told = play(keys, 0, 300, [(0, 0)], step=lambda t: 100 if t == 20 else 2)
    assert told == [(146, E.COVER_CLOSED)], told


def test_first_events():
    def check(mask, expected):
        _, _, told = ready(mask)
        assert sorted(told) == sorted(expected), told

    kit.cases(
        [
            (0, [E.COVER_CLOSED]),
            (COVER, [E.COVER_OPENED]),
            (COVER_1, [E.COVER_OPENED]),
            (COVER_2, [E.COVER_OPENED]),
            (E.SUPERVISOR, [E.COVER_CLOSED, E.SUP_ON]),
            (E.ESTOP, [E.COVER_CLOSED, ESTOP]),
            (E.ESTOP | E.SUPERVISOR | COVER | K1, [E.COVER_OPENED, E.SUP_ON, ESTOP]),
        ],
        check,
    )


def test_a_key_held_at_power_on_counts_only_after_it_was_seen_released():
    def check(bit, event):
        keys, t, told = ready(bit)
        assert event not in told
        edges = [(0, bit), ((t + 500) * 1000, 0), ((t + 600) * 1000, bit), ((t + 700) * 1000, 0)]
        told = only(play(keys, t + 2, t + 900, edges))
        assert told == [event], told

    kit.cases(KEYS, check)


def test_a_key_held_at_power_on_does_not_refuse_the_others():
    keys, t, _ = ready(K1)
    assert only(play(keys, t + 2, t + 200, [(0, K1), ((t + 50) * 1000, K1 | K2)])) == [TWO]


def test_a_key_held_at_power_on_and_released_refuses_the_others_again():
    keys, t, _ = ready(K1)
    edges = [(0, K1)]
    for ms, mask in ((100, 0), (200, K1), (300, K1 | K2)):
        edges.append(((t + ms) * 1000, mask))
    assert only(play(keys, t + 2, t + 400, edges)) == [ONE, E.TWO_KEYS]


# ------------------------------------------------------------ two keys


def test_second_key_before_the_first_is_confirmed():
    """Neither counts, told once, whichever is let go first."""
    for apart_ms in range(0, 12):
        for left in (K1, K2):
            told = only(told_for([(0, K1), (apart_ms, K1 | K2), (60, left), (120, 0)], lambda t: 1))
            assert told == [E.TWO_KEYS], (apart_ms, told)


def test_second_key_while_the_first_is_held():
    for apart_ms in range(13, 40):
        told = only(told_for([(0, K1), (apart_ms, K1 | K2), (80, 0)], lambda t: 1))
        assert told == [ONE, E.TWO_KEYS], (apart_ms, told)


def test_next_key_right_after_the_release_of_the_last_counts():
    """The last key's release is not confirmed yet when the next is; quick fingers are no two keys at once."""
    for gap_ms in range(1, 40):
        told = only(told_for([(0, K1), (60, 0), (60 + gap_ms, K2), (130 + gap_ms, 0)], lambda t: 1))
        assert told == [ONE, TWO], (gap_ms, told)


def test_a_spike_beside_a_press_neither_counts_nor_refuses():
    """One sample of another key at each ms of the press, also at the one that confirms it."""
    for at_ms in range(0, 40):
        told = only(told_for([(-1, 0), (0, K1), (at_ms, K1 | K2), (at_ms + 1, K1), (60, 0)], lambda t: 1))
        assert told == [ONE], (at_ms, told)


def test_a_spike_on_a_held_key_does_not_hide_it():
    for at_ms in range(100, 140):
        steps = [(0, K1), (100, K1 | K2), (at_ms, K2), (at_ms + 1, K1 | K2), (200, 0)]
        told = only(told_for(steps, lambda t: 1))
        assert told == [ONE, E.TWO_KEYS], (at_ms, told)


# ------------------------------------------------------------ stuck


def test_stuck_after_30_s_once_and_armed_again_after_release():
    keys, t, _ = ready()
    down = t + 2
    edges = [(0, 0), (down * 1000, K1), ((down + 70_000) * 1000, 0), ((down + 70_100) * 1000, K1)]
    told = play(keys, down, down + 70_200, edges)
    assert told == [(down + 12, ONE), (down + 12 + 30_002, STUCK_1), (down + 70_112, ONE)], told


def test_a_key_held_from_power_on_is_reported_stuck_too():
    keys, t, _ = ready(E.NO_MORE_KEY, 900_000)
    told = play(keys, t + 2, t + 31_000, [(0, E.NO_MORE_KEY)], 900_000)
    assert told == [(t + 30_002, E.STUCK + 32 * 8)], told


def test_a_key_stuck_a_second_time_is_reported_again():
    keys, t, _ = ready()
    edges = [(0, K1), ((t + 31_000) * 1000, 0), ((t + 31_100) * 1000, K1)]
    assert only(play(keys, t + 2, t + 62_000, edges)) == [ONE, STUCK_1, ONE, STUCK_1]


def test_a_stuck_key_refuses_the_others_until_it_is_reported():
    keys, t, _ = ready()
    edges = [(0, 0)]
    for ms, mask in ((0, K1), (20_000, K1 | K2), (20_100, K1), (32_000, K1 | K2), (32_100, K1)):
        edges.append(((t + ms) * 1000, mask))
    assert only(play(keys, t + 2, t + 32_300, edges)) == [ONE, E.TWO_KEYS, STUCK_1, TWO]
