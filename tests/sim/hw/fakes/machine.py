"""A machine module that records: what was done to which pin and register, in order. Level changes take no memory."""

from array import array

PWRON_RESET, WDT_RESET = 1, 3
GPIO_IN = 0xD0000004
PINS = 30

levels = array("b", [0] * PINS)  # last level written to each pin
modes = array("b", [-1] * PINS)
pulls = array("b", [-1] * PINS)
writes = array("H", bytes(2 * 20000))  # pin * 2 + level, every write in order
count = [0]
done = []  # everything else in order, as lists
gpio_in = [(1 << PINS) - 1]
registers = {0x4005800C: 0, 0x40058008: 0, 0x40064008: 0}
cause = [PWRON_RESET]


class Reset(BaseException):
    """A reset: as on a board, nothing after it runs."""


def write(pin, level):
    levels[pin] = level
    if count[0] < len(writes):
        writes[count[0]] = pin * 2 + level
        count[0] += 1


class Pin:
    IN, OUT, OPEN_DRAIN = 0, 1, 2
    PULL_UP, PULL_DOWN = 1, 2

    def __init__(self, number, mode=-1, pull=-1, value=None):
        self.number = number
        if mode >= 0:
            modes[number] = mode
            pulls[number] = 0 if pull is None else pull
            done.append(["pin", number, mode, value])
            if value is not None:
                write(number, value)

    def value(self, level=None):
        if level is None:
            return levels[self.number]
        return write(self.number, level)

    __call__ = value


class _Mem32:
    def __init__(self):
        self.reads = 0

    def __getitem__(self, address):
        self.reads += 1
        return gpio_in[0] if address == GPIO_IN else registers[address]

    def __setitem__(self, address, value):
        registers[address] = value


mem32 = _Mem32()


class WDT:
    def __init__(self, timeout):
        done.append(["wdt", timeout])

    def feed(self):
        count[0] += 1


def reset():
    done.append(["reset", registers[0x4005800C]])
    raise Reset


def reset_cause():
    return cause[0]
