"""The emulated board itself: its serial line, its resets and its busy flash."""

import os

import pytest

from host_tools.emu.usb import PtyLine
from tests.emu.test_relay import FED, SPIN

ON_THE_BUS = "import time\ntime.sleep_ms(40)\n"  # what is printed before the host knows the board is lost
ECHO = ON_THE_BUS + "import sys\nprint('ready')\nwhile True:\n    print('said', sys.stdin.readline().strip())\n"
CAUSE = (
    ON_THE_BUS + "from machine import mem32, reset_cause\n"
    "print('cause', reset_cause(), mem32[0x4005800C])\nmem32[0x4005800C] = 77\n"
)
ERASE = (
    ON_THE_BUS + "import rp2\nt = time.ticks_us()\nrp2.Flash().ioctl(6, 200)\n"
    "print('took', time.ticks_diff(time.ticks_us(), t))\n"
)


def test_bytes_go_both_ways(run_program):
    program = run_program(ECHO)
    program.until("ready", 300)
    program.board.usb.send(b"hello\n")
    assert program.until("said", 50) == "said hello"


def test_a_host_that_does_not_read_holds_a_print_up(run_program):
    program = run_program(ON_THE_BUS + "print('ready')\nfor i in range(100):\n    print('line', i)\nprint('end')\n")
    program.board.after_step = None
    program.board.usb.room = 64
    program.board.step(300)
    assert len(program.board.usb.read()) < 1000  # MicroPython's and the bus's buffers, not the 890 bytes and more
    program.board.after_step = program.hear
    program.until("end", 500)


def test_a_program_opens_the_line_as_a_pty(run_program):
    program = run_program(ECHO)
    program.board.after_step = None
    line = PtyLine(program.board.device, program.board.usb)
    port = os.open(line.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    os.write(port, b"hello\n")
    program.board.step(250)
    assert b"said hello\r\n" in os.read(port, 4096)
    os.close(port)
    line.close()


@pytest.mark.parametrize("kind", ["power", "run_pin"])
def test_a_reset_from_outside_clears_the_scratch_registers(run_program, kind):
    program = run_program(CAUSE)
    assert program.until("cause", 300) == "cause 1 0"
    program.board.step(5)
    program.board.reset(kind, off_ms=20)
    assert program.until("cause", 300, times=2) == "cause 1 0"
    assert program.board.resets == [kind]


def test_a_reset_by_the_watchdog_keeps_the_scratch_registers(run_program):
    program = run_program(CAUSE + "from machine import WDT\nWDT(timeout=30)\n")
    # RP2040 datasheet 4.7; MicroPython's WDT_RESET is 3
    assert program.until("cause", 400, times=2) == "cause 3 77"
    assert program.board.resets == ["watchdog"]


def test_a_chip_reset_turns_the_relay_off_at_once(run_program):
    program = run_program(SPIN + FED)
    program.until("on", 300)
    reset_us = program.now_us()
    program.board.reset("run_pin", off_ms=1)
    assert program.relay_edges()[1:] == [(reset_us, False)]


@pytest.mark.parametrize(("erase_ms", "least_us", "most_us"), [(0, 0, 5_000), (45, 45_000, 50_000)])
def test_an_erase_keeps_the_cpu_for_as_long_as_it_is_told(run_program, erase_ms, least_us, most_us):
    program = run_program(ERASE, erase_ms=erase_ms)
    assert least_us <= int(program.until("took", 400).split()[1]) <= most_us


def test_the_same_calls_give_the_same_bytes_at_the_same_cycles(run_program):
    """With PIO, USB both ways and a key that bounces."""

    def play():
        program = run_program(SPIN + "import sys\nsys.stdin.readline()\n" + FED)
        program.until("on", 300)
        program.board.usb.send(b"go\n")
        program.rig.press("spin")
        program.board.step(30)
        board = program.board
        return program.text, board.clock.nanos, board.device.mcu.core.cycles, board.world.relay_edges

    assert play() == play()
