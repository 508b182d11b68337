"""Spinning and betting want a shut cover: lifted early it stops the motor at once and voids the round."""

import pytest

from host_tools.bench.trace import COIL, spans

SHORTEST_HIGH_US = 10  # a high shorter than this never trips


@pytest.mark.measures("cover_to_motor_off_ms")
def test_a_cover_opened_while_spinning_stops_the_motor(lifted, measure):
    measure("cover_to_motor_off_ms", lifted.off_ms, "ms", None, 100)


def test_a_cover_opened_while_spinning_voids_the_round(lifted):
    assert (lifted.void["by"], lifted.void["reason"]) == ("board", "opened_early")


@pytest.mark.needs("edges")
@pytest.mark.measures("cover_to_relay_off_us")
def test_the_relay_is_off_within_50_us_of_the_cover(lifted, edges, measure):
    """From the last opening of the contact, which bounces, to the end of the coil's drive."""
    [on] = [span for span in spans(edges(), COIL) if lifted.during.on_us <= span.on_us <= lifted.during.off_us]
    opened = [span for span in spans(edges(), "cover") if span.on_us <= on.off_us and span.off_us > on.on_us]
    measure("cover_to_relay_off_us", on.off_us - opened[-1].on_us, "us", SHORTEST_HIGH_US, 50)


@pytest.mark.slow
@pytest.mark.parametrize("when", ["coasting", "betting"])
def test_a_cover_opened_before_the_bets_are_closed_voids_the_round(table, rig, when):
    if when == "betting":
        table.open_bets()
    else:
        table.spin()
        table.wait("The relay off", lambda: not rig.read()["relay"], 10_000)
    void = table.makes("void", lambda: table.cover(True))
    assert void["reason"] == "opened_early"
    table.must_have_relay_off()


@pytest.mark.slow
def test_a_cover_lifted_for_a_moment_ends_the_spin_for_good(table, rig):
    table.spin()
    rig.step(200)
    rig.cover(True)
    rig.step(8)
    rig.cover(False)
    rig.step(1000)
    table.must_have_relay_off()
    assert table.last("void")["reason"] == "opened_early"


@pytest.mark.slow
def test_no_spin_under_an_open_cover(table, terminal, rig):
    table.cover(True)
    table.tap("spin")
    rig.step(300)
    table.must_have_relay_off()
    assert terminal.kinds() == []
    assert terminal.keys("refused") == ["spin"]


@pytest.mark.slow
@pytest.mark.needs("cover_wire")
def test_a_broken_cover_wire_reads_as_open(table, terminal, rig):
    rig.cover_wire(True)
    rig.step(300)
    if terminal.board.pins.cover2 is not None:
        assert table.last("fault")["code"] == "cover_contacts"
    table.tap("spin")
    rig.step(300)
    table.must_have_relay_off()
