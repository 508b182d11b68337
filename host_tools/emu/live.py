"""An emulated board that goes on by itself, in a thread, never faster than real time; its line is a pty.

A busy RP2040 takes the emulator 20 to 50 times as long as itself: whoever times the board does it by clock().
"""

import threading
import time
from typing import Any

from host_tools.emu.board import EmuBoard
from host_tools.emu.usb import PtyLine
from host_tools.errors import UserError

SLICE_MS = 1  # what is run at once, while nobody else may touch the board
CATCH_UP_S = 0.25  # a board that is further behind real time does not make good for it


class LiveBoard:
    """Runs `board` from now on until stop(). serial_path: what to open as its serial port."""

    def __init__(self, board: EmuBoard):
        self._board = board
        self._line = PtyLine(board.device, board.usb)
        self.serial_path = self._line.path
        self._now_s = 0.0
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._lock = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="emu", daemon=True)
        self._thread.start()

    def clock(self) -> float:
        """Emulated time in s."""
        return self._now_s

    def call(self, do: str, args: dict[str, Any]) -> Any:
        """One rig command by name (host_tools/rig/rig.py); a step waits for the time to pass. Raises UserError."""
        with self._lock:
            if do == "step":
                end_s = self._now_s + args["ms"] / 1000
                self._lock.wait_for(lambda: self._now_s >= end_s or self._failure or self._stopped.is_set())
                do, args = "read", {}
            self._check()
            return self._board.call(do, args)

    def stop(self) -> None:
        """End the thread and give the serial line back. A second call does nothing."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._thread.join()
            self._line.close()

    def _check(self) -> None:
        if self._failure is not None:
            raise UserError(f"The emulated board ended: {self._failure!r}.") from self._failure
        if self._stopped.is_set():
            raise UserError("The emulated board was stopped: make a new one.")

    def _run(self) -> None:
        began_s = time.monotonic()
        try:
            while not self._stopped.is_set():
                with self._lock:
                    self._board.step(SLICE_MS)
                    self._now_s = self._board.clock.nanos / 1e9
                    self._lock.notify_all()
                ahead_s = self._now_s - (time.monotonic() - began_s)
                if ahead_s < -CATCH_UP_S:
                    began_s -= ahead_s
                # A pause in any case: who waits for the lock gets it.
                time.sleep(max(ahead_s, 0.0))
        except Exception as failure:  # of the emulator; call() tells it
            self._failure = failure
        finally:
            with self._lock:
                self._lock.notify_all()
