"""The rig's loop with a table of pins in place of its hardware: what holds it up, and how it ends."""

import importlib
import itertools
import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

LINES = {"spin": 9, "cover": 19, "estop": 21, "relay_feedback": 17}
HOST_MS = 10  # of the rig's time between two bytes of a host that floods it
TABLE = {
    "LINES": LINES,
    "SENSOR": 18,
    "RELAY": 16,
    "WATCH_FIRST": 12,
    "RELAY_ON_LEVEL": 1,
    "PULSES_PER_SPIN": 1,
    "MIN_HZ": 1,
    "MAX_HZ": 50,
    "SENSOR_T_F_US": 20,
    "TABLE": "t",
}


class Ended(Exception):
    """The test has seen enough."""


class Board:
    """low: GPIOs that are driven, all of them low. comes: an iterator of the bytes that the host sends, b"" for a
    moment without any. ctrl_c: one comes at each pin that is let go, unless nobody hears it any more."""

    def __init__(self):
        self.low, self.now_ms, self.comes = set(), 0, iter(())
        self.ctrl_c, self.hears_ctrl_c = False, True
        self.stdin = SimpleNamespace(buffer=SimpleNamespace(read=lambda count: self.next))
        self.stdout = SimpleNamespace(buffer=SimpleNamespace(write=lambda data: None))

    def pin(self, gpio, mode=None, value=None):
        if mode == "out":
            assert value == 0
            self.low.add(gpio)
        elif mode == "in":
            if self.ctrl_c and self.hears_ctrl_c:
                raise KeyboardInterrupt
            self.low.discard(gpio)
        return lambda: 0

    def poll(self, timeout):
        self.next = next(self.comes, None)
        if self.next is None:
            raise Ended
        return self.next

    def kbd_intr(self, character):
        self.hears_ctrl_c = character >= 0

    def sleep_ms(self, ms):
        self.now_ms += ms


@pytest.fixture
def board():
    return Board()


@pytest.fixture
def app(board, monkeypatch):
    """firmware/rig/app.py over the pins of `board`."""

    def module(name, **names):
        made = ModuleType(name)
        vars(made).update(names)
        monkeypatch.setitem(sys.modules, name, made)

    pin = type("Pin", (), {"OUT": "out", "IN": "in", "__new__": lambda cls, *args, **more: board.pin(*args, **more)})
    player = SimpleNamespace(start=lambda: None, stop=lambda: None, has_room=lambda: False)
    module("rig_table", **TABLE)
    module("machine", Pin=pin)
    module("micropython", kbd_intr=board.kbd_intr)
    module("rig.hw.player", Player=lambda gpio: player)
    module("rig.hw.watch", Watch=lambda gpio: None)
    for name in ("rig.hw.hands", "rig.app"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    made = importlib.import_module("rig.app")
    monkeypatch.setattr(made, "os", SimpleNamespace(uname=lambda: SimpleNamespace(release="1.25.0")))
    monkeypatch.setattr(made, "sys", SimpleNamespace(stdin=board.stdin, stdout=board.stdout))
    poll = SimpleNamespace(register=lambda *_: None, poll=board.poll)
    monkeypatch.setattr(made, "select", SimpleNamespace(poll=lambda: poll, POLLIN=1))
    clock = SimpleNamespace(
        ticks_ms=lambda: board.now_ms,
        ticks_diff=lambda late, early: late - early,
        sleep_ms=lambda ms: board.sleep_ms(ms),
    )
    monkeypatch.setattr(made, "time", clock)
    yield made
    for name in ("rig.hw.hands", "rig.app"):
        sys.modules.pop(name, None)


def said(*requests):
    lines = b"".join(json.dumps({"id": 1, **request}).encode() + b"\n" for request in requests)
    return [lines[at : at + 1] for at in range(len(lines))]


PULLED = said({"do": "hello"}, *({"do": "pull", "line": name, "low": True} for name in ("spin", "cover", "estop")))


def test_a_host_that_floods_it_without_a_line_end_is_a_silent_one(app, board):
    def flood():
        for _ in range(1000):
            board.now_ms += HOST_MS
            yield b"x"

    board.comes = itertools.chain(PULLED, [b""], flood())
    held = []
    board.sleep_ms = lambda ms: held.append(set(board.low))
    with pytest.raises(Ended):
        app.App(app.Hands(LINES)).run()
    assert set(LINES.values()) in held and held[-1] == set()


def test_a_second_ctrl_c_does_not_end_the_letting_go(app, board):
    def ctrl_c():
        board.ctrl_c = True
        raise KeyboardInterrupt
        yield

    board.comes = itertools.chain(PULLED, [b""], ctrl_c())
    with pytest.raises(KeyboardInterrupt):
        app.main()
    assert board.low == set()
