"""What a wired rig has seen: its words of pin changes as levels, times, display, beeps and the relay's record."""

from __future__ import annotations

import struct

from host_tools.bench.trace import COIL, Edge
from host_tools.rig.rig import Seen
from host_tools.rig.wiring import WATCHED
from host_tools.sim.shims.tm1637 import Tm1637

STAMP = (1 << 24) - 1  # a word's microsecond wraps there, after 16.8 s: read oftener (firmware/rig/hw/watch.py)
CLOCK = (1 << 30) - 1  # and the rig's clock there
SLACK_US = 1000  # a word may be stamped a little later than the clock that came with it says
BLINK_US = 400_000  # a lamp that changes oftener than this blinks
_DISPLAY = {"display_clk", "display_dio"}


class Trace:
    """Everything seen since the first feed(). now_us: the rig's clock then. longest_on_us: of the relay, the time that
    still runs included. on_while_open_us: the longest time that the relay was on with the cover's contact open.
    relay_ons: how often it went on. lost: changes that the rig had to drop. edges: all but those of the display."""

    def __init__(self, relay_on_level: int):
        self._on_level = relay_on_level
        self._levels: dict[str, int] = dict.fromkeys(WATCHED, 0)
        self._clock: int | None = None
        self.edges: list[Edge] = []
        self._relay_on = relay_on_level == 0
        self._on_us = self._open_on_us = 0
        self._lamp_us, self._lamp_before_us = -BLINK_US, -2 * BLINK_US
        self._display = Tm1637()
        self.now_us = 0
        self.longest_on_us = self.on_while_open_us = self.relay_ons = self.beeps = self.lost = 0

    def feed(self, t_us: int, words: bytes, lost: int = 0) -> None:
        """t_us: the rig's clock. words: little-endian, eight levels and a stamp each, oldest first."""
        self.now_us = t_us if self._clock is None else self.now_us + ((t_us - self._clock) & CLOCK)
        self._clock = t_us
        self.lost += lost
        for (word,) in struct.iter_unpack("<I", words):
            latest_us = self.now_us + SLACK_US
            at_us = latest_us - ((latest_us + word) & STAMP)  # the stamp counts down
            self._take(at_us, word >> 24)
        self._count_on(self.now_us)

    def _take(self, at_us: int, levels: int) -> None:
        for place, what in enumerate(WATCHED):
            level = levels >> place & 1
            if level == self._levels[what]:
                continue
            if what in ("relay", "cover"):
                self._count_on(at_us)
            self._levels[what] = level
            if what not in _DISPLAY:
                self.edges.append(Edge(at_us, what, level))
            self._changed(at_us, what, level)

    def _changed(self, at_us: int, what: str, level: int) -> None:
        if what == "display_clk":
            self._display.clk(level)
        elif what == "display_dio":
            self._display.dio(level)
        elif what == "buzzer":
            self.beeps += level
        elif what == "lamp":
            self._lamp_before_us, self._lamp_us = self._lamp_us, at_us
        elif what == "relay":
            self._relay_on = level == self._on_level
            self.edges.append(Edge(at_us, COIL, int(self._relay_on)))
            self._on_us = self._open_on_us = at_us
            self.relay_ons += self._relay_on
        elif what == "cover":
            self._open_on_us = at_us

    def _count_on(self, until_us: int) -> None:
        if self._relay_on:
            self.longest_on_us = max(self.longest_on_us, until_us - self._on_us)
            if self._levels["cover"]:
                self.on_while_open_us = max(self.on_while_open_us, until_us - self._open_on_us)

    def level(self, what: str) -> int:
        """The level of one of WATCHED when it was last read."""
        return self._levels[what]

    def seen(self, cover_open: bool, turns: bool, supervisor_on: bool) -> Seen:
        """As a person at the table sees it; cover, drum and supervisor's key are the rig's own and known to it."""
        lamp = "on" if self._levels["lamp"] else "off"
        if self.now_us - self._lamp_us < BLINK_US and self._lamp_us - self._lamp_before_us < BLINK_US:
            lamp = "blink"
        return {
            "relay": self._relay_on,
            "display": self._display.text(),
            "lamp": lamp,
            "buzzer": bool(self._levels["buzzer"]),
            "beeps": self.beeps,
            "cover_open": cover_open,
            "supervisor_on": supervisor_on,
            "drum_turns": turns,
            "t_ms": self.now_us // 1000,
        }
