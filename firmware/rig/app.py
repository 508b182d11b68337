"""The rig's loop. However it ends, every line is let go: Ctrl-C, an exception, a host that falls silent."""

import os
import random
import select
import sys
import time

import micropython
import rig_table  # pyright: ignore[reportMissingImports]  # made from boards/rigs/NAME.toml
from machine import Pin

from rig.core.desk import LINE_LIMIT, Desk, Lines
from rig.core.drum import Drum
from rig.core.machine import Machine
from rig.hw.hands import Hands
from rig.hw.player import Player
from rig.hw.watch import Watch

SILENCE_MS = 3000  # a host that says nothing for so long is gone
PAUSE_MS = 1


class App:
    """All of the rig. hands must have let go before."""

    def __init__(self, hands: Hands):
        self._hands = hands
        drum = Drum(
            rig_table.PULSES_PER_SPIN, rig_table.MIN_HZ, rig_table.MAX_HZ, rig_table.SENSOR_T_F_US, random.randrange
        )
        player = Player(rig_table.SENSOR)
        self._machine = Machine(drum, hands, player, time.ticks_diff)
        watch = Watch(rig_table.WATCH_FIRST)
        about = {"micropython": os.uname().release, "table": rig_table.TABLE}
        self._desk = Desk(self._machine, hands, player, watch, about, self.let_go)
        self._relay = Pin(rig_table.RELAY)
        self._lines = Lines()
        self._heard_ms = time.ticks_ms()
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def let_go(self) -> None:
        """Every line is let go, the drum rests; the next hello begins anew."""
        self._hands.release()
        self._machine.stop()

    def run(self) -> None:
        while True:
            self._hear()
            now_ms = time.ticks_ms()
            if self._machine.live and time.ticks_diff(now_ms, self._heard_ms) > SILENCE_MS:
                self.let_go()
            self._machine.tick(now_ms, self._relay() == rig_table.RELAY_ON_LEVEL)
            time.sleep_ms(PAUSE_MS)

    def _hear(self):
        """At most one of the longest lines: a host that never stops talking must not hold up the rest."""
        for _ in range(LINE_LIMIT + 1):
            if not self._poll.poll(0):
                return
            line = self._lines.feed(sys.stdin.buffer.read(1)[0])
            if line is not None:
                self._heard_ms = time.ticks_ms()
                sys.stdout.buffer.write(self._desk.answer(line))


def main() -> None:
    """Runs until Ctrl-C, which leads to the console."""
    hands = Hands(rig_table.LINES)
    app = App(hands)
    try:
        app.run()
    finally:
        micropython.kbd_intr(-1)  # a second Ctrl-C must not end the letting go; the console hears the next one
        app.let_go()
