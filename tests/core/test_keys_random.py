"""Keys under bounce, spikes and late ticks at random: no ghost, none lost; and that they take no memory."""

from tumbler.core import events as E
from tumbler.core.keys import Keys

from tests.core import kit
from tests.core.keypad import K1, KEYS, MASK, bounce, events_of, only, play, ready, trace


def test_two_random_keys_with_bounce():
    """The second never counts, the first at most once, and the refusal is told once."""
    for seed in range(400):
        chance = kit.Random(seed)
        first, second = chance.below(9), chance.below(8)
        second += second >= first
        a, b = KEYS[first], KEYS[second]
        keys, t, _ = ready()
        a_us = (t + 2) * 1000 + chance.below(2000)
        b_us = a_us + chance.below(80_000)
        end_us = b_us + 150_000
        rows = bounce(chance, a_us, a[0], chance.below(10_000)) + bounce(chance, b_us, b[0], chance.below(10_000))
        edges = trace(rows + [(end_us, a[0], False), (end_us, b[0], False)])
        told = only(play(keys, t + 2, end_us // 1000 + 100, edges))
        assert told in ([E.TWO_KEYS], [a[1], E.TWO_KEYS]), (seed, told)


def random_presses(chance, begin_ms, presses):
    """A dealer at work -> (rows, late, expected events, end_ms).

    Every press and every pause bounces up to 157 ms (most of them up to 6), has a burst of spikes of 1 to 500 us on any
    inputs, and in one of five a tick 50 to 600 ms late, which it outlasts. late: [(ms, ms late), ...].
    """
    rows, late, expected = [], [], []
    at_us = begin_ms * 1000 + chance.below(2000)
    for _ in range(presses):
        bit, event = chance.choice(KEYS)
        expected.append(event)
        for on in (True, False):
            bounce_us = chance.below(chance.choice((1, 6_000, 6_000, 157_000)))
            rows += bounce(chance, at_us, bit, bounce_us, on)
            rest_us = chance.between(90_000, 250_000)
            if not chance.below(5):
                late.append(((at_us + chance.below(bounce_us + 20_000)) // 1000, chance.between(50, 600)))
                rest_us += late[-1][1] * 1000
            spike_us = at_us + chance.below(bounce_us + rest_us - 4000)
            for _ in range(chance.below(5)):
                spiked = chance.below(1 << 14)
                rows.append((spike_us, spiked, None))
                spike_us += chance.between(1, 500)
                rows.append((spike_us, spiked, None))
                spike_us += chance.between(1, 300)
            at_us += bounce_us + rest_us
    return rows, late, expected, at_us // 1000


def test_random_presses_no_ghost_and_none_lost():
    """3000 presses; a failure names the seed, which replays it."""
    for seed in range(150):
        chance = kit.Random(seed)
        base = chance.below(1 << 29) * 2 if seed % 3 else MASK - chance.below(8000)
        keys, t, _ = ready(0, base)
        rows, late, expected, end_ms = random_presses(chance, t + 2, 20)

        def step(now, chance=chance, late=late):
            if late and now >= late[0][0]:
                return late.pop(0)[1]
            return chance.choice((1, 2, 2, 2, 2, 3))

        told = only(play(keys, t + 2, end_ms + 50, trace(rows), base, step, chance.below(1000)))
        assert told == expected, "seed %d: %r, not %r" % (seed, told, expected)
        assert keys.levels == 0, seed


def test_spikes_alone_are_nothing():
    """Spikes of 1 to 500 us on any inputs every few ms, over half a minute."""
    for seed in range(10):
        chance = kit.Random(seed)
        keys, t, _ = ready()
        rows = []
        at_us = (t + 2) * 1000
        while at_us < 3_000_000:
            spiked = chance.below(1 << 14)
            length_us = chance.between(1, 500)
            rows += [(at_us, spiked, None), (at_us + length_us, spiked, None)]
            at_us += chance.between(501, 8000)
        assert only(play(keys, t + 2, 3200, trace(rows))) == [], seed


# ------------------------------------------------------------ the ring, memory


def test_events_nobody_takes_push_out_the_oldest():
    keys, t, _ = ready()
    now = t + 2
    for n in range(40):  # 40 presses of the keys 1 to 6 in turn
        for mask in (E.KEY1 << n % 6, 0):
            for _ in range(20):
                keys.update(now, mask)
                now += 2
    assert events_of(keys) == [E.DIGIT + 32 * (n % 6 + 1) for n in range(9, 40)]


def busy_masks(count):
    """Snapshots of a busy table, every input moving."""
    chance = kit.Random(7)
    masks = []
    while len(masks) < count:
        masks += [chance.below(1 << 14)] * chance.between(1, 20)
    return masks[:count]


def test_takes_no_heap():
    masks = busy_masks(2001)
    keys, t, _ = ready()
    told = [0]

    def step(i):
        keys.update((MASK - 1000 + t + 2 * i) & MASK, masks[i])
        while keys.pop():
            told[0] += 1

    assert kit.heap_bytes(step, 2000) == 0
    assert told[0] > 50  # it was busy


def test_no_number_needs_heap_on_a_board():
    keys = Keys(False, kit.small(12), kit.small(25))
    for i, mask in enumerate([0] * 20 + busy_masks(3000) + [K1] * 20_000):
        keys.update(kit.small((MASK - 3000 + 2 * i) & MASK), kit.small(mask))
        keys.pop()
    assert keys.known
