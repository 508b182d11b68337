"""boot.py and main.py: the relay off first, whatever ends the application, and when it is not started at all."""

from __future__ import annotations

import dataclasses

import pytest

from host_tools.boards import fill_in, load_board
from tests.sim.hw.conftest import ROOT

RELAY, MAINT = 16, 22  # boards/pico.toml
SCRATCH0 = 0x4005800C

APP = """
import tumbler
from tumbler.hw import reset
class App:
    def main(self):
        machine.done.append(["app"])
        relay = machine.Pin(board.PIN_RELAY)
        relay(1)
        {ends}
tumbler.app = App()
"""
MAIN = """
import tumbler.hw.relay
try:
    import main
    ended = "console"
except machine.Reset:
    ended = "reset"
names = dict(((reset.PANIC, "PANIC"), (reset.COMMANDED, "COMMANDED"), (reset.MAINTENANCE, "MAINTENANCE")))
word = names.get(machine.done[-1][-1])
answer = dict(ended=ended, done=machine.done, relay=machine.levels[board.PIN_RELAY], word=word)
"""


def play(run, ends: str, before: str = ""):
    return run(before + APP.format(ends=ends) + MAIN)


@pytest.mark.parametrize("on_level", [1, 0])
def test_boot_sets_the_off_level_with_the_direction_and_touches_nothing_else(run, tmp_path, on_level):
    pico = load_board("pico")
    board = dataclasses.replace(pico, relay=dataclasses.replace(pico.relay, active="high" if on_level else "low"))
    (tmp_path / "boot.py").write_text(fill_in((ROOT / "firmware/boot.py").read_text(encoding="utf-8"), board))
    got = run("import sys\nsys.path.insert(0, '.')\nimport boot\nanswer = [machine.done, writes()]")
    assert got == [[["pin", RELAY, 1, 1 - on_level]], [[RELAY, 1 - on_level]]]


def test_boot_imports_machine_only():
    source = (ROOT / "firmware/boot.py").read_text(encoding="utf-8")
    imported = [line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert imported == ["machine"]


@pytest.mark.parametrize(
    "ends",
    ["return", "raise ValueError('no')", "raise SystemExit", "raise KeyboardInterrupt", "1 / 0", "raise MemoryError"],
)
def test_however_the_application_ends_the_relay_is_off_before_the_reset_and_the_word_is_panic(run, ends):
    got = play(run, ends)
    assert (got["ended"], got["relay"], got["word"]) == ("reset", 0, "PANIC")
    after_app = got["done"][got["done"].index(["app"]) + 1 :]
    assert after_app[0] == ["pin", RELAY, 1, 0]
    assert [step[0] for step in after_app].count("reset") == 1


def test_relay_is_off_and_the_word_is_set_before_the_exception_is_printed_for_a_host_may_hold_that_up(run):
    # an exception with an argument that tells when it is printed
    loud = """
class Loud:
    def __str__(self):
        machine.done.append(["printed", machine.levels[board.PIN_RELAY], machine.registers[0x4005800C]])
        return "loud"
board.Loud = Loud
"""
    got = play(run, "raise SystemExit(board.Loud())", loud)
    kinds = [step[0] for step in got["done"]]
    _, level, word = got["done"][kinds.index("printed")]
    assert (got["ended"], level) == ("reset", 0)
    assert word == got["done"][-1][1] != 0


def test_a_reset_that_the_application_orders_keeps_its_word(run):
    got = play(run, "reset.restart(reset.MAINTENANCE)")
    assert (got["ended"], got["word"]) == ("reset", "MAINTENANCE")


def test_with_the_maintenance_jumper_the_application_does_not_start_and_the_relay_is_off(run):
    got = play(run, "return", f"machine.gpio_in[0] &= ~(1 << {MAINT})\nmachine.levels[{RELAY}] = 1\n")
    assert (got["ended"], got["relay"]) == ("console", 0)
    assert ["app"] not in got["done"]
    assert "wdt" not in [step[0] for step in got["done"]]


def test_after_an_order_to_go_into_maintenance_the_application_stays_out(run):
    word = run("from tumbler.hw import reset\nanswer = reset.MAINTENANCE")
    before = f"machine.cause[0] = 3\nmachine.registers[{SCRATCH0}] = {word}\n"
    got = play(run, "return", before)
    assert got["ended"] == "console"
    assert ["app"] not in got["done"]


def test_the_watchdog_bites_within_two_seconds(run):
    got = run("from tumbler.hw.watchdog import Watchdog\nWatchdog()\nanswer = machine.done")
    assert [step[0] for step in got] == ["wdt"]
    assert 500 <= got[0][1] <= 2000
