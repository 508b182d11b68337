"""One trial: a seed, a table, rounds among faults; then the second question: does it go on once the faults stop?"""

import traceback
from collections import Counter
from typing import NamedTuple, NoReturn

from tumbler.core import round as R
from tumbler.core import ticks

from host_tools.soak.board import Board
from host_tools.soak.dealer import Dealer
from host_tools.soak.faults import Faults
from host_tools.soak.host import Host
from host_tools.soak.money import WAGERS, Money
from host_tools.soak.office import Office
from host_tools.soak.safety import Broken, Safety
from host_tools.soak.world import Steps, World

ROUNDS = 3
FAULTS_MS = 240_000  # the faults end after so long, however few rounds were played
CALM_MS = 180_000  # all must be mended, acked, settled and one more round played within this
WRAP_EARLY_MS = 5000
LOOK_MS = 10_000  # so often the operator looks at the alarms of a run that goes on


class Outcome(NamedTuple):
    """What a trial came to. `broken` is empty if all promises were kept; `log` is the same on every run of a seed."""

    seed: int
    broken: str
    rounds: int
    records: int
    wagers: int
    orders: int
    faults: dict[str, int]
    alarms: dict[str, int]
    log: list[str]


class Trial:
    """run() plays it."""

    def __init__(self, seed: int) -> None:
        self.world = World(seed)
        self.safety = Safety(self.world)
        chance = self.world.chance("trial")
        base_ms = ticks.MASK + 1 - WRAP_EARLY_MS if chance.random() < 0.25 else 0
        self.board = Board(self.world, self.safety, base_ms)
        self.host = Host(self.world, self.board.wire, WAGERS, lambda: self.over)
        self.faults = Faults(self.world, self.board, self.host)
        self.dealer = Dealer(self.world, self.board, ROUNDS, self.faults.slips)
        self.office = Office(self.world, self.host, self.safety)
        self.safety.stored = self._stored
        self.money = Money(self.host, self.safety)
        self.alarms: Counter[str] = Counter()
        self.over = False

    def run(self) -> Outcome:
        broken = ""
        world = self.world
        try:
            world.start(self.dealer.work())
            world.start(self.faults.work())
            world.start(self.office.counter())
            if self.faults.orders_ms:
                world.start(self.office.boss(self.faults.orders_ms))
            world.start(self._course())
            world.start(self._operator())
            self.board.power_on()
            down = world.chance("downtime")
            while not self.over:
                self.host.live()
                self._check()
                if not self.over:
                    world.advance(down.randint(200, 8000), lambda: self.over)
                    self._confirm()
        except Broken as error:
            broken = str(error)
        except Exception as error:  # whatever the product lets through ends it
            place = traceback.extract_tb(error.__traceback__)[-1]
            told = " ".join(str(error).split())[:200]
            broken = f"the program ends with {type(error).__name__} in {place.name}: {told}"
        finally:
            self.host.close()
        faults = {**self.faults.seen, "line": self.board.wire.faults}
        played, kept, wagers = self.dealer.begun, len(self.safety.lines), self.money.wagers
        return Outcome(
            world.seed, broken, played, kept, wagers, self.office.orders, faults, dict(self.alarms), world.log
        )

    def _stored(self, dev: str) -> tuple[int, int]:
        count, last = self.host.rows("select count(*), coalesce(max(seq), 0) from records where dev = ?", dev)[0]
        if count != last:
            self.safety.broken(f"the store has {count} records up to {last}")
        return count, last

    def _course(self) -> Steps:
        """Faults, then calm, then one more round."""
        while self.dealer.begun < ROUNDS and self.world.now_ms < FAULTS_MS:
            yield 500
        yield self.world.chance("course").randint(0, 5000)
        self.world.say("the faults stop")
        self.faults.calm()
        self.dealer.calm(0)
        self.office.open = False
        end_ms = self.world.now_ms + CALM_MS
        while self._waits_for():
            if self.world.now_ms >= end_ms:
                self._stuck()
            yield 500
        self.world.say("all is acked and settled; one more round")
        self.dealer.calm(1)
        number = self._round() + 1
        while self._waits_for() or not self._played(number):
            if self.world.now_ms >= end_ms:
                self._stuck()
            yield 500
            if not self._waits_for() and not self._played(number):
                self.dealer.calm(1)  # that round was void, or not begun: what the faults left behind came up in it
        self.over = True

    def _stuck(self) -> NoReturn:
        self.safety.broken(f"it does not go on: {self._waits_for() or 'the new round is not played'}")

    def _round(self) -> int:
        return 0 if self.board.terminal is None else self.board.terminal.round.round

    def _waits_for(self) -> str:
        """What is not yet as it should be; empty when all is."""
        terminal = self.board.terminal
        if terminal is None:
            return "the board is off"
        if terminal.round.state != R.IDLE:
            return f"the board is in state {terminal.round.state}"
        if terminal.journal.unacked():
            return f"{terminal.journal.unacked()} records are not acked"
        if self.host.rows("select 1 from rounds where not settled"):
            return "a round is not settled"
        if self.office.waits():
            return "the end of an order is not known"
        return ""

    def _played(self, number: int) -> bool:
        """The new round has a result and its wagers."""
        dev = self.safety.dev
        rows = self.host.rows("select state from rounds where dev = ? and round >= ? and settled", dev, number)
        return any(state == "result" for (state,) in rows)

    def _check(self) -> None:
        """A process has ended: what is in the store?"""
        for dev, seq, line in self.host.rows("select dev, seq, line from records order by dev, seq"):
            kept = self.safety.lines.get((dev, seq))
            if kept != line.encode() + b"\n":
                self.safety.broken(f"record {seq} in the store was altered: {line}, kept was {kept!r}")
        self.money.check()
        self.office.check()

    def _operator(self) -> Steps:
        """Sees that the run has stopped settling, and ends it as the alarm's text says; _confirm() is next."""
        while not self.over:
            yield LOOK_MS
            if self.host.alive and self.host.rows("select 1 from alarms where confirmed_at is null"):
                self.host.interrupted = True

    def _confirm(self) -> None:
        """The operator answers for every alarm."""
        for alarm in self.host.operator.open_alarms():
            self.world.say(f"alarm {alarm.kind}")
            if not self.expected(alarm.kind):
                self.safety.broken(f"a false alarm: {alarm.kind}: {alarm.text}")
            if alarm.kind in ("new_dev", "replaces", "other_dev"):
                self._enrol()
            self.host.operator.confirm_alarm(alarm.id, "operator", self.host.wall())

    def _enrol(self) -> None:
        """The new dev serves the table of the first one that this host met: there is but one table."""
        table = self.host.operator.enrolments()[0].table_name
        self.host.operator.enrol(self.board.identity.dev, table, self.host.wall())

    def expected(self, kind: str) -> bool:
        """Only a wiped flash loses records. On a bad line questions stay without an answer, too."""
        self.alarms[kind] += 1
        bad_line = self.board.wire.faults or self.faults.seen["hold"] or self.faults.seen["pull"]
        if self.faults.wiped and kind in ("new_dev", "replaces", "journal_behind"):
            return True
        if self.faults.wiped and kind == "other_dev":
            # The first record did not come through for long, or the new dev said hello and could not keep a record.
            return bool(bad_line) or self.faults.seen["flash_fail"] > 0
        return kind == "no_proof" and bool(bad_line)
