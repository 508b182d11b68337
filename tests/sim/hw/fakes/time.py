"""A time module whose clock only sleeping moves."""

now_ms = [0]
slept_ms = []


def ticks_ms():
    return now_ms[0]


def sleep_ms(ms):
    slept_ms.append(ms)
    now_ms[0] = (now_ms[0] + ms) & ((1 << 30) - 1)
