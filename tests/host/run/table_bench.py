"""A run and the board that the test plays, with a real pseudo terminal between them; time is moved by the test."""

import io
import os
import select
import tty
from datetime import datetime, timedelta, timezone

from rich.console import Console

from host_tools.capture import Capture
from host_tools.link.port import Port
from host_tools.run.clock import RunClock
from host_tools.run.screen import Screen
from host_tools.run.table import TableRun
from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.store import Settler, Store
from tests.host.link.fake_board import FakeBoard

HOIANA = paytables.load("hoiana")
WAGERS = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "total", "15", 500)]


NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


class Wire:
    """A board's end of a pseudo terminal."""

    def __init__(self):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.device = os.ttyname(slave)
        self.slave = slave  # kept open, so that the master survives a host that is not there yet
        self.written = 0  # by the host, as far as the board has not heard it

    def port(self):
        """The host's end; it counts what is written, for a pseudo terminal delivers when it likes."""
        port = Port(self.device)
        write = port.write

        def counted(data):
            write(data)
            self.written += len(data)

        port.write = counted
        return port

    def heard(self):
        """All that the host wrote since the last time."""
        data = b""
        while len(data) < self.written:
            assert select.select([self.master], [], [], 5)[0], "what the host wrote does not arrive"
            data += os.read(self.master, 65536)
        self.written = 0
        return data

    def cut(self):
        os.close(self.master)
        os.close(self.slave)


class Bench:
    """A run with its store and screen, a board and the wire between them; time is moved by the test."""

    def __init__(self, tmp_path, board=None, wagers=(), wire=None, now=100.0):
        self.wire = wire or Wire()
        self.board = board or FakeBoard()
        self.now = now
        self.set_s = 0.0  # by how much the wall clock was set
        self.text = io.StringIO()
        self.store = Store.open(f"sqlite:///{tmp_path}/t.db")
        screen = Screen(Console(file=self.text, width=120), HOIANA)
        self.capture = Capture(tmp_path / "out", datetime.now(timezone.utc))
        clock = RunClock(lambda: self.now, lambda: NOON + timedelta(seconds=self.now - 100.0 + self.set_s))
        self.run = TableRun(self, self.store, Settler(HOIANA), wagers, self.capture, screen, clock)
        self.port = self.open()
        self.sent = 0
        self.waits = 0

    # what a target is to a run
    def open(self):
        return self.wire.port()

    def open_again(self):
        return self.open()

    def check(self):
        pass

    def close(self):
        pass

    def say(self, data):
        """The board says bytes, in pieces that a pseudo terminal takes, and hears the answers until it is quiet."""
        while data:
            while data:
                self.write(data[:1024])
                data = data[1024:]
            data = self.board.hear(self.wire.heard())

    def write(self, data):
        """Write to the wire and let the run read all of it."""
        os.write(self.wire.master, data)
        self.sent += len(data)
        for _ in range(1000):
            self.run.step(self.port)
            if self.capture.log_path.stat().st_size == self.sent:
                return
        raise AssertionError("what was written does not arrive")

    def pass_time(self, seconds):
        """For the board and the host alike."""
        self.now += seconds
        self.board.t_ms += round(seconds * 1000)

    def wait(self, seconds):
        self.now += seconds
        self.run.step(self.port)

    def meet(self):
        self.say(self.board.status())
        return self

    def stored(self):
        with self.store._db.reading() as connection:
            rows = connection.exec_driver_sql("select line from records order by seq")
            return [row[0].encode() + b"\n" for row in rows]

    def shown(self):
        return self.text.getvalue()


def started(**kwargs):
    board = FakeBoard(**kwargs)
    board.start()
    return board


def play(bench, number, dice=(1, 3, 6)):
    """One round as a board sends it, with a status BETTING."""
    board = bench.board
    bench.say(board.write("spin", number, 3))
    bench.say(board.write("bets_open", number, 3))
    bench.say(board.status("BETTING", number))
    bench.pass_time(1)
    bench.say(board.write("bets_closed", number, "dealer"))
    bench.say(board.write("uncovered", number))
    bench.say(board.write("result", number, dice, 4))
