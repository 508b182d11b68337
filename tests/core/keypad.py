"""A dealer's hands for the tests of the keys: traces of inputs in us, ticks over them in ms, and what was told."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core.keys import Keys

MASK = (1 << 30) - 1
K1, K2, K3 = E.KEY1, E.KEY1 << 1, E.KEY1 << 2
ONE, TWO, THREE = E.DIGIT + 32, E.DIGIT + 64, E.DIGIT + 96
COVER_1, COVER_2 = E.COVER_OPEN, E.COVER2_OPEN
COVER = COVER_1 | COVER_2
ESTOP = E.FAULT + 32 * F.FAULTS.index("estop")
CONTACTS = E.FAULT + 32 * F.FAULTS.index("cover_contacts")
STUCK_1 = E.STUCK + 32 * 0
KEYS = (
    (K1, ONE),
    (K2, TWO),
    (K3, THREE),
    (E.KEY1 << 3, E.DIGIT + 128),
    (E.KEY1 << 4, E.DIGIT + 160),
    (E.KEY1 << 5, E.DIGIT + 192),
    (E.ENTRY_KEY, E.ENTRY),
    (E.SPIN_KEY, E.SPIN),
    (E.NO_MORE_KEY, E.NO_MORE),
)


def events_of(keys):
    events = []
    event = keys.pop()
    while event:
        events.append(event)
        event = keys.pop()
    return events


def ready(mask=0, base_ms=0, one_contact=False):
    """Keys that know their levels -> (keys, ms after base_ms of the last tick, events told)."""
    keys = Keys(one_contact)
    t = 0
    while not keys.known:
        keys.update((base_ms + t) & MASK, mask)
        t += 2
        assert t < 100
    return keys, t - 2, events_of(keys)


def play(keys, begin_ms, end_ms, edges, base_ms=0, step=None, phase_us=0):
    """Ticks from begin_ms to end_ms over a trace of edges (t_us, mask), rising in time -> [(ms, event)].

    step(t_ms): ms to the next tick, 2 by default.
    """
    told = []
    at = 0
    t = begin_ms
    while t <= end_ms:
        t_us = t * 1000 + phase_us
        while at + 1 < len(edges) and edges[at + 1][0] <= t_us:
            at += 1
        keys.update((base_ms + t) & MASK, edges[at][1])
        for event in events_of(keys):
            told.append((t, event))
        t += step(t) if step else 2
    return told


def bounce(chance, at_us, bit, length_us, on=True):
    """Rows (us, bit, on) of a contact that closes (or opens) at at_us, bounces for length_us and rests.

    No piece is longer than 6 ms, the longest whole bounce of most switches: a contact that is open for 25 ms, but for
    a touch too short for any snapshot, is released, whatever it was meant to be.
    """
    rows = []
    end_us = at_us + length_us
    level = on
    while at_us < end_us:
        rows.append((at_us, bit, level))
        level = not level
        at_us += chance.between(50, chance.choice((300, 3000, 6000)))
    rows.append((end_us, bit, on))
    return rows


def trace(rows, mask=0):
    """Edges (us, mask) of rows (us, bit, on) of several inputs in any order; on = None turns that input round."""
    edges = [(0, mask)]
    flipped = 0
    for us, bit, on in sorted(rows, key=lambda row: row[0]):
        if on is None:
            flipped ^= bit
        else:
            mask = mask | bit if on else mask & ~bit
        edges.append((us, mask ^ flipped))
    return edges


def told_for(steps, step=None, base_ms=0, phase_us=0, one_contact=False, tail_ms=120):
    """Events for [(ms, mask), ...]: the inputs from that time on. Idle before, the first 40 ms are the start."""
    keys, t, _ = ready(0, base_ms, one_contact)
    begin = t + 2
    edges = [(0, 0)] + [((begin + ms) * 1000, mask) for ms, mask in steps]
    last = begin + steps[-1][0] + tail_ms
    return [(t - begin, e) for t, e in play(keys, begin, last, edges, base_ms, step, phase_us)]


def only(told):
    return [event for _, event in told]
