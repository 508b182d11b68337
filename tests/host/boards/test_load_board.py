"""Board files: what a good one gives, and one seeded bad file for each reason, by its message."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from host_tools.boards import board_names, load_board
from host_tools.errors import UserError

Write = Callable[[str | bytes], Path]


def problems_of(path: Path | str) -> list[str]:
    with pytest.raises(UserError) as caught:
        load_board(path)
    return str(caught.value).split("\n")


def test_a_good_file_gives_its_values(good: str, board_file: Write) -> None:
    board = load_board(board_file(good))
    assert (board.name, board.title, board.micropython) == ("bench7", "A board for tests", "RPI_PICO")
    assert board.tested_on_hardware is False
    assert board.gpios == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 27)
    assert board.reserved == {25: "the board's LED"}
    assert (board.pins.key1, board.pins.key6, board.pins.relay, board.pins.buzzer) == (0, 5, 13, 27)
    assert (board.relay.active, board.relay.drive, board.relay.max_on_ms) == ("low", "level", 9000)
    assert (board.sensor.t_f_us, board.sensor.pulses_per_spin, board.sensor.max_hz) == (2000, 2, 25)
    assert (board.spin.required, board.spin.uncover_limit_s) == (4, 90)
    assert (board.journal.sectors, board.pio.dead_man, board.pio.wireless) == (124, 16, 6)


def test_optional_pins_and_tables_may_be_left_out(good: str, board_file: Write) -> None:
    shorter = good.replace('[keys]\nswitch_to = "gnd"\ninternal_pull = "up"\n', "")
    shorter = shorter.replace('[reserved]\n25 = "the board\'s LED"\n', "")
    board = load_board(board_file(shorter))
    assert (board.pins.no_more_bets, board.pins.cover2, board.pins.relay_feedback) == (None, None, None)
    assert board.reserved == {}


def test_optional_pins_are_read_where_wired(good: str, board_file: Write) -> None:
    wired = good.replace("[pins]\n", "[pins]\nno_more_bets = 20\ncover2 = 21\nrelay_feedback = 22\n")
    pins = load_board(board_file(wired)).pins
    assert (pins.no_more_bets, pins.cover2, pins.relay_feedback) == (20, 21, 22)


def test_a_byte_order_mark_and_crlf_are_no_problem(good: str, board_file: Write) -> None:
    assert load_board(board_file(b"\xef\xbb\xbf" + good.replace("\n", "\r\n").encode())).name == "bench7"


def test_every_bundled_board_is_valid() -> None:
    assert "pico" in board_names()
    for name in board_names():
        assert load_board(name).name == name


def test_the_pico_is_not_said_to_be_tested_and_leaves_its_own_gpios_alone() -> None:
    pico = load_board("pico")
    assert not pico.tested_on_hardware
    assert sorted(pico.reserved) == [23, 24, 25, 29]
    assert pico.pins.cover2 is not None and pico.pins.relay_feedback is not None


# (text in the good file, what replaces it, then parts of the message: the key, the reason, the mending)
BAD = [
    # top
    ('board = "bench7"\n', "", "board", "missing", "give 1 to 24"),
    ('board = "bench7"', 'board = "Bench 7"', "board", "'Bench 7' does not fit", "a-z, 0-9"),
    ('board = "bench7"', 'board = "other"', "board", "'other' is not the name of the file", "rename the file"),
    ('"A board for tests"', '"two\\nlines"', "title", "does not fit", "printable ASCII"),
    ('"RPI_PICO"', "7", "micropython", "7 is not a string", "RPI_PICO"),
    (
        "tested_on_hardware = false",
        "tested_on_hardware = 0",
        "tested_on_hardware",
        "0 is neither true nor false",
        "give",
    ),
    ('["0-22", 26, 27]', "[]", "gpios", "an empty list", '["0-22", 26]'),
    ('["0-22", 26, 27]', "27", "gpios", "27 is not a list", "give a list"),
    ('["0-22", 26, 27]', '["0-22", 30]', "gpios", "30 is neither a GPIO number nor a range", "from 0 to 29"),
    ('["0-22", 26, 27]', '["0-22", true]', "gpios", "true is neither", "give a list"),
    ('["0-22", 26, 27]', '["22-0"]', "gpios", "'22-0' is neither", "give a list"),
    ('["0-22", 26, 27]', '["0-22", 5, 27]', "gpios", "GPIO 5 stands in the list twice", "each number once"),
    # unknown
    ("max_on_ms = 9000", "max_on_ms = 9000\nmax_onms = 1", "[relay] 'max_onms'", "unknown key", "write max_on_ms"),
    ("[journal]", "[motor]\nhp = 1\n[journal]", "'motor'", "unknown table", "remove it"),
    ('board = "bench7"', 'board = "bench7"\ntitel = "x"', "'titel'", "unknown key", "write title"),
    # missing, wrong type
    ("key3 = 2\n", "", "[pins] key3", "missing", "from 0 to 29"),
    ("[journal]\nsectors = 124\n", "", "[journal]", "the table is missing", "add it with sectors"),
    ("max_on_ms = 9000", "max_on_ms = true", "[relay] max_on_ms", "true is not a whole number", "1000 to 60000"),
    ("max_on_ms = 9000", "max_on_ms = 9e3", "[relay] max_on_ms", "9000.0 is not a whole number", "1000 to 60000"),
    ("max_on_ms = 9000", 'max_on_ms = "9000"', "[relay] max_on_ms", "'9000' is not a whole number", "1000 to 60000"),
    ("sectors = 124", "sectors = 2024-01-01", "[journal] sectors", "a date or time is not a whole", "104 to 160"),
    ("sectors = 124", f"sectors = 0x1{'0' * 5000}", "[journal] sectors", "beyond 64 bits", "104 to 160"),
    # pins
    ("entry = 6", "entry = 3", "[pins] entry", "GPIO 3 is already key4", "its own GPIO"),
    ("entry = 6", "entry = 23", "[pins] entry", "the board has no GPIO 23", "choose one of gpios"),
    ("entry = 6", "entry = 25", "[pins] entry", "GPIO 25 is reserved (the board's LED)", "choose one of gpios"),
    ("entry = 6", "entry = -1", "[pins] entry", "-1 is less than 0", "from 0 to 29"),
    ("entry = 6", "entry = 30", "[pins] entry", "30 is more than 29", "from 0 to 29"),
    ("entry = 6", "entry = 6\ncover2 = 10", "[pins] cover", "GPIO 10 is already cover2", "its own GPIO"),
    ("25 =", "26 =", "gpios", "GPIO 26 stands in [reserved] too", "take it out of one"),
    ("25 =", "30 =", "[reserved] '30'", "not a GPIO", "0 to 29"),
    ('25 = "the board\'s LED"', "25 = true", "[reserved] 25", "true does not say", "one line of text"),
    # relay
    ('active = "low"', 'active = "on"', "[relay] active", "'on' is not one of", 'give "high" or "low"'),
    (
        'pull = "up"\nmax',
        'pull = "none"\nmax',
        "[relay] external_pull",
        "pulled down during reset and the relay would be on",
        'write external_pull = "up"',
    ),
    ('pull = "up"\nmax', 'pull = "down"\nmax', "[relay] external_pull", "active-low relay needs a pull-up", "fit one"),
    ('active = "low"', 'active = "high"', "[relay] external_pull", "on while the board is in reset", "fit a pull-down"),
    ('drive = "level"', 'drive = "pulse"', "[relay] drive", "a charge pump knows no on level", 'write active = "high"'),
    ('drive = "level"', 'drive = "pwm"', "[relay] drive", "'pwm' is not one of", '"level" or "pulse"'),
    ("max_on_ms = 9000", "max_on_ms = 999", "[relay] max_on_ms", "999 is less than 1000", "1000 to 60000"),
    ("max_on_ms = 9000", "max_on_ms = 60001", "[relay] max_on_ms", "60001 is more than 60000", "1000 to 60000"),
    # 800 ms to the first pulse, then 4 spins x 2 pulses at 2 Hz = 4000 ms
    ("max_on_ms = 9000", "max_on_ms = 4899", "[relay] max_on_ms", "too short for a slow motor", "at least 4900"),
    # sensor: at 126 Hz half a pulse is 3968 µs, the filter of 2000 µs wants 4000
    ("max_hz = 25", "max_hz = 126", "[sensor] t_f_us", "shorter than 2 x 2000 µs", "at most 1984"),
    ("t_f_us = 2000", "t_f_us = 9", "[sensor] t_f_us", "9 is less than 10", "10 to 10000"),
    ("max_hz = 25", "max_hz = 2", "[sensor] max_hz", "2 is not above min_hz = 2", "raise it"),
    ("min_hz = 2", "min_hz = 0", "[sensor] min_hz", "0 is less than 1", "1 to 1000"),
    (
        "first_pulse_ms = 800",
        "first_pulse_ms = 499",
        "[sensor] first_pulse_ms",
        "shorter than one pulse",
        "at least 500",
    ),
    ("pulses_per_spin = 2", "pulses_per_spin = 0", "[sensor] pulses_per_spin", "less than 1", "1 to 64"),
    # spin
    ("required = 4", "required = 2", "[spin] required", "rule 6.1 has the dice spun at least 3 times", "from 3 to 50"),
    ("min_coast_ms = 700", "min_coast_ms = 5000", "[spin] max_coast_ms", "not above min_coast_ms = 5000", "raise it"),
    ("max_coast_ms = 5000", "max_coast_ms = 999", "[spin] max_coast_ms", "999 is less than 1000", "1000 to 60000"),
    ("uncover_limit_s = 90", "uncover_limit_s = 9", "[spin] uncover_limit_s", "9 is less than 10", "10 to 3600"),
    ("uncover_limit_s = 90", "uncover_limit_s = 3601", "[spin] uncover_limit_s", "more than 3600", "10 to 3600"),
    # wiring that a broken wire defeats
    (
        'closed_when = "low"',
        'closed_when = "high"',
        "[cover] closed_when",
        "a broken wire would read as a shut cover",
        '"low"',
    ),
    (
        'healthy_when = "low"',
        'healthy_when = "high"',
        "[estop] healthy_when",
        "would read as an E-stop not pressed",
        '"low"',
    ),
    (
        '"low"\nexternal_pull = "up"\n\n[estop]',
        '"low"\nexternal_pull = "none"\n\n[estop]',
        "[cover] external_pull",
        "float",
        '"up"',
    ),
    (
        '"low"\nexternal_pull = "up"\n\n[estop]',
        '"low"\nexternal_pull = "down"\n\n[estop]',
        "[cover] external_pull",
        "shut",
        '"up"',
    ),
    (
        'external_pull = "up"\n\n[keys]',
        'external_pull = "down"\n\n[keys]',
        "[estop] external_pull",
        "not pressed",
        '"up"',
    ),
    ('external_pull = "up"\n\n[keys]', 'external_pull = "none"\n\n[keys]', "[estop] external_pull", "float", '"up"'),
    ('[cover]\nswitch_to = "gnd"', '[cover]\nswitch_to = "3v3"', "[cover] switch_to", "shorts the supply", '"gnd"'),
    ('[estop]\nswitch_to = "gnd"', '[estop]\nswitch_to = "3v3"', "[estop] switch_to", "shorts the supply", '"gnd"'),
    (
        'internal_pull = "up"',
        'internal_pull = "down"',
        "[keys] internal_pull",
        "unplugged key would read as pressed",
        '"up"',
    ),
    # journal, PIO
    ("sectors = 124", "sectors = 103", "[journal] sectors", "103 is less than 104", "104 to 160"),
    ("sectors = 124", "sectors = 161", "[journal] sectors", "161 is more than 160", "104 to 160"),
    ("wireless = 6", "wireless = 9", "pio", "take 33 instructions and a PIO block has 32", "shorten or leave out one"),
    ("dead_man = 16", "dead_man = 0", "[pio] dead_man", "the relay needs its dead-man", "1 to 32"),
]


@pytest.mark.parametrize(("old", "new", "key", "reason", "mend"), BAD, ids=[f"{b[2]}: {b[3]}" for b in BAD])
def test_a_bad_file_is_refused_by_file_key_reason_and_mending(
    good: str, board_file: Write, old: str, new: str, key: str, reason: str, mend: str
) -> None:
    assert good.count(old) == 1, "the seed must change one place"
    path = board_file(good.replace(old, new))
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path}, {key}: ")
    assert reason in problem
    assert mend in problem.partition(reason)[2]
    assert problem.endswith(".")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_on_ms = 9000", "max_on_ms = 4900"),  # 800 ms + 8 pulses at 2 Hz
        ("max_hz = 25", "max_hz = 125"),  # halves of 4000 µs = 2 x t_f
        ("first_pulse_ms = 800", "first_pulse_ms = 500"),  # one pulse at 2 Hz
        ("required = 4", "required = 3"),
        ("max_coast_ms = 5000", "max_coast_ms = 1000"),
        ("sectors = 124", "sectors = 104"),
        (
            'active = "low"\ndrive = "level"\nexternal_pull = "up"',
            'active = "high"\ndrive = "level"\nexternal_pull = "none"',
        ),
        (
            'active = "low"\ndrive = "level"\nexternal_pull = "up"',
            'active = "high"\ndrive = "pulse"\nexternal_pull = "down"',
        ),
    ],
)
def test_the_last_good_value_is_taken(good: str, board_file: Write, old: str, new: str) -> None:
    assert good.count(old) == 1
    assert load_board(board_file(good.replace(old, new))).name == "bench7"


@pytest.mark.parametrize("written", ["relay = 5", "relay = []", "relay = false", 'relay = ""', "[[relay]]\nactive = 1"])
def test_a_table_that_is_something_else_is_refused(good: str, board_file: Write, written: str) -> None:
    start, end = good.index("[relay]"), good.index("[sensor]")
    text = good[:start] + good[end:]
    path = board_file(text + written + "\n" if written.startswith("[[") else written + "\n" + text)
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path}, [relay]: ")
    assert "is not a table; write [relay]" in problem


def test_every_problem_is_named_in_one_go(good: str, board_file: Write) -> None:
    text = (
        good.replace("key1 = 0\n", "").replace("required = 4", "required = 1").replace("wireless = 6", "wireless = 9")
    )
    path = board_file(text.replace('closed_when = "low"', 'closed_when = "high"'))
    found = sorted(line.removeprefix(f"{path}, ").partition(":")[0] for line in problems_of(path))
    assert found == ["[cover] closed_when", "[pins] key1", "[spin] required", "pio"]


def test_a_file_that_is_not_toml_is_refused_with_the_line(good: str, board_file: Write) -> None:
    path = board_file(good.replace('micropython = "RPI_PICO"', 'micropython = "RPI_PICO'))
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path} is not TOML: ")
    assert "line 3" in problem


def test_a_file_that_is_not_utf8_is_refused_with_the_place(board_file: Write) -> None:
    path = board_file(b'board = "\xff"')
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path} is not TOML: ")
    assert "position 9" in problem


def test_a_file_of_endless_brackets_is_refused(board_file: Write) -> None:
    (problem,) = problems_of(board_file("a = " + "[" * 50_000))
    assert "is not TOML" in problem


def test_an_empty_file_lacks_everything(board_file: Write) -> None:
    found = problems_of(board_file(""))
    assert len(found) == 13, "5 keys at the top and 8 tables that are not optional"
    assert all("missing" in line for line in found)


def test_an_unknown_board_is_answered_with_the_known_ones() -> None:
    (problem,) = problems_of("piko")
    assert "'piko'" in problem and "pico" in problem and ".toml" in problem


@pytest.mark.parametrize("name", ["", ".", "../boards/pico", "pico/", "pi\0co"])
def test_what_is_no_name_of_a_board_is_refused(name: str) -> None:
    (problem,) = problems_of(name)
    assert "There is no board" in problem


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    for path in (missing, folder):
        (problem,) = problems_of(path)
        assert str(path) in problem and "give the path of a board file" in problem
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "zero.toml"):
        (problem,) = problems_of(tmp_path / name)
        assert "is not a file" in problem
    (problem,) = problems_of("a\0b.toml")
    assert "no file name" in problem


def test_no_more_of_a_file_is_read_than_a_board_needs(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.touch()
    os.truncate(large, 1 << 40)  # holds nothing, and no memory takes it
    (problem,) = problems_of(large)
    assert "is larger than any board needs" in problem


def test_a_part_of_a_millisecond_counts_as_a_whole_one(good: str, board_file: Write) -> None:
    text = good.replace("min_hz = 2", "min_hz = 3")  # 800 ms, then 8 pulses at 3 Hz = 2666.67 ms
    load_board(board_file(text.replace("max_on_ms = 9000", "max_on_ms = 3567")))
    (problem,) = problems_of(board_file(text.replace("max_on_ms = 9000", "max_on_ms = 3566")))
    assert "[relay] max_on_ms" in problem and "at least 3567" in problem
