"""One open serial port. Every way in which it can die becomes LinkLost; what a person can mend is a UserError."""

import contextlib
import errno
import os
import sys

import serial

from host_tools.errors import UserError

READ_TIMEOUT_S = 0.05
READ_MOST = 1 << 16
WRITE_TIMEOUT_S = 1.0
BAUD = 115200  # USB serial and pseudo terminals take any; a UART bridge wants one

if sys.platform == "win32":
    DEATHS: tuple[type[Exception], ...] = (OSError, TypeError, ValueError)
else:
    import termios

    # SerialException is an OSError; reset and flush raise termios.error; a port that is closed meanwhile has no
    # descriptor, which is a TypeError or ValueError in pyserial 3.5.
    DEATHS = (OSError, TypeError, ValueError, termios.error)


class LinkLost(Exception):
    """The port is gone or no longer takes bytes: the cable, the board or the process at its other end went away."""


class _Serial(serial.Serial):
    """While it opens, pyserial throws away what has arrived; whoever captures wants it."""

    def _reset_input_buffer(self) -> None:
        pass


class Port:
    """An open serial port: raw bytes, exclusive, with DTR set, for a board may keep silent until somebody listens."""

    def __init__(self, device: str) -> None:
        """Open `device`. Raises UserError saying what to do when it is missing, busy or not permitted."""
        self.device = device
        try:
            # pyserial sets DTR and RTS while opening and lets pseudo terminals, which have neither, refuse that.
            self._serial = _Serial(
                device, BAUD, timeout=READ_TIMEOUT_S, write_timeout=WRITE_TIMEOUT_S, exclusive=_exclusive()
            )
        except DEATHS as error:
            raise UserError(_why_not(device, error)) from None

    def read(self) -> bytes:
        """What has arrived; waits at most READ_TIMEOUT_S for the first byte. Raises LinkLost."""
        try:
            data = self._serial.read(1)
        except DEATHS as error:
            raise LinkLost(f"{self.device}: {error}") from None
        if data:
            # Should it die now, the next call tells: what is in hand has arrived.
            with contextlib.suppress(*DEATHS):
                data += self._rest()
        return data

    def _rest(self) -> bytes:
        if sys.platform == "win32":
            return self._serial.read(self._serial.in_waiting)
        # pyserial would read again for what is missing, and forget the first part when the port dies in between.
        return os.read(self._serial.fileno(), READ_MOST)

    def waiting(self) -> bool:
        """Whether more has arrived than read() gave. Raises LinkLost."""
        try:
            return self._serial.in_waiting > 0
        except DEATHS as error:
            raise LinkLost(f"{self.device}: {error}") from None

    def write(self, data: bytes) -> None:
        """Send all of `data`. Raises LinkLost, also when nobody takes the bytes for WRITE_TIMEOUT_S."""
        try:
            self._serial.write(data)
        except DEATHS as error:
            raise LinkLost(f"{self.device}: {error}") from None

    def close(self) -> None:
        """Close it; a port that is dead already closes too."""
        try:
            self._serial.close()
        except DEATHS:
            # The descriptor is gone with the device: there is nothing left to give back.
            return


def _exclusive() -> bool | None:
    """Windows always opens exclusively, and pyserial refuses to be told so."""
    return None if sys.platform == "win32" else True


def _why_not(device: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.ENOENT:
        return f"There is no port {device}: plug the board in, and see with `tumbler doctor` which ports there are."
    if code in (errno.EACCES, errno.EPERM):
        mend = (
            "add yourself to its group with `sudo usermod -aG dialout $USER` (`uucp` on some systems) and log in anew"
            if sys.platform == "linux"
            else "close the program that holds it, or ask who may use it"
        )
        return f"You may not open port {device}: {mend}."
    if code in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EBUSY):
        return f"Port {device} is busy: close the other program that has it open (a terminal, an editor, another run)."
    return f"Port {device} cannot be opened as a serial port ({error}): check the name and the cable."
