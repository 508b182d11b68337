"""`make bench-emu`: what turns the relay off and how fast, memory and times, on the emulated RP2040.

Each line has the figure, its limit, and the bound that follows from the program's instructions where there is one.
The times of edges are those of PIO instructions. Ends with 1 when a figure is beyond its limit.
"""

import dataclasses
import sys
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from host_tools.boards import Board, load_board
from host_tools.build import FIRMWARE, MPY_LIMIT_BYTES, build_files, mpy_bytes
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.probe import SpinProbe
from host_tools.emu.program import Program
from host_tools.emu.rough import COUNT, counted, rough
from host_tools.errors import UserError

HEAD = """
import time, machine, rp2, tumbler_board
from machine import Pin, mem32
from tumbler.hw.inputs import Inputs
from tumbler.hw.relay import Relay
Inputs(tumbler_board); relay = Relay(tumbler_board)
"""
ON = HEAD + "relay.on(); print('on')\n"
FED = "while True:\n    time.sleep_ms(2); relay.feed()\n"
BUSY = "t = time.ticks_ms()\nwhile time.ticks_diff(time.ticks_ms(), t) < 500:\n    pass\n"
ERASE = "time.sleep_ms(5)\nrp2.Flash().ioctl(6, 200)\n"  # a sector that no file has taken
# The second time, after the soft reset, it ends at the line that main.py of the firmware begins with. The lamp goes on
# right before the reset.
SOFT_RESET = (
    HEAD
    + """
from tumbler.hw.watchdog import Watchdog
lamp = Pin(tumbler_board.PIN_LAMP, Pin.OUT, value=0)
if mem32[0x4005800C] != 1:
    mem32[0x4005800C] = 1
    watchdog = Watchdog()
    relay.on(); time.sleep_ms(20); watchdog.feed(); relay.feed()
    LAST
    lamp(1); machine.soft_reset()
"""
)
WIPED = "rp2.Flash().ioctl(6, 0); rp2.Flash().ioctl(6, 1)"  # MicroPython cannot mount that, and formats it
BLOCKED = "while True:\n    print('x' * 64)\n"
# The firmware, but that Ctrl-C stays on
INTERRUPTED = """
import micropython
from tumbler import app

class Serial(app.Serial):
    def __init__(self):
        super().__init__()
        micropython.kbd_intr(3)

app.Serial = Serial
""" + (FIRMWARE / "main.py").read_text()
ENTER = b"\x03\x03\x01\x04"  # Ctrl-C twice, Ctrl-A, Ctrl-D: raw REPL and soft reset
# Dead-man at 1 MHz: the opening just missed by a look, three more looks 6 cycles apart, and four cycles to `dead`.
COVER_BOUND_US = 3 * 6 + 4
FEED_BOUND_MS = 80 + 4 * 6 / 1000  # FEED_MS, up to three passes until a feed is taken, and one that finds it used up
SPIKE_US, GAP_US = 11.5, 6.5  # on the cover's wire: of three looks, 6 us apart, two find it high and never three
RIG_ON_MS = 1000  # longest on-time of the board of that measurement, instead of 15 s


class Bench:
    """The lines measured so far."""

    def __init__(self, console: Console):
        self._console = console
        self._table = Table("What", "Figure", "Limit", "Bound by instructions", "")
        self.failed = 0
        self.rows: list[tuple[str, float, str, str]] = []  # what, figure, unit, limit

    def line(self, what: str, figure: float, limit: str, good: bool, unit: str, bound: str = "") -> None:
        """One figure; limit and bound as a person reads them."""
        self.failed += not good
        self.rows.append((what, figure, unit, limit))
        self._table.add_row(what, f"{figure:g} {unit}", limit, bound, "" if good else "[red]beyond[/red]")
        self._console.print(f"{what}: {figure:g} {unit}", highlight=False)

    def show(self) -> None:
        self._console.print(self._table)


def _program(source: str, board: Board | None = None, boot: str | None = None, erase_ms: float = 0) -> Program:
    board = board or load_board("pico")
    files = firmware_files(board, TEST_DEV) | {"main.py": source.encode()}
    if boot is not None:
        files["boot.py"] = boot.encode()
    return Program(EmuBoard(board, files=files, erase_ms=erase_ms))


def _off_after_us(program: Program, since_us: float) -> float:
    """From a moment to the relay's next off."""
    return round(min(us for us, on in program.relay_edges() if not on and us >= since_us) - since_us, 2)


def cover(bench: Bench) -> None:
    """The cover opens: off, whatever Python does; spikes and a short opening."""
    for name, ends, erase_ms in (
        ("Python running", FED, 0),
        ("Python in a busy loop of 500 ms", BUSY, 0),
        ("flash held busy for 400 ms", ERASE, 400),
    ):
        program = _program(ON + ends, erase_ms=erase_ms)
        program.until("on", 400)
        opened_us = program.open_cover_in(20_000.3)
        program.board.step(60)
        figure = _off_after_us(program, opened_us)
        bench.line(f"cover opens, {name}: off after", figure, "50 us", figure <= 50, "us", f"{COVER_BOUND_US:g} us")
    program = _program(ON + FED)
    program.until("on", 400)
    for i in range(50):
        program.open_cover_in(500 + i * 300.7)
        program.board.at(508 + i * 300.7, program.shut_cover)
    program.board.step(20)
    offs = sum(not on for _, on in program.relay_edges())
    bench.line("50 spikes of 8 us on the cover wire: off", offs, "0 times", offs == 0, "times")
    program.open_cover_in(1000)
    program.board.at(2000, program.shut_cover)
    program.board.step(200)
    ons = sum(on for _, on in program.relay_edges())
    bench.line("cover open for 1 ms, feeding goes on: on again", ons - 1, "0 times", ons == 1, "times")


def feeding(bench: Bench) -> None:
    """Fed for ever, and not any more."""
    program = _program(ON + FED, _relay("level", RIG_ON_MS))
    program.until("on", 400)
    program.board.step(RIG_ON_MS + 50)
    figure = _on_ms(program)
    name = f"fed for ever, longest on-time {RIG_ON_MS} ms: on for"
    bench.line(name, figure, f"{RIG_ON_MS} ms", figure <= RIG_ON_MS * 1.01, "ms", f"{RIG_ON_MS} ms and more by feeds")
    for name, ends in (
        ("endless loop", "while True:\n    pass\n"),
        ("exception", "raise ValueError\n"),
        ("blocked write", BLOCKED),
    ):
        program = _program(ON + ends)
        program.until("on", 400)
        program.board.after_step, program.board.usb.room = None, 128
        program.board.step(150)
        figure = _on_ms(program)
        bench.line(f"unfed, {name}: off after", figure, "100 ms", figure <= 100, "ms", f"{FEED_BOUND_MS:.2f} ms")


def _relay(drive: str, max_on_ms: int = 15_000) -> Board:
    """The pico with its relay driven so."""
    pico = load_board("pico")
    return dataclasses.replace(pico, relay=dataclasses.replace(pico.relay, drive=drive, max_on_ms=max_on_ms))


def _on_ms(program: Program) -> float:
    (on_us, _), (off_us, _) = program.relay_edges()
    return round((off_us - on_us) / 1000, 3)


def spikes(bench: Bench) -> None:
    """The worst that spikes on the cover's wire can do without being the cover."""
    rig = _relay("level", RIG_ON_MS)
    for what, source, board, limit_ms, bound in (
        ("unfed, level drive: off after", ON, _relay("level"), 100, f"{FEED_BOUND_MS:.2f} ms"),
        ("unfed, pulse drive: off after", ON, _relay("pulse"), 100, f"{FEED_BOUND_MS:.2f} ms"),
        (f"fed for ever, longest on-time {RIG_ON_MS} ms: on for", ON + FED, rig, RIG_ON_MS * 1.01, f"{RIG_ON_MS} ms"),
    ):
        program = _program(source, board)
        program.until("on", 400)
        program.spikes_on_cover(1, SPIKE_US, GAP_US, limit_ms * 1000)
        program.board.step(limit_ms + 10)
        figure = _on_ms(program)
        bench.line(
            f"cover wire high at two of three looks, {what}",
            figure,
            f"{limit_ms:g} ms",
            figure <= limit_ms,
            "ms",
            bound,
        )


def pulse_drive(bench: Bench) -> None:
    """A relay behind a charge pump: the wave ends as the level would, and no level is on."""
    program = _program(ON + FED, _relay("pulse"))
    program.until("on", 400)
    opened_us = program.open_cover_in(20_000.3)
    program.board.step(30)
    figure = _off_after_us(program, opened_us)
    bench.line("pulse drive, cover opens: last edge after", figure, "50 us", figure <= 50, "us", f"{COVER_BOUND_US} us")
    for level in (0, 1):
        program = _program(
            ON + f"Pin(tumbler_board.PIN_RELAY, Pin.OUT, value={level}); print('stuck')\n", _relay("pulse")
        )
        program.until("stuck", 400)
        program.board.step(10)
        held = program.relay_edges()[-1][1]
        bench.line(f"pulse drive, pin stuck at {level}: coil still driven", held, "0 times", not held, "times")


def pulses(bench: Bench) -> None:
    """Pulses with bounce and spikes of 1 us to t_f / 2 at the fastest rate, 1 / (4 t_f)."""
    for t_f_us, during, erase_ms, name in (
        (20, "pass", 0, "Python idle"),
        (20, BUSY, 0, "Python stalled for 500 ms"),
        (20, ERASE, 400, "flash held busy for 400 ms"),
        (2000, "pass", 0, "Python idle"),
        (2000, BUSY, 0, "Python stalled for 500 ms"),
        (2000, ERASE, 400, "flash held busy for 400 ms"),
    ):
        pico = load_board("pico")
        board = dataclasses.replace(pico, sensor=dataclasses.replace(pico.sensor, t_f_us=t_f_us))
        program = _program(COUNT.replace("DURING", during), board, erase_ms=erase_ms)
        program.until("ready", 400)
        half_us, injected = 2 * t_f_us, 500_000 // (4 * t_f_us)
        wrong = abs(counted(program, rough(injected, half_us, t_f_us), t_f_us) - injected)
        what = f"{injected} pulses in 500 ms, t_f {t_f_us} us, {name}: lost or invented"
        bench.line(what, wrong, "0 pulses", wrong == 0, "pulses")


def soft_reset(bench: Bench) -> None:
    """machine.soft_reset() with the relay on: state machines stop, the pin stays, until boot.py or main.py."""
    for name, drive, boot, last, limit_ms in (
        ("with boot.py", "level", None, "", 20),
        ("with boot.py empty", "level", "", "", 2000),
        ("with boot.py empty, pulse drive", "pulse", "", "", 20),
        ("on a file system that was formatted", "level", None, WIPED, 2000),
    ):
        program = _program(SOFT_RESET.replace("LAST", last), _relay(drive), boot)
        asked: list[float] = []
        lamp = program.board.device.mcu.gpio[program.board.board.pins.lamp]
        lamp.add_listener(
            lambda new, _old, p=program, asked=asked: asked.append(p.now_us()) if new.name == "HIGH" else None
        )
        while not asked or program.board.world.relay_on():
            program.board.step(10)
        figure = round(_off_after_us(program, asked[0]) / 1000, 2)
        bench.line(f"soft reset {name}: off after", figure, f"{limit_ms} ms", figure <= limit_ms, "ms")


def console(bench: Bench) -> None:
    """A tool asks for the raw REPL and a soft reset in one write while the motor runs; in production it gets neither,
    tests/emu/test_round.py."""
    program = _program(INTERRUPTED)
    program.board.step(2100)
    program.rig.press("spin")
    program.rig.step_until(lambda seen: seen["relay"], 400)
    program.board.step(100)
    program.board.usb.send(ENTER)
    sent_us = program.now_us()
    program.board.step(400)
    figure = round(_off_after_us(program, sent_us) / 1000, 2)
    name = "Ctrl-C Ctrl-C Ctrl-A Ctrl-D with Ctrl-C left on: off after"
    bench.line(name, figure, "100 ms", figure <= 100, "ms", f"{FEED_BOUND_MS:.2f} ms")
    ons = sum(on for _, on in program.relay_edges())
    bench.line("and on again", ons - 1, "0 times", ons == 1, "times")


def application(bench: Bench) -> None:
    """The application through one spin, with a host that does not read, while ticks_ms() wraps."""
    probe = SpinProbe(range(1, 64), start_ticks=(1 << 30) - 2500)
    ready = "power-on to ready, without flash and ROM times: at least"
    bench.line(ready, probe.ready_ms, "1500 ms", probe.ready_ms <= 1500, "ms")
    bench.line("heap free when ready", probe.free, "102400 bytes", probe.free >= 102400, "bytes")
    bench.line("heap taken over a whole spin, the ticks wrap in it", probe.taken, "0 bytes", probe.taken == 0, "bytes")
    gap = f"longest tick of the spin, USB not drained, {probe.done} numbers of bytes free from 1 on"
    bench.line(gap, probe.gap_ms, "80 ms", probe.gap_ms < 80, "ms")
    size = mpy_bytes(build_files(load_board("pico")))
    bench.line(".mpy files", size, f"{MPY_LIMIT_BYTES} bytes", size <= MPY_LIMIT_BYTES, "bytes")


PARTS: dict[str, Callable[[Bench], None]] = {
    "cover": cover,
    "feeding": feeding,
    "spikes": spikes,
    "pulse_drive": pulse_drive,
    "pulses": pulses,
    "soft_reset": soft_reset,
    "console": console,
    "application": application,
}


def main(names: list[str]) -> int:
    """Measure the named PARTS, all without a name -> exit code."""
    bench = Bench(Console())
    try:
        for name in names or PARTS:
            PARTS[name](bench)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    bench.show()
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
