"""A rig's wires: boards/rigs/NAME.toml, checked, and joined with the terminal's board into a table and a module."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from host_tools.boards import BOARDS_DIR, Board
from host_tools.boards.rules import Gpios, Rule, Text, Whole, gpio_numbers, show
from host_tools.boards.schema import Pins
from host_tools.bounded import read_bounded
from host_tools.build import FIRMWARE
from host_tools.errors import UserError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

RIGS_DIR = BOARDS_DIR / "rigs"
LARGEST_FILE = 100_000  # bytes
WATCHED = ("buzzer", "lamp", "display_clk", "display_dio", "relay", "relay_feedback", "sensor", "cover")
EARS = ("buzzer", "lamp", "display_clk", "display_dio", "relay")  # wires that the rig only listens to
# Wires of the rig's own -> what they go to at the terminal.
EXTRA = {"run": "RUN pin of the terminal", "power": "enable input of the switch in the terminal's supply, low is off"}
NAMES = tuple(field.name for field in fields(Pins))
NEEDED = tuple(field.name for field in fields(Pins) if field.default is MISSING)
PULLED_UP = ("cover", "cover2", "estop")  # by 4.7 kΩ at the terminal
# RP2040 datasheet 5.5.3.4: low is at most 0.8 V. 4.7 kΩ against 1 kΩ leaves 0.58 V, against 470 Ω 0.3 V.
_VIA = {True: "470 Ω in series; open drain", False: "1 kΩ in series; open drain"}
_TOP: dict[str, Rule] = {
    "rig": Text("[a-z0-9_]{1,24}", "1 to 24 of the characters a-z, 0-9 and _"),
    "title": Text("[ -~]{1,80}", "1 to 80 printable ASCII characters"),
    "micropython": Text("[A-Z0-9_]{1,40}", "the board's name in MicroPython's rp2 port, such as RPI_PICO"),
    "gpios": Gpios(),
}


@dataclass(frozen=True)
class RigTable:
    """A good rig file: `pins` maps each wire's name to the rig's GPIO; `sha256` is the digest of the file in hex."""

    name: str
    title: str
    micropython: str
    pins: Mapping[str, int]
    file: str
    sha256: str


@dataclass(frozen=True)
class RigWire:
    """One wire: the rig's GPIO, the terminal's (None for one that is no GPIO there), what it is for, and via what."""

    rig_gpio: int
    terminal_gpio: int | None
    pin: str
    function: str
    via: str


def rig_names() -> list[str]:
    """Names of the rigs in boards/rigs/, sorted: what `load_rig` takes."""
    return sorted(path.stem for path in RIGS_DIR.glob("*.toml"))


def load_rig(name_or_path: str | Path) -> RigTable:
    """The rig of that name in boards/rigs/ or, for anything that ends in .toml, of that file. Raises UserError with one
    line for each problem."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        if str(name_or_path) not in rig_names():
            raise UserError(
                f"There is no rig {show(str(name_or_path))}: name one of {', '.join(rig_names())}, "
                "or give the path of a .toml file."
            )
        path = RIGS_DIR / f"{name_or_path}.toml"
    wanted = "a rig file that can be read"
    raw = read_bounded(path, "Rig file", wanted, LARGEST_FILE, f"any rig needs: give the path of {wanted}")
    try:
        data = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name} is not TOML: {error or 'nested too deeply'}; mend that place.") from None
    problems = _problems(data, path.stem)
    if problems:
        raise UserError("\n".join(f"{path.name}, {problem}" for problem in problems))
    digest = hashlib.sha256(raw).hexdigest()
    return RigTable(data["rig"], data["title"], data["micropython"], data["pins"], path.name, digest)


def _problems(data: Mapping[str, Any], stem: str) -> list[str]:
    """Every problem of the file, as "key: reason; how to mend it."."""
    problems = [f"{key}: this key is not known; remove it." for key in data if key not in _TOP and key != "pins"]
    for key, rule in _TOP.items():
        reason = rule.refuse(data[key]) if key in data else "is missing"
        if reason:
            problems.append(f"{key}: {reason}; give {rule.want}.")
    if data.get("rig", stem) != stem:
        problems.append(f'rig: {show(data["rig"])} is not the name of the file; write rig = "{stem}".')
    pins = data.get("pins")
    if not isinstance(pins, dict):
        return [*problems, "[pins]: the table is missing; add it with a GPIO for each wire."]
    gpios = data.get("gpios")
    known = gpio_numbers(gpios) if isinstance(gpios, list) and Gpios().refuse(gpios) is None else tuple(range(30))
    return problems + _pin_problems(pins, known)


def _pin_problems(pins: Mapping[str, Any], gpios: tuple[int, ...]) -> list[str]:
    problems: list[str] = []
    taken: dict[int, str] = {}
    for name, gpio in pins.items():
        place = f"[pins] {name}"
        if name not in NAMES and name not in EXTRA:
            problems.append(f"{place}: no such wire; name some of {', '.join((*NAMES, *EXTRA))}.")
            continue
        reason = Whole(0, 29, "the GPIO").refuse(gpio)
        if reason:
            problems.append(f"{place}: {reason}; give the number of a GPIO.")
        elif gpio not in gpios:
            problems.append(f"{place}: GPIO {gpio} is not among gpios; choose one of them.")
        elif gpio in taken:
            problems.append(f"{place}: GPIO {gpio} is taken by {taken[gpio]}; give each wire its own.")
        else:
            taken[gpio] = name
    problems += [f"[pins] {name}: is missing; give its GPIO." for name in NEEDED if name not in pins]
    if not problems:
        problems += _watched_problems(pins)
    return problems


def _watched_problems(pins: Mapping[str, int]) -> list[str]:
    """One state machine watches eight neighbours, whether all of them are wired or not."""
    first = pins["buzzer"]
    for place, name in enumerate(WATCHED):
        if pins.get(name, first + place) != first + place:
            return [f"[pins] {name}: must be {first + place}, as {', '.join(WATCHED)} are watched as neighbours."]
    others = [name for name, gpio in pins.items() if name not in WATCHED and first <= gpio < first + len(WATCHED)]
    return [f"[pins] {name}: lies among those that are watched; choose another GPIO." for name in others]


def rig_wires(rig: RigTable, board: Board) -> list[RigWire]:
    """Every wire between the rig and this board. Raises UserError for a board that the rig cannot serve."""
    _refuse(rig, board)
    wires = []
    for field in fields(Pins):
        gpio = getattr(board.pins, field.name)
        if gpio is None:
            continue
        via = "1 kΩ in series; listens" if field.name in EARS else _VIA[field.name in PULLED_UP]
        if field.name == "relay" and board.relay.drive == "pulse":
            via += ", behind the charge pump of docs/WIRING.md, where on is high"
        wires.append(RigWire(rig.pins[field.name], gpio, field.name, field.metadata["function"], via))
    wires += [RigWire(rig.pins[name], None, name, EXTRA[name], _VIA[False]) for name in EXTRA if name in rig.pins]
    return wires


def rig_markdown(rig: RigTable, board: Board) -> str:
    """`rig_wires` as a Markdown table, ending in a line feed."""
    lines = ["| rig GPIO | terminal GPIO | pin | function | via |", "| --- | --- | --- | --- | --- |"]
    for wire in rig_wires(rig, board):
        there = "-" if wire.terminal_gpio is None else wire.terminal_gpio
        lines.append(f"| {wire.rig_gpio} | {there} | {wire.pin} | {wire.function} | {wire.via} |")
    return "\n".join(lines) + "\n"


def _refuse(rig: RigTable, board: Board) -> None:
    lacks = [name for name in NAMES if getattr(board.pins, name) is not None and name not in rig.pins]
    if lacks:
        raise UserError(
            f"Rig {rig.name} has no wire for {', '.join(lacks)} of board {board.name}: add it to {rig.file}."
        )
    if board.sensor.active != "low" or board.sensor.pull != "up":
        raise UserError(
            f"The rig plays sensors that pull low only, and that of board {board.name} is active "
            f"{board.sensor.active}, pull {board.sensor.pull}: this board cannot be tested with a rig."
        )


def rig_module(rig: RigTable, board: Board) -> str:
    """Source text of `rig_table.py`, which the rig's firmware imports; the same text for the same files."""
    wires = {wire.pin: wire.rig_gpio for wire in rig_wires(rig, board)}
    hands = [name for name in wires if name not in EARS and name != "sensor"]
    lines = [
        f"# Wires of rig {rig.name} to a terminal {board.name}, made from {rig.file} and {board.file}.",
        "# Do not edit: change those files and put it onto the rig again.",
        f'TABLE = "{table_id(rig, board)}"',
        f"LINES = { ({name.removeprefix('key'): wires[name] for name in hands})!r}".replace("'", '"'),
        f"SENSOR = {wires['sensor']}",
        f"RELAY = {wires['relay']}",
        f"WATCH_FIRST = {rig.pins['buzzer']}",
        f"RELAY_ON_LEVEL = {0 if board.relay.active == 'low' else 1}",
        f"PULSES_PER_SPIN = {board.sensor.pulses_per_spin}",
        f"MIN_HZ = {board.sensor.min_hz}",
        f"MAX_HZ = {board.sensor.max_hz}",
        f"SENSOR_T_F_US = {board.sensor.t_f_us}",
    ]
    return "\n".join(lines) + "\n"


def table_id(rig: RigTable, board: Board) -> str:
    """16 hex that stand for both files and for the rig's firmware: what the rig tells in hello."""
    digest = hashlib.sha256(f"{rig.sha256}{board.sha256}".encode())
    for path in sorted((FIRMWARE / "rig").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
