"""The rig's wiring table: every bundled one serves every board, and what cannot work is refused with a sentence."""

import dataclasses
import runpy

import pytest
from typer.testing import CliRunner

from host_tools.boards import board_names, load_board
from host_tools.commands import app
from host_tools.errors import UserError
from host_tools.rig.wiring import RIGS_DIR, WATCHED, load_rig, rig_module, rig_names, rig_wires

PICO = (RIGS_DIR / "pico.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("rig", rig_names())
@pytest.mark.parametrize("board", board_names())
def test_every_signal_of_every_board_has_its_own_wire(rig, board):
    loaded = load_board(board)
    wires = rig_wires(load_rig(rig), loaded)
    signals = {name: gpio for name, gpio in dataclasses.asdict(loaded.pins).items() if gpio is not None}
    assert {wire.pin: wire.terminal_gpio for wire in wires if wire.terminal_gpio is not None} == signals
    assert len({wire.rig_gpio for wire in wires}) == len(wires)
    assert max(wire.rig_gpio for wire in wires) <= 29


def test_between_two_picos_each_wire_joins_pins_of_one_number():
    wires = rig_wires(load_rig("pico"), load_board("pico"))
    assert [wire.pin for wire in wires if wire.terminal_gpio not in (wire.rig_gpio, None)] == []


def test_the_module_says_what_is_pulled_what_is_played_and_what_is_watched(tmp_path):
    (tmp_path / "rig_table.py").write_text(rig_module(load_rig("pico"), load_board("pico")))
    table = runpy.run_path(str(tmp_path / "rig_table.py"))
    lines = table["LINES"]
    assert lines["1"] == 2 and lines["cover"] == 19 and lines["run"] == 26
    # What the terminal drives is never pulled, and the sensor is the player's.
    assert not {"relay", "lamp", "buzzer", "display_clk", "display_dio", "sensor", "power"} & set(lines)
    assert (table["SENSOR"], table["RELAY"], table["WATCH_FIRST"], table["RELAY_ON_LEVEL"]) == (18, 16, 12, 1)
    assert (table["MIN_HZ"], table["MAX_HZ"], table["PULSES_PER_SPIN"], table["SENSOR_T_F_US"]) == (1, 50, 1, 20)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("entry = 8", "entry = 9", "spin: GPIO 9 is taken by entry"),
        ("entry = 8", "entry = 23", "entry: GPIO 23 is not among gpios"),
        ("entry = 8", "entry = 30", "entry: 30 is more than 29"),
        ("entry = 8", 'entry = "8"', "entry: '8' is not a whole number"),
        ("entry = 8", "entry = true", "entry: true is not a whole number"),
        ("entry = 8", "", "entry: is missing"),
        ("entry = 8", "entry = 8\nbell = 27", "bell: no such wire"),
        ("sensor = 18", "sensor = 28", "sensor: must be 18"),
        ("relay_feedback = 17\n", "", "run: lies among those that are watched"),
        ('rig = "pico"', 'rig = "poco"', 'write rig = "pico"'),
        ('gpios = ["0-22", "26-28"]', "gpios = [31]", "gpios: 31 is neither"),
        ("[pins]", "[pegs]", "pegs: this key is not known"),
        ("[pins]", "[pins", "is not TOML"),
    ],
)
def test_a_table_that_cannot_work_is_refused(tmp_path, old, new, says):
    assert old in PICO
    text = PICO.replace(old, new, 1)
    if old.startswith("relay_feedback"):  # its place among the watched is taken by another
        text = text.replace("run = 26", "run = 17")
    path = tmp_path / "pico.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=says):
        load_rig(path)


def test_an_unknown_rig_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(UserError, match="There is no rig 'nano': name one of pico"):
        load_rig("nano")
    with pytest.raises(UserError, match=r"none\.toml"):
        load_rig(tmp_path / "none.toml")


def test_a_board_that_the_rig_lacks_a_wire_for_is_refused(tmp_path):
    path = tmp_path / "pico.toml"
    path.write_text(PICO.replace("cover2 = 20\n", ""))
    with pytest.raises(UserError, match="no wire for cover2 of board pico"):
        rig_wires(load_rig(path), load_board("pico"))


def test_a_sensor_that_does_not_pull_low_is_refused():
    pico = load_board("pico")
    high = dataclasses.replace(pico, sensor=dataclasses.replace(pico.sensor, active="high", pull="down"))
    with pytest.raises(UserError, match="sensors that pull low only"):
        rig_wires(load_rig("pico"), high)


def test_a_pulse_driven_relay_is_watched_behind_its_pump():
    pico = load_board("pico")
    pulse = dataclasses.replace(pico, relay=dataclasses.replace(pico.relay, drive="pulse"))
    (relay,) = [wire for wire in rig_wires(load_rig("pico"), pulse) if wire.pin == "relay"]
    assert "behind the charge pump" in relay.via


def test_the_command_prints_the_table():
    said = CliRunner().invoke(app, ["boards", "wiring", "pico", "--rig", "pico", "--markdown"])
    assert said.exit_code == 0
    assert "| 19 | 19 | cover | cover switch | 470 Ω in series; open drain |" in said.output
    assert len(said.output.splitlines()) == 2 + 22


def test_the_watched_pins_are_those_that_the_state_machine_reads():
    assert len(WATCHED) == 8  # firmware/rig/hw/watch.py, PINS
