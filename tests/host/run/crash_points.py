"""The host dies at an enumerated point of a round: before each SQL statement, before and after each commit, before and
after each line that it sends. `python -m tests.host.run.crash_points` prints the list and dies at every one of them.

The board is played over a real pseudo terminal; the store is a file. A death is an exception that no room catches: the
transaction is given up as a killed process gives it up, the port is closed, the lease stays.
"""

import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event

from host_tools.store.database import Database
from tests.host.run.table_bench import WAGERS, Bench, Wire, started


class Killed(BaseException):
    """The host is dead."""


class Points:
    """Counts the points as they are passed, names them, and kills at number `fatal` (0: never)."""

    def __init__(self, fatal=0):
        self.fatal, self.passed = fatal, []

    def reach(self, what):
        self.passed.append(what)
        if len(self.passed) == self.fatal:
            raise Killed(what)

    @contextmanager
    def watched(self, port):
        """Everything that a run on this port does in here passes the points."""

        def statement(connection, cursor, text, *_):
            self.reach(f"before {' '.join(text.split()[:3])}")

        writing, write = Database.writing, port.write

        @contextmanager
        def committing(database):
            with writing(database) as connection:
                yield connection
                self.reach("before commit")
            self.reach("after commit")

        def sending(data):
            kind = "ack" if b'"cmd":"ack"' in data else "line"
            self.reach(f"before {kind}")
            write(data)
            self.reach(f"after {kind}")

        event.listen(Engine, "before_cursor_execute", statement)
        Database.writing, port.write = committing, sending
        try:
            yield
        finally:
            Database.writing, port.write = writing, write
            event.remove(Engine, "before_cursor_execute", statement)


def play_and_die(folder, fatal):
    """A round with wagers, a correction and a meter, the host killed at point `fatal` and started again.

    -> (what the store holds in the end, the points that were passed until the death or the end).
    """
    board = started()
    made = Bench(folder, board=board, wagers=WAGERS)
    points = Points(fatal)
    steps = [
        lambda: board.status(),
        lambda: board.lines[0],
        lambda: board.write("spin", 1, 3),
        lambda: board.write("bets_open", 1, 3),
        lambda: board.status("BETTING", 1),
        lambda: board.write("bets_closed", 1, "dealer") + board.write("uncovered", 1),
        lambda: board.write("result", 1, (1, 3, 6), 4),
        lambda: board.write("correction", 1, board.boot, 6, (5, 5, 5), "supervisor", "wrong_entry"),
        lambda: board.write("meter", 1, 4, 1, 0, 1, 0, 3),
    ]
    for number, step in enumerate(steps):
        said = step()
        try:
            with points.watched(made.port):
                made.say(said)
        except Killed:
            made = _started_again(folder, made, board)
            made.say(board.status("BETTING", 1) if number == 4 else board.status())
        made.pass_time(0.25)
    made.say(b"".join(board.unacked()))
    assert board.acked == len(board.lines), "the host has all and says so"
    assert made.stored() == board.lines, "each record once, as it was written"
    held = {name: _rows(made, query) for name, query in _HELD.items()}
    _close(made)
    return held, points.passed


_HELD = {
    "rounds": "select round, state, dice, boot, seq, settled from rounds order by round",
    "wagers": "select round, wager_id, place, stake_cents from wagers order by place",
    "settlements": "select round, wager_id, entry, boot, seq, outcome, won_cents, returned_cents, reverses "
    "from settlements order by id",
}


def _rows(made, query):
    with made.store._db.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def _close(made):
    for closed in (made.port, made.capture, made.store):
        closed.close()


def _started_again(folder, dead, board):
    """Another run on the same store and board; it waits until the lease of the dead one is over."""
    _close(dead)
    made = Bench(folder, board=board, wagers=WAGERS, wire=Wire())
    made.now, made.run._opened_s = dead.now, dead.now
    while made.run._session.dev is None:
        made.pass_time(2)
        board.nonces += 1
        made.say(board.hello())
    made.say(b"".join(board.unacked()))
    return made


def main() -> None:
    """Dies at every point. Raises SystemExit where the store then differs from that of a host that never died."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        (Path(folder) / "0").mkdir()
        whole, points = play_and_die(Path(folder) / "0", 0)
        for fatal, what in enumerate(points, 1):
            place = Path(folder) / str(fatal)
            place.mkdir()
            held, _ = play_and_die(place, fatal)
            print(f"{fatal:4d}  {what}: {'exactly once' if held == whole else 'DIFFERS'}")
            if held != whole:
                raise SystemExit(1)
    print("; ".join(f"{what}: {count}" for what, count in Counter(points).most_common()))


if __name__ == "__main__":
    main()
