"""An hour of a board's traffic in virtual time, and its cable pulled a thousand times: no byte that arrived is lost.

Ports are real pseudo terminals, each under a new name; what they gave is counted where the operating system gives it.
"""

import errno
import io
import os
import random
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console

from host_tools.boards import load_board
from host_tools.capture import Capture, Rotation, Sync, times_path
from host_tools.capture.listen import Listening
from host_tools.capture.screen import Screen
from host_tools.link import port as port_room
from host_tools.run.clock import RunClock
from tests.host.link.fake_board import FakeBoard
from tests.host.run.table_bench import Wire

NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
HOUR_S = 3600
PULLS = 1000
BYTES = 400  # on average, between two pulls
SEED = 20261130


class PulledOs:
    """The operating system as a port sees it: after so many bytes a cable is pulled, and what was to come is lost."""

    def __init__(self, draw, now, pull):
        """pull(): the other end is gone."""
        self.given: list[tuple[bytes, float]] = []
        self.pulls = 0
        self._draw, self._now, self._pull = draw, now, pull
        self.plug_in()

    def __getattr__(self, name):
        return getattr(os, name)

    def plug_in(self):
        self.left = self._draw.randrange(2 * BYTES)

    def read(self, descriptor, most):
        """What comes before the cable is pulled; a read that ends there is shorter than what had been announced."""
        data = os.read(descriptor, most)
        if len(data) > self.left:
            data = data[: self.left]
            self.pulls += 1
            self._pull()
        self.left -= len(data)
        if not data:
            raise OSError(errno.EIO, "Input/output error")
        self.given.append((data, self._now()))
        return data


class Hour:
    """The board, the cable and the clock; what a target is to the capture."""

    def __init__(self, seed, monkeypatch):
        self.draw = random.Random(seed)
        self.now = 0.0
        self.os = PulledOs(self.draw, lambda: self.now, self.pull)
        monkeypatch.setattr(port_room, "os", self.os)
        monkeypatch.setattr("serial.serialposix.os", self.os)
        monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0.0002)
        self.board, self.round = FakeBoard(), 0
        self.board.start()
        self.names = set()
        self.wire, self.plugged = Wire(), False
        self.away = 0

    def open(self):
        self.os.plug_in()
        self.plugged, self.away = True, self.draw.randrange(3)
        self.names.add(self.wire.device)
        return self.wire.port()

    def pull(self):
        """The port is gone; the next has another name."""
        last, self.wire = self.wire, Wire()
        last.cut()
        self.plugged = False

    def open_again(self):
        if self.away:
            self.away -= 1
            return None
        return self.open()

    def check(self):
        pass

    def pause(self, seconds):
        self.now += seconds

    def over(self):
        """Half a second passes, and the board says what it has to say in it."""
        self.now += 0.5
        self.board.t_ms += 500
        if self.plugged:
            os.write(self.wire.master, self.says())
        return self.now >= HOUR_S

    def says(self):
        what = self.draw.random()
        if what < 0.02:
            return b'Traceback (most recent call last):\r\n  File "<stdin>"\r\n' + self.draw.randbytes(30)
        if what < 0.1:
            self.round += 1
            return self.board.play(self.round)
        return self.board.status() if what < 0.8 else self.board.hello()


@pytest.mark.parametrize("seed", [SEED])
def test_an_hour_with_a_thousand_cable_pulls_loses_no_byte_that_arrived(tmp_path, monkeypatch, seed):
    print(f"seed {seed}")
    hour = Hour(seed, monkeypatch)
    screen = Screen(Console(file=io.StringIO()), Console(file=io.StringIO()), quiet=True)
    clock = RunClock(lambda: hour.now, lambda: NOON + timedelta(seconds=hour.now))
    rotation = Rotation(size_bytes=200_000, after_s=900)
    with Capture(tmp_path, NOON, rotation, Sync.CLOSE) as capture:
        work = Listening(hour, capture, screen, clock, load_board("pico"))
        work.until(hour.open(), hour.over, hour.pause)
    screen.close()

    assert hour.os.pulls >= work.drops >= PULLS and len(hour.names) > 1
    kept, times = b"", []
    for log in sorted(tmp_path.glob("*.log")):
        rows = [row.split(",") for row in times_path(log).read_text().splitlines()[1:]]
        times += [(len(kept) + int(offset), datetime.fromisoformat(at)) for offset, at in rows]
        kept += log.read_bytes()
    given = b"".join(data for data, _ in hour.os.given)
    print(f"{len(given)} bytes, {hour.os.pulls} pulls, {len(list(tmp_path.glob('*.log')))} files")
    assert len(given) > 350_000
    assert kept == given
    # The time of each byte is that of its read, to the step of virtual time.
    came = {NOON + timedelta(seconds=now): None for _, now in hour.os.given}
    assert {at for _, at in times} == set(came)
    assert work.watch.bytes == len(given)
