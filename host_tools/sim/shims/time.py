"""MicroPython's time module for the simulated board: the clock of world.py. Ticks wrap at 2**30, as on the board."""

import world

MASK = (1 << 30) - 1
HALF = 1 << 29
EPOCH_S = 1609459200  # 2021-01-01, where a board without a battery begins


def ticks_ms():
    w = world.the
    w.look()
    return ((w.now_us + w.crept_us - w.boot_us) // 1000 + w.start_ms) & MASK


def ticks_us():
    w = world.the
    w.look()
    return (w.now_us + w.crept_us - w.boot_us + w.start_ms * 1000) & MASK


def ticks_add(ticks, delta):
    return (ticks + delta) & MASK


def ticks_diff(later, earlier):
    return ((later - earlier + HALF) & MASK) - HALF


def sleep_ms(ms):
    if ms > 0:
        world.the.sleep_us(ms * 1000)


def sleep_us(us):
    if us > 0:
        world.the.sleep_us(us)


def sleep(s):
    sleep_us(int(s * 1_000_000))


def time():
    w = world.the
    return EPOCH_S + (w.now_us - w.boot_us) // 1_000_000
