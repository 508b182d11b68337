"""Finds the serial port of a board: by USB id, by serial number, by name; never by guessing among several."""

from collections.abc import Sequence
from typing import NamedTuple

from serial.tools import list_ports

from host_tools.errors import UserError

# Under which MicroPython runs on an RP2040: ports/rp2/boards/*/mpconfigboard.h of the boards in boards/. The first is
# Raspberry Pi's default, which all boards without an id of their own share.
USB_IDS = {(0x2E8A, 0x0005), (0x2E8A, 0x101F), (0x2341, 0x025E)}


class PortInfo(NamedTuple):
    """One serial port: `device` opens it; `serial_number` is that of its USB device, None where there is none."""

    device: str
    description: str
    serial_number: str | None
    usb_id: tuple[int | None, int | None]


def list_all() -> list[PortInfo]:
    """Every serial port of this machine, in the order of their names."""
    return [
        PortInfo(port.device, port.description or "", port.serial_number, (port.vid, port.pid))
        for port in sorted(list_ports.comports())
    ]


def find(target: str, ports: Sequence[PortInfo], option: str = "--target") -> PortInfo:
    """The port that `target`, given as `option`, means: `auto`, the name of a device, or the serial number of a USB
    device.

    `auto` takes the one port with a known USB id. A name that is not listed is taken as it is: pseudo terminals and
    links under /dev/serial/by-id are never listed. Raises UserError when `auto` or a serial number fits
    none or several.
    """
    if target == "auto":
        return _only([port for port in ports if port.usb_id in USB_IDS], "that looks like a board", ports, option)
    listed = [port for port in ports if port.device == target]
    if listed:
        return listed[0]
    numbered = [port for port in ports if port.serial_number == target]
    if numbered:
        return _only(numbered, f"with the serial number {target}", ports, option)
    return PortInfo(target, "", None, (None, None))


def find_again(before: PortInfo, ports: Sequence[PortInfo]) -> PortInfo | None:
    """The port of the same USB device, which may have come back under another name; None while it is away.

    Without a serial number it is the port as it was, or else the only one of the same make; which board is behind it,
    its proof tells.
    """
    if before.serial_number is None:
        alike = [port for port in ports if port.usb_id == before.usb_id and port.serial_number is None]
        if before.usb_id == (None, None) or before.device in [port.device for port in alike]:
            return before
        return alike[0] if len(alike) == 1 else None
    same = [port for port in ports if port.serial_number == before.serial_number]
    # Adapters of one make may share a number.
    named = [port for port in same if len(same) == 1 or port.device == before.device]
    return named[0] if named else None


def _only(fitting: Sequence[PortInfo], what: str, ports: Sequence[PortInfo], option: str) -> PortInfo:
    if len(fitting) == 1:
        return fitting[0]
    how_to_choose = f"choose one with {option} DEVICE or {option} SERIAL-NUMBER"
    if fitting:
        raise UserError(f"There are {len(fitting)} ports {what}; {how_to_choose}:\n{_listing(fitting)}")
    if ports:
        raise UserError(f"There is no port {what}; plug it in, or {how_to_choose}:\n{_listing(ports)}")
    raise UserError(f"There is no port {what}, and no other serial port either: plug the board in with a data cable.")


def _listing(ports: Sequence[PortInfo]) -> str:
    return "\n".join(
        f"  {port.device}  {port.description or '(no description)'}  serial number {port.serial_number or '(none)'}"
        for port in ports
    )
