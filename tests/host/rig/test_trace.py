"""Words of a wired rig: levels in the top bits, below them the microsecond counted down."""

import struct

import pytest

from host_tools.bench.trace import Edge
from host_tools.rig.trace import Trace

BUZZER, LAMP, CLK, DIO, RELAY, MIRROR, SENSOR, COVER = (1 << place for place in range(8))
REST = CLK | DIO | SENSOR


def words(*changes: tuple[int, int]) -> bytes:
    """(us, levels) each, as the rig's state machine puts them."""
    return b"".join(struct.pack("<I", levels << 24 | (-us & 0xFFFFFF)) for us, levels in changes)


def test_times_are_right_where_the_stamp_and_the_clock_wrap():
    trace = Trace(relay_on_level=1)
    late = (1 << 24) - 5
    trace.feed(late + 20, words((late, REST), (late + 10, REST | RELAY)))
    assert [edge.t_us for edge in trace.edges if edge.what == "relay"] == [late + 10]
    trace = Trace(relay_on_level=1)
    clock = (1 << 30) - 100
    trace.feed(clock, b"")
    trace.feed(50, words((clock + 130, RELAY), (clock + 145, 0)))  # the rig's clock went on to 2**30 + 50
    assert [edge.t_us for edge in trace.edges if edge.what == "relay"] == [clock + 130, clock + 145]
    assert trace.now_us == (1 << 30) + 50


def test_a_word_that_is_newer_than_the_clock_it_came_with_lies_just_ahead_of_it():
    trace = Trace(relay_on_level=1)
    trace.feed(1000, words((1003, RELAY)))
    assert trace.edges[0].t_us == 1003


@pytest.mark.parametrize("on_level", [0, 1])
def test_the_relays_record(on_level):
    on, off = (RELAY, 0) if on_level else (0, RELAY)
    trace = Trace(on_level)
    trace.feed(10, words((5, off | SENSOR)))
    start = trace.relay_ons
    trace.feed(5000, words((1000, on | SENSOR), (1700, off | SENSOR), (2000, on | SENSOR)))
    assert trace.relay_ons - start == 2
    assert trace.seen(True, False, False)["relay"] is True
    assert trace.longest_on_us == 3000  # it still is on
    assert Edge(1700, "relay_coil", 0) in trace.edges
    trace.feed(6000, words((5400, off | SENSOR), (5500, on | COVER), (5700, off | COVER)))
    assert trace.longest_on_us == 3400
    assert trace.on_while_open_us == 200


def test_a_relay_that_stays_on_as_the_cover_opens_is_counted_from_the_opening():
    trace = Trace(relay_on_level=1)
    trace.feed(9000, words((1000, RELAY), (4000, RELAY | COVER), (4300, COVER)))
    assert (trace.longest_on_us, trace.on_while_open_us) == (3300, 300)


def test_beeps_are_counted_and_a_lamp_that_changes_often_blinks():
    trace = Trace(relay_on_level=1)
    trace.feed(1_000_000, words((0, 0), (500_000, LAMP | BUZZER), (600_000, LAMP), (700_000, LAMP | BUZZER)))
    assert (trace.beeps, trace.seen(False, False, False)["buzzer"]) == (2, True)
    assert trace.seen(False, False, False)["lamp"] == "on"
    trace.feed(1_300_000, words((1_000_000, 0), (1_250_000, LAMP)))
    assert trace.seen(False, False, False)["lamp"] == "blink"
    trace.feed(3_000_000, b"")
    assert trace.seen(False, False, False)["lamp"] == "on"


def test_what_the_rig_lost_is_told():
    trace = Trace(relay_on_level=1)
    trace.feed(10, b"", lost=3)
    trace.feed(20, b"", lost=1)
    assert trace.lost == 4
