"""A rig over a Unix socket: hands at a board that another process keeps up, such as `tumbler sim`."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import socketserver
import threading
from pathlib import Path
from typing import Any

from host_tools.errors import UserError
from host_tools.rig.rig import Call, CallRig, check

ANSWER_S = 10.0
"""A command is answered within this time, and what it asks for in ms of the board."""
SLOWEST = 50
"""An emulated board takes so many times as long as a real one (docs/EMU.md)."""


class RigServer:
    """Serves a rig's commands on a Unix socket, mode 0600: one JSON object a line {"do", "args"}, one answer a line
    {"ok": true, "value"} or {"ok": false, "error": sentence}. stop() removes the socket. Raises UserError."""

    def __init__(self, call: Call, path: str | Path):
        self.path = Path(path)

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(ConnectionError):  # whoever waited has given up
                    for line in self.rfile:
                        self.wfile.write(json.dumps(_answer(call, line)).encode() + b"\n")

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True
            block_on_close = False

        old_mask = os.umask(0o177)
        try:
            self.path.unlink(missing_ok=True)  # left by one that was killed
            self._server = Server(str(self.path), Handler)
        except OSError as error:
            raise UserError(
                f"The rig's socket {self.path} cannot be made ({error.strerror or error}): "
                "use a state directory with a shorter path that you may write to."
            ) from None
        finally:
            os.umask(old_mask)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="rig", daemon=True)
        self._thread.start()

    def __enter__(self) -> RigServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close and remove the socket."""
        self._server.shutdown()
        self._server.server_close()
        self.path.unlink(missing_ok=True)


def _answer(call: Call, line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
        do, args = message["do"], message["args"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {"ok": False, "error": 'The rig takes one JSON object a line, with "do" and "args".'}
    try:
        check(do, args)
        return {"ok": True, "value": call(do, args)}
    except UserError as error:
        return {"ok": False, "error": str(error)}


def connect(path: str | Path) -> RemoteRig:
    """The rig behind the socket that `tumbler sim` printed. Raises UserError if nobody listens there."""
    return RemoteRig(path)


class RemoteRig(CallRig):
    """A Rig over a RigServer's socket. Close it, or use it as a context manager. What does not answer in time is done
    with: the answer that comes later would be taken for another's."""

    def __init__(self, path: str | Path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            why = error.strerror or error
            raise UserError(
                f"No rig answers at {path} ({why}): start tumbler sim and take the path that it prints."
            ) from None
        self._file = self._socket.makefile("rwb")
        super().__init__(self._over_socket)

    def __enter__(self) -> RemoteRig:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._socket.close()

    def break_off(self) -> None:
        """From another thread: whoever waits for an answer has none then."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _over_socket(self, do: str, args: dict[str, Any]) -> Any:
        self._socket.settimeout(ANSWER_S + SLOWEST / 1000 * (args.get("ms") or args.get("off_ms") or 0))
        try:
            self._file.write(json.dumps({"do": do, "args": args}).encode() + b"\n")
            self._file.flush()
            line = self._file.readline()
        except TimeoutError:
            self.break_off()
            raise UserError("The rig does not answer: its board hangs; stop it and start it again.") from None
        except OSError:
            line = b""
        if not line:
            raise UserError("The rig is gone: its board was stopped; start it again.")
        answer = json.loads(line)
        if not answer["ok"]:
            raise UserError(answer["error"])
        return answer["value"]
