"""What is plugged in: serial ports and boards in BOOTSEL mode, who may and who does use them, and what they say.

A board is only listened to. One that says nothing for LISTEN_S does not play, for whoever plays says its status each
second; it is sent a Ctrl-B, which interrupts no program and at MicroPython's prompt brings its banner, and then a line
end, which a rig refuses.
"""

import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tumbler.core import ledger
from tumbler.core.framer import Framer

from host_tools.doctor.findings import Finding
from host_tools.doctor.holders import holders
from host_tools.errors import UserError
from host_tools.image import OLDEST, PORTS
from host_tools.link.port import LinkLost, Port
from host_tools.link.ports import USB_IDS, PortInfo

LISTEN_S = 2.5
HELLO_S = 2.5  # a board that nobody answered says hello every 2 s
PROMPT_S = 1.0
CTRL_B = b"\x02"
TOLD = ("dev", "boot", "fw", "mpy", "board", "mode", "state")  # fields of hello and status that are shown
BANNER = re.compile(rb"MicroPython v([0-9]+)\.([0-9]+)(\S*) on [^;\r\n]*; ([^\r\n]*)")
RIG = re.compile(rb'"ok": ?false')  # firmware/rig/core/desk.py, to what is no request
BOOTSEL = ("2e8a", "0003")  # RP2040 datasheet 2.8: the boot ROM's USB mass storage
SYS_USB = Path("/sys/bus/usb/devices")
UDEV_FILE = "/etc/udev/rules.d/60-tumbler.rules"
UDEV_RULES = "\n".join(
    f'SUBSYSTEM=="tty", ATTRS{{idVendor}}=="{vendor:04x}", ATTRS{{idProduct}}=="{product:04x}", '
    'TAG+="uaccess", ENV{ID_MM_DEVICE_IGNORE}="1"'
    for vendor, product in sorted(USB_IDS)
)
DRAG = f"hold BOOTSEL while you plug it in and drag the .uf2 of MicroPython {OLDEST[0]}.{OLDEST[1]} or newer onto it"


def look_at(info: PortInfo, asked: bool) -> Finding:
    """A port; listened to if it looks like a board, or if a person asked for it."""
    is_board = info.usb_id in USB_IDS
    usb = "no USB" if None in info.usb_id else "USB {:04x}:{:04x}".format(*info.usb_id)
    says = f"{usb}, serial number {info.serial_number or 'none'}, {info.description or 'no description'}"
    if not is_board and not asked:
        return Finding(info.device, says)
    used_by = holders(info.device)
    if used_by:
        return Finding(info.device, f"{says}; in use by {', '.join(used_by)}, so it was not listened to")
    try:
        port = Port(info.device)
    except UserError as error:
        return Finding(info.device, says, f"{error}{_udev(info.device)}")
    try:
        said, wrong = _hear(port)
    except LinkLost as error:
        said, wrong = "", f"It went away while it was listened to ({error}): check the cable."
    finally:
        port.close()
    return Finding(info.device, f"{says}; {said}" if said else says, wrong)


def _udev(device: str) -> str:
    """For a port that exists and may not be opened, the rule that mends it for whoever sits at the computer."""
    if sys.platform != "linux" or not os.path.exists(device) or os.access(device, os.R_OK | os.W_OK):
        return ""
    return f" Or put this into {UDEV_FILE} and plug the board in anew:\n{UDEV_RULES}"


def _hear(port: Port) -> tuple[str, str]:
    """What a board says of itself, and what is wrong with it. Raises LinkLost."""
    framer = Framer()
    told: dict[str, object] = {}
    until_s = time.monotonic() + LISTEN_S
    while "fw" not in told and time.monotonic() < until_s:
        for is_line, chunk in framer.feed(port.read()):
            fields = _decoded(chunk) if is_line else None
            if fields is not None:
                if not told:
                    until_s += HELLO_S
                told |= {name: fields[name] for name in TOLD if name in fields}
    if not told:
        return _ask_prompt(port)
    said = ", ".join(f"{name} {value}" for name, value in told.items())
    later = "" if "fw" in told else "; its firmware it says at its next start, or to `tumbler run`"
    return f"plays: {said}{later}", ""


def _decoded(chunk: bytes) -> dict[str, object] | None:
    try:
        return ledger.decode_device(chunk)
    except ledger.LineError:
        return None


def _ask_prompt(port: Port) -> tuple[str, str]:
    banner = _answer(port, CTRL_B, BANNER)
    if banner is None:
        if _answer(port, b"\n", RIG):
            return "a rig: `tumbler rig check` asks it more", ""
        return "silent", (
            "It neither plays nor answers at MicroPython's prompt: plug it in anew; if that does not help, fit the "
            f"maintenance jumper, and if it has no MicroPython {DRAG}."
        )
    version, machine = (int(banner[1]), int(banner[2])), banner[4].decode("ascii", "replace").strip()
    text = f"at the prompt: MicroPython {version[0]}.{version[1]}{banner[3].decode('ascii', 'replace')}, {machine}"
    if version < OLDEST:
        return text, f"MicroPython {version[0]}.{version[1]} is too old for the firmware: {DRAG}."
    title = machine.partition(" with ")[0]
    if all(title != known.title for known in PORTS.values()):
        return text, f"No board file is for MicroPython of {machine}: use one of {', '.join(PORTS)}."
    return f"{text}; in maintenance or new: `tumbler flash` can enter", ""


def _answer(port: Port, ask: bytes, wanted: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """What is wanted of what comes within PROMPT_S. Raises LinkLost."""
    port.write(ask)
    said, until_s = b"", time.monotonic() + PROMPT_S
    while (found := wanted.search(said)) is None and time.monotonic() < until_s:
        said += port.read()
    return found


def bootsel(devices: Path = SYS_USB) -> list[Finding]:
    """Boards that wait for a UF2; known on Linux only."""
    found = []
    for device in sorted(devices.glob("*")) if devices.is_dir() else []:
        if (_text(device / "idVendor"), _text(device / "idProduct")) == BOOTSEL:
            says = "an RP2040 in BOOTSEL mode: drag a .uf2 onto its drive RPI-RP2, then `tumbler flash`"
            found.append(Finding(f"USB {device.name}", says))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def nothing(ports: Sequence[Finding]) -> list[Finding]:
    """A word where no port is listed at all."""
    if ports:
        return []
    return [Finding("ports", "none: a board that is plugged in needs a cable that carries data, and MicroPython on it")]
