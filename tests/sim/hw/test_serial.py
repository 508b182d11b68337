"""The serial room on real pipes: raw bytes both ways, nothing waits, no memory is taken."""

from __future__ import annotations

import os
import pty
import subprocess
import tty

import pytest

from tests.sim.hw.conftest import MICROPYTHON, ROOT

MAKE = "import gc, sys\nfrom tumbler.hw.serial import Serial\nserial = Serial()\n"
ECHO_ALL = """
while True:
    byte = serial.read()
    if byte < 0:
        continue
    serial.write(byte)
    if byte == 0xFE:
        break
"""


@pytest.fixture
def start():
    """start(script, **pipes) -> the running MicroPython; ended with the test."""
    if MICROPYTHON is None:
        pytest.skip("there is no MicroPython unix port for this platform")
    started: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "MICROPYPATH": f"{ROOT / 'firmware'}:.frozen"}

    def begin(script: str, **pipes: int) -> subprocess.Popen[bytes]:
        command = [MICROPYTHON, "-X", "heapsize=192K", "-c", MAKE + script]
        wires = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
        started.append(subprocess.Popen(command, env=environment, **wires))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_every_byte_comes_and_goes_as_it_is(start):
    every = bytes(range(254)) + b"\xff\r\n\x03\x04\xfe"
    out, err = start(ECHO_ALL).communicate(every, timeout=20)
    assert (out, err) == (every, b"")


def test_read_answers_minus_one_when_no_byte_waits_and_again_when_the_line_is_closed(start):
    process = start("sys.stderr.write('%d' % serial.read())\nwhile serial.read() != 65: pass\nprint(serial.read())")
    assert process.stderr.read(2) == b"-1"
    out, _ = process.communicate(b"A", timeout=20)
    assert out == b"-1\n"


def test_write_refuses_instead_of_waiting_when_the_host_does_not_read(start):
    reader, writer = os.pipe()
    try:
        script = "taken = 0\nwhile serial.write(0x55):\n    taken += 1\nsys.stderr.write('%d' % taken)"
        process = start(script, stdout=writer)
        os.close(writer)
        _, err = process.communicate(timeout=20)
        taken = int(err)
        assert taken > 0
        assert os.read(reader, taken + 1) == b"\x55" * taken
    finally:
        os.close(reader)


def test_a_line_that_nobody_holds_open_answers_no_byte_and_then_refuses(start):
    device, line = pty.openpty()
    tty.setraw(line)
    os.close(line)
    try:
        script = "got = serial.read()\nwhile serial.write(0x55): pass\nsys.stderr.write('%d %d' % (got, serial.read()))"
        _, err = start(script, stdin=device, stdout=device).communicate(timeout=20)
        assert err == b"-1 -1"
    finally:
        os.close(device)


def test_the_end_of_the_input_is_no_byte(start):
    _, err = start("sys.stderr.write('%d' % serial.read())", stdin=subprocess.DEVNULL).communicate(timeout=20)
    assert err == b"-1"


def test_reading_and_writing_take_no_memory(start):
    script = """
def echo(times):
    for _ in range(times):
        serial.write(serial.read() & 0x7F)
def taken():
    echo(1)
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    echo(50)
    return gc.mem_alloc() - before
sys.stderr.write(str(taken()))
"""
    _, err = start(script).communicate(b"x" * 40, timeout=20)
    assert err == b"0"


def test_the_interrupt_character_is_off_once_the_room_has_the_line(run):
    # the unix port has no interrupt character on a pipe, so what is asked of the port is looked at instead
    script = """
class Port:
    interrupt = 3
    def kbd_intr(self, character):
        self.interrupt = character
sys.modules["micropython"] = Port()
from tumbler.hw.serial import Serial
Serial()
answer = sys.modules["micropython"].interrupt
"""
    assert run(script) == -1
