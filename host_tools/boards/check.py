"""Reads a board file and finds every problem in it at once: each value first, then those that must fit together."""

from __future__ import annotations

import difflib
import hashlib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from tumbler.core.terminal import STOP_EARLY_MS

from host_tools.boards.rules import GPIO_LAST, Rule, gpio_numbers, show
from host_tools.boards.schema import PIO_INSTRUCTIONS, TABLES, Board
from host_tools.bounded import read_bounded
from host_tools.errors import UserError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

LARGEST_FILE = 100_000  # bytes; the bundled ones have 2000
_WANTED = "a board file that can be read"
BOARDS_DIR = Path(__file__).resolve().parents[2] / "boards"
_TOP_KEYS = {("board" if f.name == "name" else f.name): f for f in fields(Board) if "rule" in f.metadata}
_Values = dict[str, Any]  # accepted values by "table.key", or "key" at the top


def board_names() -> list[str]:
    """Names of the boards in boards/, sorted: what `load_board` takes."""
    return sorted(path.stem for path in BOARDS_DIR.glob("*.toml"))


def load_board(name_or_path: str | Path) -> Board:
    """The board of that name in boards/ or, for anything that ends in .toml, of that file.

    Raises UserError with one line for each problem, naming file, key, reason and how to mend it.
    The schema is in boards/README.md.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        known = board_names()
        if str(name_or_path) not in known:
            raise UserError(
                f"There is no board {show(str(name_or_path))}: name one of {', '.join(known)}, "
                "or give the path of a .toml file."
            )
        path = BOARDS_DIR / f"{name_or_path}.toml"
    raw = read_bounded(path, "Board file", _WANTED, LARGEST_FILE, f"any board needs: give the path of {_WANTED}")
    shown = f"boards/{path.name}" if path.parent == BOARDS_DIR else str(path)
    try:
        # RecursionError: brackets nested without end. ValueError: not TOML (with line and column), or not UTF-8.
        data = tomllib.loads(raw.decode("utf-8-sig"))  # Windows editors put a byte order mark first
    except (ValueError, RecursionError) as error:
        raise UserError(f"{shown} is not TOML: {error or 'nested too deeply'}; mend that place.") from None
    problems, values = _check(data, path.stem)
    if problems:
        raise UserError("\n".join(f"{shown}, {problem}" for problem in problems))
    return _build(values, path.name, hashlib.sha256(raw).hexdigest())


def _check(data: Mapping[str, Any], stem: str) -> tuple[list[str], _Values]:
    """Every problem ("key: reason; how to mend it"), and the values that are good by themselves."""
    problems: list[str] = []
    values: _Values = {}
    top = {key: value for key, value in data.items() if key not in TABLES and key != "reserved"}
    _check_keys("", _TOP_KEYS, top, problems, values)
    for table, row_type in TABLES.items():
        _check_table(table, {f.name: f for f in fields(row_type)}, data, problems, values)
    _check_reserved(data.get("reserved", {}), problems, values)
    if values.get("board", stem) != stem:
        problems.append(
            f'board: {show(values["board"])} is not the name of the file; write board = "{stem}" or rename the file.'
        )
    _check_pins(problems, values)
    for needs, key, fault in _TOGETHER:
        if all(need in values for need in needs):
            reason = fault(*(values[need] for need in needs))
            if reason:
                problems.append(f"{_place(key)}: {reason}.")
    return problems, values


def _place(key: str) -> str:
    """The key "relay.max_on_ms" as a reader finds it in the file: [relay] max_on_ms."""
    table, dot, name = key.partition(".")
    return f"[{table}] {name}" if dot else key


def _check_table(
    table: str, known: Mapping[str, Field[Any]], data: Mapping[str, Any], problems: list[str], values: _Values
) -> None:
    rows = data.get(table, {})
    if table not in data and any(f.default is MISSING for f in known.values()):
        problems.append(f"[{table}]: the table is missing; add it with {', '.join(known)}.")
    elif not isinstance(rows, dict):
        problems.append(f"[{table}]: {show(rows)} is not a table; write [{table}] and its keys below.")
    else:
        _check_keys(f"{table}.", known, rows, problems, values)


def _check_keys(
    prefix: str, known: Mapping[str, Field[Any]], rows: Mapping[str, Any], problems: list[str], values: _Values
) -> None:
    for key, value in rows.items():
        if key not in known:
            kind = "table" if isinstance(value, dict) else "key"
            similar = difflib.get_close_matches(key, known if prefix else [*known, *TABLES], 1)
            instead = f"write {similar[0]} if that is meant, else remove it" if similar else "remove it"
            problems.append(f"{_place(prefix)}{show(key)}: unknown {kind}; {instead}.")
            continue
        rule: Rule = known[key].metadata["rule"]
        reason = rule.refuse(value)
        if reason:
            problems.append(f"{_place(prefix + key)}: {reason}; give {rule.want}.")
        else:
            values[prefix + key] = value
    for key, f in known.items():
        if key in rows:
            continue
        if f.default is MISSING:
            problems.append(f"{_place(prefix + key)}: the key is missing; give {f.metadata['rule'].want}.")
        else:
            values[prefix + key] = f.default


def _check_reserved(rows: Any, problems: list[str], values: _Values) -> None:
    """[reserved]: GPIO number = what the board uses it for. The table may be left out."""
    if not isinstance(rows, dict):
        problems.append(
            f'[reserved]: {show(rows)} is not a table; write [reserved] and lines such as 25 = "the board\'s LED".'
        )
        return
    reserved: dict[int, str] = {}
    for key, use in rows.items():
        if not re.fullmatch("0|[1-9][0-9]?", key) or int(key) > GPIO_LAST:
            problems.append(f"[reserved] {show(key)}: not a GPIO; give a number from 0 to {GPIO_LAST}.")
        elif not isinstance(use, str) or not use.isprintable() or not use:
            problems.append(f"[reserved] {key}: {show(use)} does not say what uses the GPIO; give one line of text.")
        else:
            reserved[int(key)] = use
    values["reserved"] = reserved


def _check_pins(problems: list[str], values: _Values) -> None:
    gpios = gpio_numbers(values["gpios"]) if "gpios" in values else None
    reserved: Mapping[int, str] = values.get("reserved", {})
    both = sorted(set(gpios or ()) & set(reserved))
    problems.extend(
        f"gpios: GPIO {gpio} stands in [reserved] too ({reserved[gpio]}); take it out of one." for gpio in both
    )
    user: dict[int, str] = {}
    for key, gpio in values.items():
        if not key.startswith("pins.") or gpio is None:
            continue
        if gpio in user:
            problems.append(f"{_place(key)}: GPIO {gpio} is already {user[gpio]}; give each function its own GPIO.")
        elif gpio in reserved:
            problems.append(f"{_place(key)}: GPIO {gpio} is reserved ({reserved[gpio]}); choose one of gpios.")
        elif gpios is not None and gpio not in gpios:
            problems.append(f"{_place(key)}: the board has no GPIO {gpio} on its pins; choose one of gpios.")
        user.setdefault(gpio, key.removeprefix("pins."))


def _relay_pull(active: str, pull: str) -> str | None:
    if active == "low" and pull != "up":
        return (
            "an active-low relay needs a pull-up, because the RP2040's pins are pulled down during reset and the relay "
            'would be on; fit one and write external_pull = "up", or use an active-high relay'
        )
    if active == "high" and pull == "up":
        return (
            "a pull-up turns an active-high relay on while the board is in reset or off; fit a pull-down and declare it"
        )
    return None


def _pulse_rest(active: str, drive: str) -> str | None:
    if drive != "pulse" or active == "high":
        return None
    return (
        "a charge pump knows no on level, and its pin has to rest at low, where the RP2040's reset leaves it; "
        'write active = "high", or drive = "level"'
    )


def _rates(low_hz: int, high_hz: int) -> str | None:
    return None if low_hz < high_hz else f"{high_hz} is not above min_hz = {low_hz}; raise it, or lower min_hz"


def _filter(t_f_us: int, max_hz: int) -> str | None:
    # Each half of a pulse must last 2 * t_f to be counted for certain, so a pulse takes 4 * t_f.
    if 4 * t_f_us * max_hz <= 1_000_000:
        return None
    return (
        f"at max_hz = {max_hz} half a pulse is shorter than 2 x {t_f_us} µs, and the filter could lose it; "
        f"give at most {1_000_000 // (4 * max_hz)}, or lower max_hz"
    )


def _first_pulse(first_pulse_ms: int, min_hz: int) -> str | None:
    if first_pulse_ms * min_hz >= 1000:
        return None
    return (
        f"{first_pulse_ms} ms is shorter than one pulse at min_hz = {min_hz}, so a good motor would be a fault; "
        f"give at least {-(-1000 // min_hz)}"
    )


def _reach(required: int, pulses: int, min_hz: int, first_pulse_ms: int, max_on_ms: int) -> str | None:
    # N turns are proven by N whole intervals after the first pulse: three single pulses span only two turns.
    spins_ms = -(-required * pulses * 1000 // min_hz)
    needed_ms = first_pulse_ms + spins_ms + STOP_EARLY_MS
    if needed_ms <= max_on_ms:
        return None
    return (
        f"too short for a slow motor: first_pulse_ms = {first_pulse_ms}, {spins_ms} ms for {required} spins at "
        f"min_hz = {min_hz}, and the {STOP_EARLY_MS} ms by which the firmware stops early; give at least {needed_ms}, "
        f"or raise min_hz"
    )


def _coast(low_ms: int, high_ms: int) -> str | None:
    return (
        None if low_ms < high_ms else f"{high_ms} is not above min_coast_ms = {low_ms}; raise it, or lower min_coast_ms"
    )


def _pio(*instructions: int) -> str | None:
    total = sum(instructions)
    if total <= PIO_INSTRUCTIONS:
        return None
    return f"the programs take {total} instructions and a PIO block has {PIO_INSTRUCTIONS}; shorten or leave out one"


# (values that must be good by themselves first, the key to blame, what is wrong with them together or None)
_TOGETHER: tuple[tuple[tuple[str, ...], str, Callable[..., str | None]], ...] = (
    (("relay.active", "relay.external_pull"), "relay.external_pull", _relay_pull),
    (("relay.active", "relay.drive"), "relay.drive", _pulse_rest),
    (("sensor.min_hz", "sensor.max_hz"), "sensor.max_hz", _rates),
    (("sensor.t_f_us", "sensor.max_hz"), "sensor.t_f_us", _filter),
    (("sensor.first_pulse_ms", "sensor.min_hz"), "sensor.first_pulse_ms", _first_pulse),
    (
        ("spin.required", "sensor.pulses_per_spin", "sensor.min_hz", "sensor.first_pulse_ms", "relay.max_on_ms"),
        "relay.max_on_ms",
        _reach,
    ),
    (("spin.min_coast_ms", "spin.max_coast_ms"), "spin.max_coast_ms", _coast),
    (("pio.dead_man", "pio.spin_counter", "pio.wireless"), "pio", _pio),
)


def _build(values: _Values, file: str, sha256: str) -> Board:
    tables = {
        table: row_type(**{f.name: values[f"{table}.{f.name}"] for f in fields(row_type)})
        for table, row_type in TABLES.items()
    }
    top = {f.name: values[key] for key, f in _TOP_KEYS.items()} | {"gpios": gpio_numbers(values["gpios"])}
    return Board(**top, **tables, reserved=values["reserved"], file=file, sha256=sha256)
