"""The rig: all that hands, eyes and ears do at the table; one interface, whoever plays it: a model, a socket, wires."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypedDict, cast

from host_tools.errors import UserError

KEYS = ("1", "2", "3", "4", "5", "6", "entry", "spin", "no_more_bets")
MOTOR_FAULTS = ("stall", "slip", "weld", "push")
SENSOR_FAULTS = ("high", "low", "noise", "bounce")
HOLD_MS = 80  # a person's tap on a key
GAP_MS = 70  # between two taps
LOOK_MS = 10  # step_until looks this often


_Check = tuple[Callable[[Any], bool], str]  # is it right, and what would be right
_KEY: _Check = (lambda value: value in KEYS, f"one of {', '.join(KEYS)}")
_FLAG: _Check = (lambda value: isinstance(value, bool), "true or false")
_MS: _Check = (lambda value: type(value) is int and 0 <= value <= 86_400_000, "whole ms, from 0 to those of a day")
_SENSOR: _Check = (lambda value: value is None or value in SENSOR_FAULTS, f"one of {', '.join(SENSOR_FAULTS)}, or none")
_MOTOR: _Check = (lambda value: value is None or value in MOTOR_FAULTS, f"one of {', '.join(MOTOR_FAULTS)}, or none")
_DICE: _Check = (
    lambda value: isinstance(value, list) and len(value) == 3 and all(type(n) is int and 1 <= n <= 6 for n in value),
    "three numbers from 1 to 6",
)
COMMANDS: dict[str, dict[str, _Check]] = {
    "press": {"key": _KEY},
    "release": {"key": _KEY},
    "cover": {"is_open": _FLAG},
    "cover_wire": {"broken": _FLAG},
    "supervisor": {"on": _FLAG},
    "estop": {"on": _FLAG},
    "sensor": {"fault": _SENSOR},
    "motor": {"fault": _MOTOR},
    "stall": {"ms": _MS},
    "next_dice": {"dice": _DICE},
    "dice": {},
    "read": {},
    "step": {"ms": _MS},
    "power_cut": {"off_ms": _MS},
}
FAULTS = {"sensor": SENSOR_FAULTS, "motor": MOTOR_FAULTS}
# What a rig may be able to do: each command, and each fault under names such as "motor.weld".
CAPABILITIES = frozenset(COMMANDS) | {f"{what}.{fault}" for what, faults in FAULTS.items() for fault in faults}
Call = Callable[[str, dict[str, Any]], Any]  # name of a command, its arguments -> its value


def check(do: Any, args: Any) -> None:
    """Raises UserError unless `do` is a rig's command and `args` are its arguments."""
    if not isinstance(do, str) or do not in COMMANDS:
        raise UserError(f"The rig has no command {do!r}: it has {', '.join(COMMANDS)}.")
    wanted = COMMANDS[do]
    if not isinstance(args, dict) or set(args) != set(wanted):
        raise UserError(f"The rig's command {do} takes {', '.join(wanted) or 'no arguments'}, not {args!r}.")
    for name, (is_right, what) in wanted.items():
        if not is_right(args[name]):
            raise UserError(f"The rig's command {do} takes as {name} {what}, not {args[name]!r}.")


def missing(rig: Rig, *wanted: str) -> str:
    """A sentence that says which of these CAPABILITIES the rig has not, as the reason of a skip; "" if it has all.

    Raises UserError for a name that is none, which would be skipped for ever.
    """
    unknown = sorted(set(wanted) - CAPABILITIES)
    if unknown:
        raise UserError(f"No rig can {', '.join(unknown)}: name some of {', '.join(sorted(CAPABILITIES))}.")
    lacks = sorted(set(wanted) - rig.capabilities)
    return f"This rig cannot {', '.join(lacks)}." if lacks else ""


class Seen(TypedDict):
    """What can be seen and heard. display: four characters, "" when dark; lamp: "off", "on", "blink"; beeps: how often
    the buzzer has begun to sound; supervisor_on: how the supervisor's key switch stands; drum_turns: the drum moves;
    t_ms: model time."""

    relay: bool
    display: str
    lamp: str
    buzzer: bool
    beeps: int
    cover_open: bool
    supervisor_on: bool
    drum_turns: bool
    t_ms: int


class Rig(Protocol):
    """Works a board's keys, cover and faults. Times are ms of the rig's clock; every method may raise UserError, and
    one that is not in `capabilities` does so and changes nothing.

    A rig that nobody has used yet may have let go: call ready() first, and let_go() when done, whatever happened.
    """

    capabilities: frozenset[str]
    """Those of CAPABILITIES that this rig has; see missing()."""

    def ready(self) -> None:
        """The table before a round: cover shut, its wire whole, E-stop pulled out, no key down, no fault."""
        ...

    def let_go(self) -> None:
        """All hands off, the safe way: E-stop and cover open, so that no relay stays on, no key down, no fault."""
        ...

    def press(self, key: str) -> None:
        """key: one of KEYS. It stays down, and bounces."""
        ...

    def release(self, key: str) -> None: ...

    def tap(self, key: str, hold_ms: int = HOLD_MS) -> None:
        """Press, wait hold_ms, release, wait GAP_MS."""
        ...

    def cover(self, is_open: bool) -> None: ...

    def cover_wire(self, broken: bool) -> None:
        """The wire of the first cover contact breaks, or is mended."""
        ...

    def supervisor(self, on: bool) -> None:
        """Turn the supervisor's key switch."""
        ...

    def estop(self, on: bool) -> None: ...

    def sensor(self, fault: str | None) -> None:
        """fault: one of SENSOR_FAULTS, None to mend it."""
        ...

    def motor(self, fault: str | None) -> None:
        """fault: one of MOTOR_FAULTS, None to mend it. weld: the relay's contact never opens again once it closed;
        push: somebody turns the drum by hand."""
        ...

    def stall(self, ms: int) -> None:
        """The firmware hangs for ms from its next sleep on."""
        ...

    def next_dice(self, a: int, b: int, c: int) -> None:
        """What the dice will show at the next uncovering that has no dice yet; may be called several times ahead."""
        ...

    def dice(self) -> tuple[int, int, int]:
        """The dice as they lie, left to right. Refused while the cover is shut."""
        ...

    def read(self) -> Seen: ...

    def step(self, ms: int) -> Seen:
        """Let ms pass."""
        ...

    def step_until(self, predicate: Callable[[Seen], bool], limit_ms: int) -> Seen:
        """Let time pass until predicate holds, looking every LOOK_MS. Raises UserError after limit_ms."""
        ...

    def power_cut(self, off_ms: int = 1000) -> None:
        """Mains off for off_ms."""
        ...


class CallRig:
    """A Rig over one function. Raises UserError, and what that function raises."""

    def __init__(self, call: Call, capabilities: frozenset[str] = CAPABILITIES):
        self._send = call
        self.capabilities = capabilities
        self._down: set[str] = set()  # keys

    def _call(self, do: str, args: dict[str, Any]) -> Any:
        check(do, args)
        fault = args.get("fault")
        reason = missing(self, f"{do}.{fault}" if fault else do)
        if reason:
            raise UserError(f"{reason} The bench skips what needs it; docs/RIG.md says what each rig can do.")
        return self._send(do, args)

    def ready(self) -> None:
        self._rest()
        self.cover(False)
        self.estop(False)

    def let_go(self) -> None:
        self.estop(True)
        self.cover(True)
        self._rest()

    def _rest(self) -> None:
        for key in sorted(self._down):
            self.release(key)
        self.supervisor(False)
        self.cover_wire(False)
        self.sensor(None)
        self.motor(None)

    def press(self, key: str) -> None:
        self._call("press", {"key": key})
        self._down.add(key)

    def release(self, key: str) -> None:
        self._call("release", {"key": key})
        self._down.discard(key)

    def tap(self, key: str, hold_ms: int = HOLD_MS) -> None:
        self.press(key)
        self.step(hold_ms)
        self.release(key)
        self.step(GAP_MS)

    def cover(self, is_open: bool) -> None:
        self._call("cover", {"is_open": is_open})

    def cover_wire(self, broken: bool) -> None:
        self._call("cover_wire", {"broken": broken})

    def supervisor(self, on: bool) -> None:
        self._call("supervisor", {"on": on})

    def estop(self, on: bool) -> None:
        self._call("estop", {"on": on})

    def sensor(self, fault: str | None) -> None:
        self._call("sensor", {"fault": fault})

    def motor(self, fault: str | None) -> None:
        self._call("motor", {"fault": fault})

    def stall(self, ms: int) -> None:
        self._call("stall", {"ms": ms})

    def next_dice(self, a: int, b: int, c: int) -> None:
        self._call("next_dice", {"dice": [a, b, c]})

    def dice(self) -> tuple[int, int, int]:
        a, b, c = self._call("dice", {})
        return a, b, c

    def read(self) -> Seen:
        return cast(Seen, self._call("read", {}))

    def step(self, ms: int) -> Seen:
        return cast(Seen, self._call("step", {"ms": ms}))

    def step_until(self, predicate: Callable[[Seen], bool], limit_ms: int) -> Seen:
        seen = self.read()
        end_ms = seen["t_ms"] + limit_ms
        while not predicate(seen):
            if seen["t_ms"] >= end_ms:
                raise UserError(
                    f"What was waited for did not come within {limit_ms} ms: "
                    f'display "{seen["display"]}", lamp {seen["lamp"]}, relay {"on" if seen["relay"] else "off"}.'
                )
            seen = self.step(LOOK_MS)
        return seen

    def power_cut(self, off_ms: int = 1000) -> None:
        self._call("power_cut", {"off_ms": off_ms})
