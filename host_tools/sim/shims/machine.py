"""MicroPython's machine module for the simulated board: pins, registers, watchdog, resets; the model is in world.py."""

import world

PWRON_RESET = 1
WDT_RESET = 3

GPIO_IN = 0xD0000004  # RP2040 datasheet 2.3.1.7
REASON = 0x40058008  # 4.7.6: bit 0 the timer, bit 1 forced
SCRATCH0 = 0x4005800C
SCRATCH7 = 0x40058028
CHIP_RESET = 0x40064008  # 2.12.8: bit 8 power-on, bit 16 the RUN pin
DEAD_MAN_ADDRESS = 0x502000D4  # 3.7, SM0_ADDR of PIO0
_REASONS = {"watchdog": 1, "commanded": 2}
_CHIP_RESETS = {"power": 1 << 8, "run_pin": 1 << 16}


class Pin:
    """One pin. Making it anew without a mode changes nothing."""

    IN = world.IN
    OUT = world.OUT
    OPEN_DRAIN = world.OPEN_DRAIN
    PULL_UP = world.PULL_UP
    PULL_DOWN = world.PULL_DOWN

    def __init__(self, number, mode=-1, pull=-1, *, value=None):
        if not 0 <= number < world.PINS:
            raise ValueError("invalid pin")
        self.number = number
        if mode != -1 or pull != -1 or value is not None:
            self.init(mode, pull, value=value)

    def init(self, mode=-1, pull=-1, *, value=None):
        w = world.the
        if pull != -1:
            w.pull[self.number] = world.NO_PULL if pull is None else pull
        if value is not None:
            w.latch[self.number] = 1 if value else 0
        if mode != -1:
            w.mode[self.number] = mode
        w.settle(self.number)

    def value(self, level=None):
        w = world.the
        if level is None:
            if w.real:
                w.catch_up()
            return w.level(self.number)
        if w.mode[self.number] != world.PIO:
            w.latch[self.number] = 1 if level else 0
            w.settle(self.number)
        return None

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    high = on
    low = off

    def toggle(self):
        self.value(1 - world.the.latch[self.number])


class _Mem32:
    """The registers that the firmware reads and writes; any other address is an error here, to be noticed."""

    def __getitem__(self, address):
        w = world.the
        if address == GPIO_IN:
            if w.real:
                w.catch_up()
            return w.levels
        if SCRATCH0 <= address <= SCRATCH7:
            return w.scratch[(address - SCRATCH0) >> 2]
        if address == DEAD_MAN_ADDRESS:
            if w.real:
                w.catch_up()
            return w.dead_man.address()
        if address == REASON:
            return _REASONS.get(w.cause, 0)
        if address == CHIP_RESET:
            return _CHIP_RESETS.get(w.cause, 0)
        raise ValueError("the simulated board has no register 0x%08x" % address)

    def __setitem__(self, address, value):
        if not SCRATCH0 <= address <= SCRATCH7:
            raise ValueError("the simulated board has no register 0x%08x to write" % address)
        world.the.scratch[(address - SCRATCH0) >> 2] = value & 0xFFFFFFFF


mem32 = _Mem32()


class WDT:
    """The watchdog: cannot be stopped, bites in model time."""

    def __init__(self, id=0, timeout=5000):
        if not 1 <= timeout <= 8388:
            raise ValueError("timeout exceeds 8388")
        world.the.wdt_period_us = timeout * 1000
        self.feed()

    def feed(self):
        w = world.the
        if w.real:
            w.catch_up()
        w.wdt_us = w.now_us + w.wdt_period_us


def reset():
    world.the.reset("commanded")


def reset_cause():
    return PWRON_RESET if world.the.cause in _CHIP_RESETS else WDT_RESET


def unique_id():
    return world.the.unique_id


def freq(hz=None):
    return 125_000_000


def idle():
    world.the.look()
