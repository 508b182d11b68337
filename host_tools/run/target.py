"""What a run speaks with: a serial port, whose device may go away and come back under another name."""

import os
from pathlib import Path
from typing import NamedTuple, Protocol

from host_tools.errors import UserError
from host_tools.link import ports
from host_tools.link.port import Port
from host_tools.run.clock import RunClock


class Target(Protocol):
    """Something that has a board behind a serial port."""

    def open(self) -> Port:
        """Open the port. Raises UserError."""
        ...

    def about(self) -> list[str]:
        """What a person should know of it, line by line, once it is open."""
        ...

    def rig(self) -> Path | None:
        """The socket of the hands at a board that somebody plays here, once it is open; None where there are none."""
        ...

    def open_again(self) -> Port | None:
        """Open the port after it was lost; None while it is away. Raises UserError when it cannot come back."""
        ...

    def check(self) -> None:
        """Raises UserError when what plays behind the port cannot go on."""
        ...

    def clock(self) -> RunClock:
        """The clock of a run on this board: as its own time passes."""
        ...

    def close(self) -> None:
        """Give back what open() took besides the port."""
        ...


class _Pty(NamedTuple):
    """One pseudo terminal. made: when, for a later one may get its number; link: which one names it, if one does."""

    made: int
    link: tuple[int, int] | None


def _pty(device: str) -> _Pty | None:
    """None for what is no pseudo terminal, or not there."""
    path = os.path.realpath(device)
    if not path.startswith(("/dev/pts/", "/dev/ttys")):  # of Linux, of macOS
        return None
    try:
        link = os.lstat(device) if os.path.islink(device) else None
        return _Pty(os.stat(path).st_ctime_ns, None if link is None else (link.st_ino, link.st_mtime_ns))
    except OSError:
        return None


class DeviceTarget:
    """A serial device of this machine: `auto`, its name, or the serial number of its USB device."""

    def __init__(self, target: str, option: str = "--target") -> None:
        """target: as it was given with `option`. Raises UserError when `auto` or the serial number fits none or
        several."""
        self.port = ports.find(target, ports.list_all(), option)
        self._pty: _Pty | None = None

    def open(self) -> Port:
        port = Port(self.port.device)
        self._pty = _pty(self.port.device)
        return port

    def about(self) -> list[str]:
        serial_number = self.port.serial_number
        return [f"USB serial number {serial_number}, {self.port.description}"] if serial_number else []

    def rig(self) -> Path | None:
        return None

    def open_again(self) -> Port | None:
        again = ports.find_again(self.port, ports.list_all())
        if again is None:
            return None
        self.port = again
        before, found = self._pty, _pty(again.device)
        if before is not None and found is not None and before.made != found.made and before.link == found.link:
            raise UserError(
                f"Port {again.device} is another pseudo terminal now, which may be somebody else's: start again with "
                "the port that the board has now."
            )
        try:
            return self.open()
        except UserError:
            return None  # not back yet, or back and not yet permitted: the next try tells

    def check(self) -> None:
        """Nothing: behind a device there are people."""

    def clock(self) -> RunClock:
        return RunClock()

    def close(self) -> None:
        """Nothing: a device is nobody's to stop."""
