"""What the display room puts onto its two wires, read by a decoder written from the TM1637's datasheet."""

from __future__ import annotations

from typing import Any

CLK, DIO = 14, 15  # boards/pico.toml
SEGMENTS = {"1": 0x06, "3": 0x4F, "6": 0x7D, "A": 0x77, "T": 0x78, " ": 0x00, "-": 0x40}

TICKS = """
from tumbler.hw.display import Display
ends = []
def tick(display, times=1):
    for _ in range(times):
        display.tick(0)
        ends.append(machine.count[0])
display = Display(board)
begin = machine.count[0]
"""
ANSWER = "\nanswer = dict(writes=writes(), begin=begin, ends=ends, dio_mode=machine.modes[board.PIN_DISPLAY_DIO])"


def transfers(writes: list[list[int]]) -> list[list[int]]:
    """The bytes between each start and stop on the wires, both high before."""
    clk = dio = 1
    found: list[list[int]] = []
    bits: list[int] | None = None
    for pin, level in writes:
        if pin == DIO and clk and level != dio:
            if level == 0:
                assert bits is None, "a start inside a transfer"
                bits = []
            else:
                assert bits is not None, "a stop outside a transfer"
                # the clock's rise before a stop is not a bit
                assert len(bits) % 9 == 1, "a stop inside a byte"
                whole = [bits[i : i + 8] for i in range(0, len(bits) - 1, 9)]
                found.append([sum(bit << n for n, bit in enumerate(byte)) for byte in whole])
                bits = None
        if pin == CLK and level and not clk and bits is not None:
            if len(bits) % 9 == 8:
                assert dio == 1, "DIO is not free when the chip answers"
            bits.append(dio)
        clk, dio = (level, dio) if pin == CLK else (clk, level)
    assert bits is None, "a transfer without an end"
    return found


def pictures(got: dict[str, Any]) -> list[list[int]]:
    """The digits' segments of each picture; also proves its commands: auto-increment, first position, display on."""
    sent = transfers(got["writes"][got["begin"] :])
    assert len(sent) % 3 == 0
    for n in range(0, len(sent), 3):
        assert sent[n] == [0x40]
        assert sent[n + 1][0] == 0xC0 and len(sent[n + 1]) == 5
        assert len(sent[n + 2]) == 1 and sent[n + 2][0] & 0xF8 == 0x88
    return [sent[n][1:] for n in range(1, len(sent), 3)]


def test_is_blank_first_and_then_shows_numbers_flush_right(run):
    got = run(TICKS + "tick(display, 7)\ndisplay.show('136')\ntick(display, 7)" + ANSWER)
    assert pictures(got) == [[0, 0, 0, 0], [SEGMENTS[c] for c in " 136"]]


def test_one_number_stands_at_the_right_end(run):
    got = run(TICKS + "display.show('6')\ntick(display, 7)" + ANSWER)
    assert pictures(got) == [[SEGMENTS[c] for c in "   6"]]


def test_a_word_takes_all_four_positions(run):
    got = run(TICKS + "display.show('WAIT')\ntick(display, 7)" + ANSWER)
    w, a, i, t = pictures(got)[0]
    assert (a, i, t) == (SEGMENTS["A"], SEGMENTS["1"], SEGMENTS["T"])
    assert w not in (0, 0x49)


def test_a_character_without_a_glyph_shows_as_bars_and_stops_nothing(run):
    got = run(TICKS + "display.show('?1')\ntick(display, 7)" + ANSWER)
    assert pictures(got) == [[0, 0, 0x49, SEGMENTS["1"]]]


def test_at_most_one_byte_goes_out_in_a_tick(run):
    got = run(TICKS + "display.show('136')\ntick(display, 30)" + ANSWER)
    start = got["begin"]
    for end in got["ends"]:
        rises = sum(1 for pin, level in got["writes"][start:end] if pin == CLK and level)
        assert rises <= 10  # nine of a byte and its answer, one of a stop
        start = end


def test_what_did_not_change_is_not_sent_again(run):
    got = run(TICKS + "display.show('136')\ntick(display, 7)\ndisplay.show('136')\ntick(display, 50)" + ANSWER)
    assert len(pictures(got)) == 1
    assert got["ends"][6] == got["ends"][-1]


def test_a_change_while_a_picture_goes_out_never_mixes_the_two(run):
    for ticks_before in range(1, 8):
        script = f"display.show('111')\ntick(display, {ticks_before})\ndisplay.show('333')\ntick(display, 14)"
        got = run(TICKS + script + ANSWER)
        assert pictures(got) == [[SEGMENTS[c] for c in " 111"], [SEGMENTS[c] for c in " 333"]]


def test_the_data_wire_is_never_driven_high(run):
    got = run(TICKS + "tick(display)" + ANSWER + "\nanswer['open_drain'] = machine.Pin.OPEN_DRAIN")
    assert got["dio_mode"] == got["open_drain"]


def test_ticks_and_the_same_text_again_take_no_memory(run):
    script = """
texts = ("136", "WAIT")
def step(i):
    display.show(texts[i // 10 & 1])
    display.tick(i)
answer = taken(step)
"""
    assert run(TICKS + script) == 0
