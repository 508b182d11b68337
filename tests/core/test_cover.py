"""The two contacts of the cover: open if either is, and a fault if they differ for long."""

from tumbler.core import events as E

from tests.core import kit
from tests.core.keypad import CONTACTS, COVER, COVER_1, COVER_2, bounce, events_of, only, play, ready, told_for, trace


def test_the_cover_is_open_if_either_contact_is():
    for contact in (COVER_1, COVER_2):
        told = only(told_for([(0, contact), (30, COVER), (100, COVER ^ contact), (130, 0)]))
        assert told == [E.COVER_OPENED, E.COVER_CLOSED], told


def test_contacts_may_differ_for_50_ms():
    for contact in (COVER_1, COVER_2):
        assert only(told_for([(0, contact), (50, COVER), (150, 0)], lambda t: 1)) == [E.COVER_OPENED, E.COVER_CLOSED]
        told = told_for([(0, contact), (52, COVER), (150, 0)], lambda t: 1)
        assert told == [(12, E.COVER_OPENED), (51, CONTACTS), (175, E.COVER_CLOSED)], told


def test_contacts_fault_is_told_once_until_they_agree():
    told = only(told_for([(0, COVER_1), (1000, COVER), (1100, COVER_2), (2000, COVER)]))
    assert told == [E.COVER_OPENED, CONTACTS, CONTACTS], told


def test_contacts_that_differ_from_the_start_on():
    keys, t, told = ready(COVER_2)
    assert told == [E.COVER_OPENED]
    assert only(play(keys, t + 2, t + 500, [(0, COVER_2)])) == [CONTACTS]


def test_a_late_tick_amid_a_moving_cover_is_no_disagreement():
    """One contact opens, the next tick comes 50 to 600 ms later, the other opens in between or just after."""
    for gap_ms in range(50, 601, 10):
        for after_ms in (0, 10, 40):
            keys, t, _ = ready()
            now = t + 2
            for _ in range(10):
                keys.update(now, COVER_1)
                now += 2
            now += gap_ms
            for ms in range(0, 200, 2):
                keys.update(now + ms, COVER_1 if ms < after_ms else COVER)
            assert events_of(keys) == [E.COVER_OPENED], (gap_ms, after_ms)


def test_one_contact_that_bounces_is_no_disagreement():
    for seed in range(60):
        chance = kit.Random(seed)
        keys, t, _ = ready()
        begin_us = (t + 2) * 1000 + chance.below(2000)
        edges = trace([(begin_us, COVER_1, True)] + bounce(chance, begin_us, COVER_2, 157_000))
        told = only(play(keys, t + 2, t + 400, edges))
        assert told == [E.COVER_OPENED], (seed, told)


def test_a_board_with_one_contact():
    """The second bit is whatever it is: it neither opens the cover nor disagrees."""
    for other in (0, COVER_2):
        keys, t, told = ready(other, one_contact=True)
        assert told == [E.COVER_CLOSED]
        edges = [(0, other), ((t + 100) * 1000, COVER_1), ((t + 400) * 1000, COVER_2), ((t + 700) * 1000, 0)]
        told = only(play(keys, t + 2, t + 1000, edges))
        assert told == [E.COVER_OPENED, E.COVER_CLOSED], told
    keys, _, _ = ready(COVER_1, one_contact=True)
    assert keys.levels == COVER  # so that nobody above sees contacts that differ
