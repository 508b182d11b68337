"""The schema of a board file: one dataclass per table, one field per key.

The field's type is what the program gets, its metadata is the rule for the value, the constant that the firmware gets
and, for a pin, the wiring. A field with a default is a key that may be left out. boards/README.md explains the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from host_tools.boards.rules import GPIO_LAST, Choice, Flag, Gpios, Rule, Text, Whole

PIO_INSTRUCTIONS = 32  # RP2040 datasheet 3.1: the instruction memory that the four state machines of a PIO block share

_TO_GND_ONLY = (
    "the firmware reads switches to GND only, and 3V3 on a cable that chafes on the earthed case shorts the supply"
)
_PULL_REASONS = {
    "down": "a broken or unplugged wire would read low, as {}",
    "none": "a broken or unplugged wire would float, or be pulled low by the RP2040 after reset, and could read as {}",
}
_IN, _OUT, _IN_OUT = "in", "out", "in/out"
_KEY = "push-button to GND; internal pull-up"


def _key(rule: Rule, constant: str = "") -> dict[str, Any]:
    """Metadata of a key: its rule and the name of the firmware's constant ("" if the firmware does not get it)."""
    return {"rule": rule, "constant": constant}


def _pin(constant: str, direction: str, function: str, wired: str, without: str = "") -> dict[str, Any]:
    """Metadata of a pin. `wired` may name [relay] and [sensor] settings in braces; `without` says what holds on a board
    that leaves an optional one out."""
    rule = Whole(0, GPIO_LAST, "the GPIO")
    about = {"direction": direction, "function": function, "wired": wired, "without": without}
    return {"rule": rule, "constant": constant, **about}


def _pulled_up(reading: str) -> Choice:
    """The external pull of a switch to GND whose low level means `reading`."""
    return Choice(("up",), {pull: reason.format(reading) for pull, reason in _PULL_REASONS.items()})


@dataclass(frozen=True, kw_only=True)
class Pins:
    """[pins]: GPIO number of each function; None for an optional one that is not wired."""

    key1: int = field(metadata=_pin("PIN_KEY1", _IN, "number key 1", _KEY))
    key2: int = field(metadata=_pin("PIN_KEY2", _IN, "number key 2", _KEY))
    key3: int = field(metadata=_pin("PIN_KEY3", _IN, "number key 3", _KEY))
    key4: int = field(metadata=_pin("PIN_KEY4", _IN, "number key 4", _KEY))
    key5: int = field(metadata=_pin("PIN_KEY5", _IN, "number key 5", _KEY))
    key6: int = field(metadata=_pin("PIN_KEY6", _IN, "number key 6", _KEY))
    entry: int = field(metadata=_pin("PIN_ENTRY", _IN, "ENTRY key", _KEY))
    spin: int = field(metadata=_pin("PIN_SPIN", _IN, "SPIN key", _KEY))
    no_more_bets: int | None = field(
        default=None,
        metadata=_pin("PIN_NO_MORE", _IN, "NO MORE BETS key", _KEY, "the host's command no_more_bets stands in"),
    )
    supervisor: int = field(
        metadata=_pin(
            "PIN_SUPERVISOR", _IN, "supervisor key switch", "maintained switch to GND, closed when on; internal pull-up"
        )
    )
    maintenance: int = field(
        metadata=_pin(
            "PIN_MAINT",
            _IN,
            "maintenance jumper, inside the box",
            "jumper to GND, fitted for maintenance; internal pull-up",
        )
    )
    cover: int = field(
        metadata=_pin(
            "PIN_COVER", _IN, "cover switch", "switch to GND, closed (low) when shut; external pull-up 4.7 kΩ to 3V3"
        )
    )
    cover2: int | None = field(
        default=None,
        metadata=_pin(
            "PIN_COVER2",
            _IN,
            "second, opposite cover contact",
            "switch to GND, open (high) when shut; external pull-up 4.7 kΩ to 3V3",
            "a cover wire shorted to GND reads as a shut cover, and nothing tells",
        ),
    )
    estop: int = field(
        metadata=_pin(
            "PIN_ESTOP",
            _IN,
            "E-stop, sensed",
            "normally-closed contact to GND, low when healthy; external pull-up 4.7 kΩ to 3V3",
        )
    )
    sensor: int = field(
        metadata=_pin("PIN_SENSOR", _IN, "spin sensor", "active {sensor.active}; internal pull {sensor.pull}")
    )
    relay: int = field(
        metadata=_pin(
            "PIN_RELAY",
            _OUT,
            "motor relay",
            "active {relay.active}, {relay.drive}; external pull {relay.external_pull}",
        )
    )
    relay_feedback: int | None = field(
        default=None,
        metadata=_pin(
            "PIN_RELAY_FB",
            _IN,
            "relay feedback",
            "normally-closed mirror contact to GND, low when released; internal pull-up",
            "a relay that is stuck on is found only by the spin sensor's pulses",
        ),
    )
    display_clk: int = field(metadata=_pin("PIN_DISPLAY_CLK", _OUT, "display clock", "CLK of the TM1637 display"))
    display_dio: int = field(metadata=_pin("PIN_DISPLAY_DIO", _IN_OUT, "display data", "DIO of the TM1637 display"))
    lamp: int = field(metadata=_pin("PIN_LAMP", _OUT, "lamp", "through a driver, high is on"))
    buzzer: int = field(metadata=_pin("PIN_BUZZER", _OUT, "buzzer", "through a driver, high is on"))


@dataclass(frozen=True, kw_only=True)
class Relay:
    """[relay]: how the motor relay is driven."""

    active: str = field(metadata=_key(Choice(("high", "low")), "RELAY_ON_LEVEL"))
    drive: str = field(metadata=_key(Choice(("level", "pulse")), "RELAY_DRIVE"))
    external_pull: str = field(metadata=_key(Choice(("up", "down", "none"))))
    max_on_ms: int = field(metadata=_key(Whole(1000, 60_000, "milliseconds"), "RELAY_MAX_ON_MS"))


@dataclass(frozen=True, kw_only=True)
class Sensor:
    """[sensor]: the spin sensor. Rates are pulses per second, `t_f_us` is the filter time."""

    active: str = field(metadata=_key(Choice(("high", "low")), "SENSOR_ACTIVE"))
    pull: str = field(metadata=_key(Choice(("up", "down", "none")), "SENSOR_PULL"))
    t_f_us: int = field(metadata=_key(Whole(10, 10_000, "microseconds"), "SENSOR_T_F_US"))
    pulses_per_spin: int = field(metadata=_key(Whole(1, 64, "pulses"), "PULSES_PER_SPIN"))
    min_hz: int = field(metadata=_key(Whole(1, 1000, "pulses per second"), "MIN_HZ"))
    max_hz: int = field(metadata=_key(Whole(2, 10_000, "pulses per second"), "MAX_HZ"))
    first_pulse_ms: int = field(metadata=_key(Whole(100, 10_000, "milliseconds"), "FIRST_PULSE_MS"))


@dataclass(frozen=True, kw_only=True)
class Spin:
    """[spin]: what makes a spin of the dice complete, and how long the round may then stay closed."""

    required: int = field(
        metadata=_key(Whole(3, 50, "spins", "rule 6.1 has the dice spun at least 3 times"), "SPINS_REQUIRED")
    )
    min_coast_ms: int = field(metadata=_key(Whole(100, 60_000, "milliseconds"), "MIN_COAST_MS"))
    max_coast_ms: int = field(metadata=_key(Whole(1000, 60_000, "milliseconds"), "MAX_COAST_MS"))
    uncover_limit_s: int = field(metadata=_key(Whole(10, 3600, "seconds"), "UNCOVER_LIMIT_S"))


@dataclass(frozen=True, kw_only=True)
class Cover:
    """[cover]: the declared wiring of the cover switch; only one that a broken wire cannot defeat passes."""

    switch_to: str = field(metadata=_key(Choice(("gnd",), {"3v3": _TO_GND_ONLY})))
    closed_when: str = field(
        metadata=_key(
            Choice(("low",), {"high": "an open switch to GND reads high, so a broken wire would read as a shut cover"})
        )
    )
    external_pull: str = field(metadata=_key(_pulled_up("a shut cover")))


@dataclass(frozen=True, kw_only=True)
class Estop:
    """[estop]: the declared wiring of the sensed E-stop; only one that a broken wire cannot defeat passes."""

    switch_to: str = field(metadata=_key(Choice(("gnd",), {"3v3": _TO_GND_ONLY})))
    healthy_when: str = field(
        metadata=_key(
            Choice(
                ("low",),
                {"high": "an open contact to GND reads high, so a broken wire would read as an E-stop not pressed"},
            )
        )
    )
    external_pull: str = field(metadata=_key(_pulled_up("an E-stop not pressed")))


@dataclass(frozen=True, kw_only=True)
class Keys:
    """[keys]: the declared wiring of all keys. It may be left out; only what the firmware reads passes."""

    switch_to: str = field(default="gnd", metadata=_key(Choice(("gnd",), {"3v3": _TO_GND_ONLY})))
    internal_pull: str = field(
        default="up",
        metadata=_key(Choice(("up",), dict.fromkeys(("down", "none"), "an unplugged key would read as pressed"))),
    )


@dataclass(frozen=True, kw_only=True)
class Journal:
    """[journal]: its size in flash sectors of 4096 bytes, a quarter of them for the copy of what may not be lost."""

    sectors: int = field(
        metadata=_key(
            Whole(104, 160, "sectors", "the records of the last 100 rounds need room, and what may not be lost twice"),
            "JOURNAL_SECTORS",
        )
    )


@dataclass(frozen=True, kw_only=True)
class Pio:
    """[pio]: the instructions that each program takes of the one PIO block they share."""

    dead_man: int = field(metadata=_key(Whole(1, PIO_INSTRUCTIONS, "instructions", "the relay needs its dead-man")))
    spin_counter: int = field(metadata=_key(Whole(1, PIO_INSTRUCTIONS, "instructions", "the spins need their counter")))
    wireless: int = field(metadata=_key(Whole(0, PIO_INSTRUCTIONS, "instructions")))


@dataclass(frozen=True, kw_only=True)
class Board:
    """A valid board file. `gpios` and `reserved` are disjoint and every pin is in `gpios`.

    `name` is the key `board`; `reserved` maps a GPIO that must be left alone to what the board uses it for;
    `file` is the name of the TOML file without its folder and `sha256` the digest of its bytes in hex.
    """

    name: str = field(metadata=_key(Text("[a-z0-9_]{1,24}", "1 to 24 of the characters a-z, 0-9 and _"), "BOARD"))
    title: str = field(metadata=_key(Text("[ -~]{1,80}", "1 to 80 printable ASCII characters")))
    micropython: str = field(
        metadata=_key(Text("[A-Z0-9_]{1,40}", "the board's name in MicroPython's rp2 port, such as RPI_PICO"))
    )
    tested_on_hardware: bool = field(metadata=_key(Flag()))
    gpios: tuple[int, ...] = field(metadata=_key(Gpios()))
    reserved: Mapping[int, str]
    pins: Pins
    relay: Relay
    sensor: Sensor
    spin: Spin
    cover: Cover
    estop: Estop
    keys: Keys
    journal: Journal
    pio: Pio
    file: str
    sha256: str


TABLES: dict[str, type] = {
    "pins": Pins,
    "relay": Relay,
    "sensor": Sensor,
    "spin": Spin,
    "cover": Cover,
    "estop": Estop,
    "keys": Keys,
    "journal": Journal,
    "pio": Pio,
}  # in the order of the file; [reserved] has free keys and is checked apart
