"""A stand-in for a board at its serial port, on a pty: MicroPython's REPLs with raw paste, and whatever goes wrong.

It is no board and says so in its banner. The protocol is that of MicroPython's shared/runtime/pyexec.c; code that it is
given runs on MicroPython's unix port (tests/host/flash/board/), its files in a real littlefs on a flash that is a file.
Once main.py is on that flash it plays: its lines are those of a board, the hash that it tells is what the board's own
code makes of its files.
"""

import contextlib
import json
import os
import pty
import struct
import subprocess
import threading
import time
import tty
from pathlib import Path

from tumbler.core import ledger
from tumbler.core.terminal import LEAVE_MS

from host_tools.boards import load_board
from host_tools.image import BLOCK_BYTES, PORTS, filesystem
from host_tools.sim.board import SHIMS, find_micropython
from tests.host.link.fake_board import FakeBoard

BOARD = Path(__file__).parent / "board"
CHIP = "e6614c31d3b8a52f"
RESET = 77
AWAY_S = 0.4  # so long a board that was reset is off the bus
WINDOW = 128  # of raw paste
PICO = ("rp2", "rp2", "1.25.0", "v1.25.0", "Raspberry Pi Pico with RP2040")
BANNER = b"\r\nMicroPython v1.25.0 on 2025-04-15; Raspberry Pi Pico with RP2040 (a stand-in)\r\n>>> "
RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n>"
WHO = """
import os
from tumbler.hw import firmware_hash, provision
place = provision.here()
with open("/dev.txt") if "dev.txt" in os.listdir("/") else open("/main.py") as f:
    print(firmware_hash.firmware_hash(), place.dev() or f.read(21).strip())
"""


def new_flash(path: Path, files: dict[str, bytes] | None = None, micropython: str = "RPI_PICO") -> Path:
    """A file that is the flash of a board with these files and nothing else; None: never written."""
    blocks = PORTS[micropython].size // BLOCK_BYTES
    flash = bytearray(b"\xff" * (blocks * BLOCK_BYTES))
    for number, data in (filesystem(files, blocks, ()) if files is not None else {}).items():
        flash[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES] = data
    path.write_bytes(flash)
    return path


class Playing(FakeBoard):
    """The application, as far as the line tells: hello, status, and the order into maintenance."""

    board_name = "pico"

    def __init__(self, dev: str, fw: str, key: bytes, supervisor: bool) -> None:
        super().__init__(dev, key)
        self.fw, self.supervisor = fw, supervisor

    def hello(self) -> bytes:
        room = (self.next_seq, len(self.unacked()), 20)
        return self._say("hello", self.fw, "1.25.0", self.board_name, "production", self.nonce, *room)


class StandIn:
    """path: what to open as its serial port. A thread answers from start() on; stop() takes the board away.

    uname: what os.uname() says. late_s: so long what it hears is lost. greeting: sent as soon as somebody speaks.
    mute: it never answers; talk: sent again and again meanwhile. paste: raw paste mode is there. cut_at, bite_at: after
    so many pieces of code the power goes (the port with it), a watchdog resets the board, `bites` times. jumper: it is
    fitted until so many resets. key, supervisor: of the board that plays. runs: the pieces of code that ran. usb: a
    name for its port, which goes away with the reset into maintenance and comes back, as a USB device does.
    """

    def __init__(
        self,
        flash: Path,
        uname: tuple[str, ...] = PICO,
        late_s: float = 0,
        greeting: bytes = b"",
        mute: bool = False,
        talk: bytes = b"",
        paste: bool = True,
        cut_at: int | None = None,
        bite_at: int | None = None,
        bites: int = 1,
        jumper: bool = False,
        jumper_out_at_reset: int = 99,
        key: bytes = bytes(32),
        supervisor: bool = True,
        usb: Path | None = None,
    ) -> None:
        self.flash, self.uname, self.late_s, self.greeting = flash, uname, late_s, greeting
        self.mute, self.talk, self.paste = mute, talk, paste
        self.cut_at, self.bite_at, self.bites = cut_at, bite_at, bites
        self.jumper, self.jumper_out_at_reset = jumper, jumper_out_at_reset
        self.key, self.supervisor = key, supervisor
        self.runs: list[str] = []
        self.resets = 0
        self._ordered = False
        self._playing: Playing | None = None
        self._raw = False
        self._child: subprocess.Popen[bytes] | None = None
        self._since_reset = 0
        self._usb = usb
        self._plug()
        self._start()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live, name="stand-in", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """The cable is pulled and the power gone. A second call does nothing."""
        self._over.set()
        self._thread.join()

    # ------------------------------------------------------------ a start, and what is heard

    def _plug(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        if self._usb is not None:
            self._usb.symlink_to(self.path)
            self.path = str(self._usb)

    def _unplug(self) -> None:
        os.close(self._slave)
        os.close(self._master)
        if self._usb is not None:
            self._usb.unlink()

    def _live(self) -> None:
        try:
            since_s, heard, said_s = None, False, 0.0
            while not self._over.is_set():
                if self.talk and heard:
                    self._say(self.talk)
                if self._playing is not None and time.monotonic() - said_s > 0.3:
                    said_s = time.monotonic()
                    self._say(self._playing.status())
                try:
                    data = os.read(self._master, 4096)
                except BlockingIOError:
                    time.sleep(0.001)
                    continue
                since_s = since_s or time.monotonic()
                if not heard and self.greeting:
                    self._say(self.greeting)
                heard = True
                if self.mute or time.monotonic() - since_s < self.late_s:
                    continue
                self._hear(data)
        finally:
            self._end()
            self._unplug()

    def _start(self, main: bool = True) -> None:
        """As after each reset: MicroPython, boot.py, and main.py if it is there and nobody wants maintenance."""
        pins = load_board("pico").pins
        low = (1 << pins.maintenance if self.jumper else 0) | 1 << pins.supervisor
        given = {"low": low, "chip": CHIP, "uname": self.uname, "flash": str(self.flash)}
        self._child = subprocess.Popen(
            [find_micropython(), "-X", "heapsize=480K", str(BOARD / "run.py"), json.dumps(given)],
            env={"MICROPYPATH": f"{BOARD}:{SHIMS}:{Path(ledger.__file__).parents[2]}:.frozen"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._raw, self._line, self._playing, self._since_reset = False, b"", None, 0
        said, _ = self.execute("import os\nprint('main.py' in os.listdir('/'))")
        if said.strip() == b"True" and main and not self.jumper and not self._ordered:
            said, failed = self.execute(WHO)
            if failed:
                self._say(failed)
            else:
                fw, dev = said.decode().split()
                self._playing = Playing(dev, fw, self.key, self.supervisor)
                self._say(self._playing.hello())
        self._ordered = False

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()

    def _restart(self) -> None:
        self._end()
        self.resets += 1
        self.jumper = self.jumper and self.resets < self.jumper_out_at_reset
        self._start()

    def _say(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):  # nobody reads
            while data:
                data = data[os.write(self._master, data) :]

    def _hear(self, data: bytes) -> None:
        if self._playing is not None:
            self._hear_lines(self._playing, data)
            return
        for at in range(len(data)):
            self._hear_byte(data[at : at + 1])

    def _hear_lines(self, playing: Playing, data: bytes) -> None:
        *whole, self._line = (self._line + data).split(b"\n")
        lines = b"".join(line + b"\n" for line in whole if line.startswith(b"{"))
        before = len(playing.heard)
        self._say(playing.hear(lines))
        for order in playing.heard[before:]:
            if order["cmd"] == "maintenance":
                self._say(playing.answer(order, *((True, "done") if playing.supervisor else (False, "no_supervisor"))))
                if playing.supervisor:
                    self._ordered = True
                    if self._usb is not None:
                        time.sleep(LEAVE_MS / 1000)
                        self._unplug()
                        time.sleep(AWAY_S)
                        self._plug()
                    self._restart()
                    return

    def _hear_byte(self, byte: bytes) -> None:
        if byte == b"\x03":
            self._line = b""
            self._say(b"" if self._raw else b"\r\n>>> ")
        elif byte == b"\x02":
            self._raw, self._line = False, b""
            self._say(BANNER)
        elif byte == b"\x01" and self._raw and self._line == b"\x05A":
            self._line = b""
            self._paste()
        elif byte == b"\x01":
            self._say(RAW_BANNER if self._raw else b"\r\n" + RAW_BANNER)
            self._raw, self._line = True, b""
        elif byte != b"\x04":
            self._line += byte
        elif self._raw and self._line:
            code, self._line = self._line, b""
            self._say(b"OK")
            self._run(code)
        else:  # a soft reset; from the raw REPL main.py stays out
            self._say((b"OK" if self._raw else b"") + b"\r\nMPY: soft reboot\r\n")
            raw = self._raw
            self._end()
            self._start(main=not raw)
            self._raw = raw
            self._say(RAW_BANNER if raw else BANNER)

    # ------------------------------------------------------------ code

    def _paste(self) -> None:
        if not self.paste:
            self._say(b"R\x00")
            return
        self._say(b"R\x01" + struct.pack("<H", WINDOW) + b"\x01")
        code, left = b"", WINDOW
        while not self._over.is_set():
            try:
                byte = os.read(self._master, 1)
            except BlockingIOError:
                time.sleep(0.0002)
                continue
            if byte == b"\x04":
                self._say(b"\x04")
                self._run(code)
                return
            code += byte
            left -= 1
            if not left:
                self._say(b"\x01")
                left = WINDOW

    def _run(self, code: bytes) -> None:
        self.runs.append(code.decode())
        if self.cut_at == len(self.runs):
            self._over.set()
            return
        self._since_reset += 1
        if self.bite_at == self._since_reset and self.bites:
            self.bites -= 1
            self._restart()
            self._say(BANNER)
            return
        said, failed = self.execute(code.decode())
        if said is None:
            self._restart()
        else:
            self._say(said.replace(b"\n", b"\r\n") + b"\x04" + failed.replace(b"\n", b"\r\n") + b"\x04>")

    def execute(self, code: str) -> tuple[bytes | None, bytes]:
        """What it printed and what it raised; None, nothing: it reset the board."""
        child, data = self._child, code.encode()
        child.stdin.write(struct.pack("<I", len(data)) + data)
        child.stdin.flush()
        parts = [b"", b""]
        for number in range(2):
            while not parts[number].endswith(b"\x04"):
                byte = child.stdout.read(1)
                if not byte:
                    assert child.wait() == RESET, "the stand-in's MicroPython ended"
                    return None, b""
                parts[number] += byte
        return parts[0][:-1], parts[1][:-1]
