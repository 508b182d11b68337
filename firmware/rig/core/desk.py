"""The rig's serial protocol: one JSON object a line, answered by one JSON object a line with the same id.

{"id": 1, "do": "pull", "line": "spin", "low": true} -> {"id": 1, "ok": true, "value": null}, or, changing nothing,
{"id": 1, "ok": false, "error": "..."}. docs/RIG.md lists the commands.
"""

import json

from rig.core.drum import MOTOR_FAULTS, SENSOR_FAULTS

VERSION = 1
LINE_LIMIT = 200  # bytes of a request
PULSES_LIMIT = 500
LONGEST_US = 1_000_000  # of a pulse's period
SHORTEST_US = 4  # of each of its halves


class Refused(Exception):
    """A request that is not carried out; its text says why."""


class Lines:
    """Cuts bytes into lines, bounded in memory."""

    def __init__(self):
        self._held = bytearray()
        self._too_long = False

    def feed(self, byte: int):
        """One byte -> the line that it ends, without its end; None if it ends none. A line that was too long is b""."""
        if byte != 0x0A:
            self._too_long = self._too_long or len(self._held) >= LINE_LIMIT
            if not self._too_long:
                self._held.append(byte)
            return None
        line = b"" if self._too_long else bytes(self._held)
        self._held = bytearray()
        self._too_long = False
        return line


class Desk:
    """Answers requests. machine: core.machine.Machine; hands: has lines, pull(line, low) and release(); player: has
    idle() and pulses(count, period_us, low_us); watch: has read() -> {"t_us", "words", "more", "lost"}; about: what
    hello tells beside the version; let_go(): everything is released."""

    def __init__(self, machine, hands, player, watch, about: dict, let_go):
        self._machine = machine
        self._hands = hands
        self._player = player
        self._watch = watch
        self._about = about
        self._let_go = let_go

    def answer(self, line: bytes) -> bytes:
        """The answer to one line, with its LF."""
        ident = None
        try:
            request = self._parse(line)
            ident = request.get("id")
            out = {"id": ident, "ok": True, "value": self._do(request)}
        except Refused as refused:
            out = {"id": ident, "ok": False, "error": str(refused)}
        return json.dumps(out).encode() + b"\n"

    def _parse(self, line):
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict) or type(request.get("id")) is not int:
            raise Refused("a request is one JSON object with a number as id, of at most %d bytes" % LINE_LIMIT)
        return request

    def _do(self, request):
        do = request.get("do")
        if do == "read":
            value = self._watch.read()
            value["turns"] = self._machine.drum.turns()
            return value
        if do == "hello":
            self._machine.start()
            value = {"version": VERSION, "lines": sorted(self._hands.lines)}
            value.update(self._about)
            return value
        if do == "let_go":
            return self._let_go()
        if not self._machine.live:
            raise Refused("the rig has let go: say hello first")
        if do == "pull":
            return self._hands.pull(_one_of(request, "line", self._hands.lines), _flag(request, "low"))
        if do == "sensor":
            self._machine.drum.sensor_fault = _fault(request, SENSOR_FAULTS)
            return None
        if do == "motor":
            self._machine.drum.motor_fault = _fault(request, MOTOR_FAULTS)
            return None
        if do == "pulses":
            return self._pulses(request)
        raise Refused("there is no such command")

    def _pulses(self, request):
        count = _number(request, "count", 1, PULSES_LIMIT)
        period_us = _number(request, "period_us", 2 * SHORTEST_US, LONGEST_US)
        low_us = _number(request, "low_us", SHORTEST_US, period_us - SHORTEST_US)
        if self._machine.drum.turns() or not self._player.idle():
            raise Refused("the sensor is still being played: wait until it rests")
        return self._player.pulses(count, period_us, low_us)


def _one_of(request, name, known):
    value = request.get(name)
    if not isinstance(value, str) or value not in known:
        raise Refused("%s must be one of %s" % (name, ", ".join(sorted(known))))
    return value


def _flag(request, name):
    value = request.get(name)
    if value is not True and value is not False:
        raise Refused("%s must be true or false" % name)
    return value


def _fault(request, known):
    value = request.get("fault")
    if value is None:
        return None
    return _one_of(request, "fault", known)


def _number(request, name, low, high):
    value = request.get(name)
    if type(value) is not int or not low <= value <= high:
        raise Refused("%s must be a whole number from %d to %d" % (name, low, high))
    return value
