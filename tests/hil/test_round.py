"""A whole round: its records, its spins, its keys, and what leaves the box before the cover does."""

import pytest
from tumbler.core import fields

from host_tools.bench.trace import COIL, NEVER_US, rises, spans
from host_tools.settler.call import call
from tests.hil.played import DICE


def test_records_come_in_order_with_the_numbers_that_were_entered(played):
    kinds = [record["kind"] for record in played.records]
    assert kinds == ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
    assert len({record["round"] for record in played.records[:-1]}) == 1
    assert played.records[4]["dice"] == DICE
    assert (played.noise, played.bad, played.alarms) == ([], [], [])


def test_the_result_is_called_in_rising_order_with_its_total(played):
    assert call(played.records[4]["dice"]) == "1, 3, 6, total 10"


@pytest.mark.measures("entry_to_result_ms")
def test_the_result_comes_soon_after_entry(played, measure):
    """Bounce and debounce of the key (12 ms and more), the journal's write and the line."""
    measure("entry_to_result_ms", played.entry_ms, "ms", 12, 250)


@pytest.mark.needs("edges")
@pytest.mark.measures("spins_under_power", "relay_on_ms")
def test_the_motor_turns_the_dice_for_as_many_spins_as_required(played, bench, edges, measure):
    """Counted at the sensor's wire while the relay is on; N pulses prove N - 1 turns between them."""
    board = bench.target.board
    [on] = [span for span in spans(edges(), COIL) if played.during.on_us <= span.on_us <= played.during.off_us]
    pulses = len(rises(edges(), "sensor", on))
    required = max(3, played.records[0]["required"])
    measure("spins_under_power", (pulses - 1) // board.sensor.pulses_per_spin, "spins", required, None)
    measure("relay_on_ms", (on.off_us - on.on_us) / 1000, "ms", 1, board.relay.max_on_ms)


def test_the_record_says_at_least_three_spins(played):
    assert played.records[0]["required"] >= 3
    assert played.records[4]["spins"] >= played.records[0]["required"]


@pytest.mark.needs("edges")
def test_the_relay_is_on_once_and_only_under_a_shut_cover(played, edges):
    during = played.during
    [on] = [span for span in spans(edges(), COIL) if during.on_us <= span.on_us <= during.off_us]
    assert on.off_us < NEVER_US
    assert rises(edges(), "cover", on) == []


def test_a_number_counts_for_nothing_before_the_cover_is_open(played):
    assert played.empty.strip() == "---"
    assert "4" not in [key["key"] for key in played.keys]


def test_entry_of_two_numbers_is_refused(played):
    assert ("entry", "refused") in [(key["key"], key["said"]) for key in played.keys]
    assert played.results_of_two == 0


def test_the_last_three_numbers_pressed_count(played):
    windows = [key["window"] for key in played.keys if key["said"] == "shown"]
    assert windows == [(5,), (5, 2), (5, 2, 6), (2, 6, 1), (6, 1, 3)]
    assert played.shown.strip() == "613"


def test_nothing_about_the_dice_leaves_the_box_before_the_cover_does(played):
    """Lines of known kinds alone, whose fields say neither counts nor times of pulses, and no key's number."""
    allowed = {"hello", "status", "proof", "answer", "key", "spin", "bets_open", "bets_closed", "boot", "meter"}
    kinds = {line.fields["kind"] for line in played.before_cover}
    assert kinds <= allowed
    said = [line.fields for line in played.before_cover if line.fields["kind"] == "key"]
    assert {(key["key"], key["window"]) for key in said} <= {("spin", ()), ("no_more_bets", ())}
    spun = [line.fields for line in played.before_cover if line.fields["kind"] == "spin"]
    opened = [line.fields for line in played.before_cover if line.fields["kind"] == "bets_open"]
    assert [record["required"] for record in spun] == [record["required"] for record in opened]


@pytest.mark.slow
def test_totals_rise_by_what_was_played(table, terminal):
    table.play((1, 2, 3))
    before = terminal.records[-1]
    result = table.play((4, 4, 5))
    after = terminal.records[-1]
    assert (after["rounds"], after["results"]) == (before["rounds"] + 1, before["results"] + 1)
    assert after["spins"] == before["spins"] + result["spins"]
    assert (after["voids"], after["faults"]) == (before["voids"], before["faults"])
    assert after["rounds"] <= fields.UINT_MAX
