"""What a run speaks with: a serial port, whose device may go away and come back under another name."""

from pathlib import Path
from typing import Protocol

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


class DeviceTarget:
    """A serial device of this machine: `auto`, its name, or the serial number of its USB device."""

    def __init__(self, target: str, option: str = "--target") -> None:
        """target: as it was given with `option`. Raises UserError when `auto` or the serial number fits none or
        several."""
        self.port = ports.find(target, ports.list_all(), option)

    def open(self) -> Port:
        return Port(self.port.device)

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
        try:
            return Port(self.port.device)
        except UserError:
            return None  # not back yet, or back and not yet permitted: the next try tells

    def check(self) -> None:
        """Nothing: behind a device there are people."""

    def clock(self) -> RunClock:
        return RunClock()

    def close(self) -> None:
        """Nothing: a device is nobody's to stop."""
