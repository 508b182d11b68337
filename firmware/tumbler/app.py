"""The application: builds the rooms around the terminal and runs the one loop. Nothing in it waits but the tick."""

import gc
import sys

import tumbler_board as board

from tumbler.core.journal import JournalError, JournalUnprotected
from tumbler.core.journal_flash import FlashJournal
from tumbler.core.terminal import Terminal
from tumbler.hw import firmware_hash, guards, identity, reset
from tumbler.hw.clock import Clock
from tumbler.hw.counter import Counter
from tumbler.hw.display import Display
from tumbler.hw.flash import Sectors, area
from tumbler.hw.flash import count as flash_blocks
from tumbler.hw.inputs import Inputs
from tumbler.hw.relay import Relay
from tumbler.hw.serial import Serial
from tumbler.hw.signals import Signals
from tumbler.hw.watchdog import Watchdog

BYTES_PER_TICK = 16  # each way; 8 kB/s, and the loop stays well inside its 2 ms


class Rooms:
    """What the terminal acts on."""

    def __init__(self, clock):
        self.clock = clock
        self.relay = Relay(board)
        self.display = Display(board)
        self.signals = Signals(board)

    def collect(self):
        """Free memory between rounds, so that nothing has to be freed while the motor runs."""
        gc.collect()

    def maintenance(self):
        """Reset, and stay out of the application."""
        self.relay.off()
        reset.restart(reset.MAINTENANCE)


class Pump:
    """Carries bytes between the serial room and the terminal, a bounded number each tick, never waiting."""

    def __init__(self, serial, terminal):
        self.serial, self.terminal = serial, terminal
        self.line, self.at = None, 0

    def tick(self, now_ms):
        for _ in range(BYTES_PER_TICK):
            byte = self.serial.read()
            if byte < 0:
                break
            self.terminal.link.receive(byte)
        for _ in range(BYTES_PER_TICK):
            if self.line is None:
                self.line, self.at = self.terminal.next_line(now_ms), 0
                if self.line is None:
                    break
            if not self.serial.write(self.line[self.at]):
                break
            self.at += 1
            if self.at == len(self.line):
                self.line = None


class ClosedJournal(FlashJournal):
    """The journal of a board that may not write: it never opens. why: the JournalError that it raises instead."""

    def __init__(self, sectors, blocks, why):
        FlashJournal.__init__(self, sectors, blocks)
        self._why = why

    def open(self, dev, replaces=None):
        """Raises JournalError, the one it was made with."""
        raise self._why


def micropython_version() -> str:
    """As "1.28.0" or "1.29.0-preview", from sys.implementation."""
    v = sys.implementation.version
    text = ".".join([str(n) for n in v[:3]])
    return text + "-" + v[3] if len(v) > 3 and v[3] else text


def kept(names):
    """What the guarded sectors of the flash hold -> (identity, journal). The guards are looked at before anything is
    written. Raises identity.NotProvisioned."""
    flash = area()
    blocks = guards.blocks(flash_blocks(flash), board.JOURNAL_SECTORS)
    if blocks[0] < 0:
        text = "The flash has %d blocks, too few for a journal of %d sectors: give it its board's own firmware."
        raise identity.NotProvisioned(text % (flash_blocks(flash), board.JOURNAL_SECTORS))
    sectors = Sectors(flash, blocks[: guards.IDENTITY_SECTORS])
    who = identity.load(sectors, names)
    if who is None:
        for block in guards.find(flash, identity.MAGIC):
            if block not in sectors.blocks:  # there a power cut left half of one that was being made
                raise identity.NotProvisioned("An identity is in block %d, where this firmware keeps none." % block)
        who = identity.from_file(sectors, names)
    seal = guards.seal(flash, len(blocks))
    room = Sectors(flash, blocks[guards.IDENTITY_SECTORS :])
    if seal != who.seal and guards.heads(flash, len(blocks)) != blocks:
        return who, ClosedJournal(room, blocks, JournalUnprotected("the guards do not own the blocks of the journal"))
    if seal != who.seal or not who.whole:
        try:
            who.protect(seal)
        except OSError as e:
            return who, ClosedJournal(room, blocks, JournalError("the identity cannot be kept twice (%s)" % e))
    return who, FlashJournal(room, blocks)


def start(mode):
    """Build the terminal and let it read its journal and write its boot record -> (terminal, rooms). Relay off."""
    clock = Clock()
    rooms = Rooms(clock)
    who, journal = kept((firmware_hash.firmware_hash(), micropython_version(), board.BOARD, mode))
    terminal = Terminal(board, who, journal, rooms)
    now_ms = clock.ms()
    clock.advance(now_ms)
    terminal.power_on(now_ms, reset.cause())
    return terminal, rooms


def maintenance():
    """Leave a record that the board was started for maintenance, and nothing running."""
    _, rooms = start("maintenance")
    rooms.relay.off()


def main():
    """Run until power-off or an exception; the caller turns the relay off and resets."""
    terminal, rooms = start("production")
    clock = rooms.clock
    inputs, counter = Inputs(board), Counter(board)
    pump = Pump(Serial(), terminal)
    watchdog = Watchdog()  # after the journal was read, which may take longer; the relay cannot close before the loop
    while True:
        clock.sleep_until_tick()
        now_ms = clock.ms()
        clock.advance(now_ms)
        terminal.tick(now_ms, inputs.read(), counter.read())
        pump.tick(now_ms)
        watchdog.feed()
