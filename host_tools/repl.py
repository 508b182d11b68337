"""The REPL of a board in maintenance, by mpremote's transport: the one room that knows it."""

import contextlib
import io
import os
from pathlib import Path
from types import TracebackType

from host_tools.errors import UserError

HOW = "fit the maintenance jumper, plug the board in anew and try again; a board without firmware needs an image first"
ENTER_LIMIT_S = 10
READ_S = 0.2  # a read that gets nothing comes back, so that the limits are looked at
ANSWER_LIMIT_S = 60  # until guards of a full size are made


class Repl:
    """A board's raw REPL at a serial port, for use in a with statement. Raises UserError if it cannot be entered."""

    def __init__(self, port: str) -> None:
        from mpremote.transport import TransportError
        from mpremote.transport_serial import SerialTransport

        if os.name == "posix" and not Path(port).exists():
            raise UserError(f"There is no port {port}: see `ls /dev/serial/by-id` for the board's.")
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints what it did not understand
                self._transport = SerialTransport(port, timeout=READ_S)
                self._transport.enter_raw_repl(soft_reset=False, timeout_overall=ENTER_LIMIT_S)
        except (TransportError, OSError) as error:
            raise UserError(f"The board at {port} lets nobody in ({error}): {HOW}.") from None

    def __enter__(self) -> "Repl":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()

    def run(self, code: str) -> str:
        """Run code on the board -> what it printed. Raises UserError with the last line of a traceback; never with
        the code, which may hold a key."""
        from mpremote.transport import TransportError

        try:
            said, failed = self._transport.exec_raw(code, timeout=ANSWER_LIMIT_S)
        except (TransportError, OSError) as error:
            raise UserError(f"The connection to the board broke ({type(error).__name__}): {HOW}.") from None
        if failed:
            why = failed.decode("utf-8", "replace").strip().splitlines()[-1]
            raise UserError(f"The board could not do that ({why}): {HOW}.")
        return said.decode("utf-8", "replace").strip()
