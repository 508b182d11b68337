"""A rig at a pseudo terminal: the rig's own protocol and machinery in a thread, over hands and eyes of plain data."""

import os
import pty
import select
import threading
import time
import tty
from typing import Any

from rig.core.desk import Desk, Lines
from rig.core.drum import Drum
from rig.core.machine import Machine

from host_tools.boards import load_board
from host_tools.rig.wiring import load_rig, table_id

TABLE = table_id(load_rig("pico"), load_board("pico"))
LINES = {"1", "spin", "entry", "supervisor", "cover", "cover2", "estop", "relay_feedback", "run", "power"}


class PtyRig:
    """path: its port. low: lines that are pulled; history: all that was done to them. words: what the next read gives.
    relay: the terminal's relay is on. reads: how often it was read. mute: it answers nothing any more."""

    def __init__(self, about: dict[str, Any]):
        self.lines = LINES
        self.low: set[str] = set()
        self.history: list[tuple[str, bool]] = []
        self.words: list[str] = []
        self.relay = self.mute = False
        self.reads = 0
        self.read_often = threading.Event()
        self._began_s = time.monotonic()
        self.machine = Machine(Drum(1, 1, 50, 20, lambda n: 0), self, self, lambda now, before: now - before)
        self._desk = Desk(self.machine, self, self, self, about, self.let_go)
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        lines = Lines()
        while not self._stopped.is_set():
            if select.select([self.master], [], [], 0.005)[0]:
                for byte in os.read(self.master, 4096):
                    line = lines.feed(byte)
                    if line is not None and not self.mute:
                        os.write(self.master, self._desk.answer(line))
            self.machine.tick(int((time.monotonic() - self._began_s) * 1000), self.relay)

    def unplug(self) -> None:
        """A second call does nothing."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._thread.join()
            os.close(self.master)
            os.close(self._slave)

    def let_go(self) -> None:
        self.machine.stop()
        self.low.clear()

    # hands
    def pull(self, line: str, low: bool) -> None:
        self.history.append((line, low))
        (self.low.add if low else self.low.discard)(line)

    def is_low(self, line: str) -> bool:
        return line in self.low

    # player
    def start(self) -> None: ...

    def stop(self) -> None: ...

    def has_room(self) -> bool:
        return True

    idle = has_room

    def play(self, pieces: object) -> None: ...

    def pulses(self, count: int, period_us: int, low_us: int) -> None:
        self.history.append((f"{count} pulses", True))

    # watch
    def read(self) -> dict[str, Any]:
        self.reads += 1
        if self.reads >= 5:
            self.read_often.set()
        words = self.words.pop(0) if self.words else ""
        t_us = int((time.monotonic() - self._began_s) * 1e6)
        return {"t_us": t_us, "words": words, "more": bool(self.words), "lost": 0}
