"""The raw REPL of a board in maintenance, or of one with stock MicroPython, by mpremote's transport: the one room that
knows it."""

import contextlib
import io
import struct
import time
from collections.abc import Callable, Iterator
from types import TracebackType

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport
from serial import Serial

from host_tools.errors import UserError
from host_tools.link.port import DEATHS, Port

HOW = "fit the maintenance jumper, plug the board in anew and try again; a board without MicroPython needs that first"
ENTER_LIMIT_S = 12
TRY_S = 3  # what a board that was not up yet did not hear is sent again
QUIET_S = 0.3  # a board that was late answers every try
BROKEN = (TransportError, struct.error, *DEATHS)  # mpremote unpacks what it has read, whole or not
READ_S = 1.0  # a read that gets nothing comes back, so that the limits are looked at
ANSWER_LIMIT_S = 60  # until guards of a full size are made
RESET = "import machine\nmachine.reset()"


class NoRepl(UserError):
    """The board lets nobody in."""


class Lost(UserError):
    """The connection broke, or what comes is no answer any more: the board was reset, or the cable pulled."""


class Refused(UserError):
    """What was run there ended with an exception; `why` is its last line, such as `OSError: 28`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The board could not do that ({why}): {HOW}.")
        self.why = why


class _Transport(SerialTransport):
    """mpremote's, but its limits hold also while a board never stops talking."""

    serial: Serial

    def read_until(
        self,
        min_num_bytes: int,
        ending: bytes,
        timeout: float | None = 10,
        data_consumer: Callable[[bytes], object] | None = None,
        timeout_overall: float | None = None,
    ) -> bytes:
        data = b""
        began_s = heard_s = time.monotonic()
        while not data.endswith(ending):
            byte = self.serial.read(1)
            now_s = time.monotonic()
            if byte:
                data, heard_s = data + byte, now_s
            elif timeout is not None and now_s - heard_s >= timeout:
                break
            if timeout_overall is not None and now_s - began_s >= timeout_overall:
                break
        return data

    def drain(self) -> None:
        """Throw away what comes until nothing has come for QUIET_S; for ENTER_LIMIT_S at most."""
        until_s = time.monotonic() + ENTER_LIMIT_S
        before, self.serial.timeout = self.serial.timeout, QUIET_S
        while self.serial.read(256) and time.monotonic() < until_s:
            pass
        self.serial.timeout = before


class Repl:
    """A board's raw REPL at a serial port, for use in a with statement.

    soft_reset: MicroPython starts anew before, with boot.py and without main.py, so that nothing of an application is
    left in its memory. Raises UserError if the port cannot be opened, NoRepl if nobody is let in, Lost if it dies.
    """

    def __init__(self, port: str, soft_reset: bool = False) -> None:
        Port(port).close()  # it says why a port cannot be opened; mpremote does not
        try:
            self._transport = _Transport(port, timeout=READ_S)
            self._transport.serial.write_timeout = ANSWER_LIMIT_S
        except BROKEN as error:
            raise UserError(f"Port {port} cannot be opened ({error}): try again.") from None
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints what it did not understand
                self._enter(soft_reset)
        except TransportError as error:
            self.close()
            raise NoRepl(f"The board at {port} lets nobody in ({error}): {HOW}.") from None
        except BROKEN as error:
            self.close()
            raise Lost(f"The board at {port} went away when it was to let somebody in ({error}): {HOW}.") from None
        except BaseException:
            self.close()
            raise

    def _enter(self, soft_reset: bool) -> None:
        until_s = time.monotonic() + ENTER_LIMIT_S
        tries = 0
        while True:
            tries += 1
            limit_s = min(TRY_S, ENTER_LIMIT_S)
            try:
                self._transport.enter_raw_repl(soft_reset=False, timeout_overall=limit_s)
                break
            except TransportError:
                if time.monotonic() >= until_s:
                    raise
        if tries > 1:
            self._transport.drain()
            self._transport.enter_raw_repl(soft_reset=False, timeout_overall=limit_s)
        if soft_reset:
            self._transport.enter_raw_repl(soft_reset=True, timeout_overall=ENTER_LIMIT_S)

    def restart(self) -> None:
        """A soft reset: boot.py runs again, main.py does not. Raises Lost."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self._transport.enter_raw_repl(soft_reset=True, timeout_overall=ENTER_LIMIT_S)
        except BROKEN as error:
            raise Lost(f"The board did not start anew ({type(error).__name__}): {HOW}.") from None

    def __enter__(self) -> "Repl":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the port back; one that is dead already, too."""
        with contextlib.suppress(*BROKEN):
            self._transport.close()

    def run(self, code: str) -> str:
        """Run code on the board -> what it printed. Raises Refused, Lost; never with the code, which may hold a key."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                said, failed = self._transport.exec_raw(code, timeout=ANSWER_LIMIT_S)
        except BROKEN as error:
            raise Lost(f"The connection to the board broke ({type(error).__name__}): {HOW}.") from None
        if failed:
            lines = failed.decode("utf-8", "replace").strip().splitlines()
            raise Refused(lines[-1] if lines else "without a word")
        return said.decode("utf-8", "replace").strip()

    @contextlib.contextmanager
    def or_running_again(self) -> Iterator[None]:
        """Whoever raises UserError inside leaves the board as it was: it starts anew, with the program that it has. One
        that is Lost is left alone, for it may come back."""
        try:
            yield
        except Lost:
            raise
        except UserError:
            self.leave(RESET)
            raise

    def leave(self, code: str) -> None:
        """Run code that does not come back, as a reset, and close."""
        with contextlib.suppress(*BROKEN), contextlib.redirect_stdout(io.StringIO()):
            self._transport.exec_raw_no_follow(code)
        self.close()
