"""The application through one spin, its host not reading: longest tick, memory taken, heap free, time to ready.

Whenever the motor runs, the line is filled until it has so many bytes free, and the status line becomes due.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from host_tools.boards import load_board
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.program import Program

STALL_PIN = 26  # of the header, free: high while the host shall not read
PERIOD_TICKS = 24  # for each number of bytes
MIN_HZ = 4  # of the board, for a quick drum: an emulated second takes half a minute
SPIN_HZ = 6  # of that drum
# main.py, with a watchdog that fills the line and measures. It takes no memory while the motor runs.
MAIN = """
import gc, select, sys, time
from machine import Pin, mem32
from tumbler import app
from tumbler.core import fields, ticks
import tumbler_board

FREES = {frees}

class Probe:
    def __init__(self):
        self.n = self.gap = self.gap_at = self.first = self.last = self.on = self.room = self.filled = self.at = 0
        self.stall = Pin({stall_pin}, Pin.OUT, value=0)
        self.out, self.byte = sys.stdout.buffer, b"."
        self.poll = select.poll()
        self.poll.register(sys.stdout, select.POLLOUT)
        self.writable()  # the first time takes memory

    def feed(self):
        now = time.ticks_us()
        gap = time.ticks_diff(now, self.at)
        self.n += 1
        if self.n == 1:
            self.out.write(b"\\nready now\\n")
        elif self.n == 10:
            gc.collect()
            self.out.write(b"\\nfree %d\\n" % gc.mem_free())
        if mem32[0xD0000004] >> tumbler_board.PIN_RELAY & 1:
            self.spin(gap)
        elif self.on:
            self.on = 0
            self.stall(0)
            figures = (self.done, self.last - self.first, self.gap, self.gap_at, self.room)
            self.out.write(b"\\nspun %d %d %d %d %d" % figures + b" %s\\n" % fields.STATES[terminal.round.state])
        self.at = time.ticks_us()

    def spin(self, gap):
        if not self.on:
            self.done = -1  # first comes a pass that only finds out what the line holds
            self.first = gc.mem_alloc()
        elif gap > self.gap:
            self.gap, self.gap_at = gap, FREES[self.done] if 0 <= self.done < len(FREES) else 0
        at = self.on % {period}
        self.on += 1
        if self.done == len(FREES):
            return
        if at == 0:
            self.stall(1)
        elif at == 1:
            self.filled = self.fill()
            terminal.status_ms = (terminal.status_ms - 1000) & ticks.MASK  # it is due
        elif at == {period} // 2:
            self.stall(0)
        elif at == {period} - 1:
            self.last = gc.mem_alloc()
            self.done += self.filled

    def fill(self):
        if self.done < 0:
            while self.writable():
                self.out.write(self.byte)
                self.room += 1
        else:
            for _ in range(self.room - FREES[self.done]):
                if not self.writable():  # something was still in it
                    return False
                self.out.write(self.byte)
        return True

    def writable(self):
        for _, events in self.poll.ipoll(0):
            return events & select.POLLOUT

class Pump(app.Pump):
    def __init__(self, serial, its_terminal):
        global terminal
        terminal = its_terminal
        super().__init__(serial, its_terminal)

app.Watchdog, app.Pump = Probe, Pump
app.main()
"""


class SpinProbe:
    """Plays one spin in its constructor; the motor runs until the line had each number of `frees` bytes free.

    ready_ms: power-on to the first tick. free: bytes of heap then. done: how many of `frees` came. taken: bytes of heap
    in the spin. gap_ms: its longest tick, which came with gap_frees bytes free. room: bytes that the line holds.
    then: the state after it.
    """

    def __init__(self, frees: Sequence[int], *, start_ticks: int = 0, uf2: Path | None = None):
        pico = load_board("pico")
        lasts_s = (len(frees) + 2) * PERIOD_TICKS * 3.3 / 1000  # a tick, fillings included
        spins = max(pico.spin.required, round(lasts_s * SPIN_HZ))
        settings = dataclasses.replace(
            pico,
            spin=dataclasses.replace(pico.spin, required=spins),
            sensor=dataclasses.replace(pico.sensor, min_hz=MIN_HZ),
        )
        main = MAIN.format(frees=tuple(frees), stall_pin=STALL_PIN, period=PERIOD_TICKS)
        files = firmware_files(settings, TEST_DEV) | {"main.py": main.encode()}
        self.board = EmuBoard(settings, uf2=uf2, files=files, start_ticks=start_ticks)
        self.program = Program(self.board)
        self.board.device.mcu.gpio[STALL_PIN].add_listener(lambda new, _old: self._stall(new.name == "HIGH"))
        self.program.until("ready", 2000)
        self.ready_ms = round(self.program.now_us() / 1000)
        self.free = int(self.program.until("free", 500).split()[1])
        self._spin()

    def _stall(self, on: bool) -> None:
        self.board.usb.room = 0 if on else 4096
        self.board.after_step = None if on else self.program.hear
        if not on:
            self.program.hear()

    def _spin(self) -> None:
        rig = self.program.rig
        rig.step(600)
        rig.press("spin")
        rig.step_until(lambda seen: seen["relay"], 400)
        self.board.usb.send(b"?" * 40)  # the first bytes of a host
        rig.release("spin")
        rig.step_until(lambda seen: not seen["relay"], 15_000)
        *figures, self.then = self.program.until("spun", 2000).split()[1:]
        self.done, self.taken, gap_us, self.gap_frees, self.room = map(int, figures)
        self.gap_ms = gap_us / 1000
