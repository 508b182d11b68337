"""The people at the table: a dealer who plays rounds, a supervisor who clears faults, and their slips."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import round as R

from host_tools.soak.board import COVER, Board, Settings
from host_tools.soak.world import Steps, World

TRIES = 3  # then the supervisor switches the board off and on
SLIPS = ("lift", "early", "estop", "junk", "two_keys", "wrong", "void", "contacts", "slow")
NO_JOURNAL = 1 << F.FAULTS.index("journal")
LOST = 1 << F.FAULTS.index("journal_lost")
POWER_LOST = 1 << F.FAULTS.index("power_lost")


class Dealer:
    """Looks at the terminal and does what comes next. `slips`: what goes wrong at their hands, until calm()."""

    def __init__(self, world: World, board: Board, rounds: int, slips: list[str]) -> None:
        self._world, self._board, self._slips = world, board, slips
        self._chance = world.chance("dealer")
        self.wanted = rounds  # rounds with a result or void that are to be played
        self.begun = 0
        self._tries = 0

    def calm(self, rounds: int) -> None:
        """No slips any more; play so many rounds from now on."""
        self._slips = []
        self.wanted = self.begun + rounds

    def slips(self, what: str, chance: float) -> bool:
        return what in self._slips and self._chance.random() < chance

    def work(self) -> Steps:
        """All day long."""
        yield 1000
        while True:
            state = self._board.state
            yield from self._idle(500) if state is None else self._act(state)

    def _idle(self, ms: int) -> Steps:
        yield ms

    def _act(self, state: int) -> Steps:
        if state == R.FAULT:
            return self._mend()
        if state == R.IDLE:
            return self._spin()
        if state == R.BETTING:
            return self._close_bets()
        if state == R.CLOSED:
            return self._uncover()
        if state == R.UNCOVERED:
            return self._enter()
        if state == R.RESULT:
            return self._cover_up()
        return self._wait()

    # ------------------------------------------------------------ hands

    def press(self, *bits: int) -> Steps:
        """Keys, with bounce at both ends."""
        for on in (True, False):
            for bit in bits:
                for _ in range(self._chance.choice((0, 0, 2, 4))):
                    self._board.set(bit, on)
                    on_ms = self._chance.randint(1, 3)
                    yield on_ms
                    self._board.set(bit, not on)
                    yield on_ms
                self._board.set(bit, on)
                yield self._chance.randint(0, 8)
            yield self._chance.randint(70, 160)

    def digits(self, numbers: tuple[int, ...]) -> Steps:
        for number in numbers:
            yield from self.press(E.KEY1 << number - 1)

    def cover(self, is_open: bool) -> Steps:
        """Its two contacts move one after the other."""
        for bit in self._chance.sample((E.COVER_OPEN, E.COVER2_OPEN), 2):
            self._board.set(bit, is_open)
            yield self._chance.randint(1, 25)
        yield 100

    def as_supervisor(self, numbers: tuple[int, ...]) -> Steps:
        yield from self._turn_key(True)
        yield from self.digits(numbers)
        yield from self.press(E.ENTRY_KEY)
        yield from self._turn_key(False)

    def _turn_key(self, on: bool) -> Steps:
        self._board.set(E.SUPERVISOR, on)
        yield 120

    def dice(self) -> tuple[int, int, int]:
        return (self._chance.randint(1, 6), self._chance.randint(1, 6), self._chance.randint(1, 6))

    # ------------------------------------------------------------ the round

    def _spin(self) -> Steps:
        self._tries = 0
        if self._board.mask & COVER:
            yield from self.cover(False)
        if self.slips("void", 0.1):
            yield from self.as_supervisor((self._chance.randint(1, 6),))
        if self.begun >= self.wanted:
            yield 500
            return
        before = self._round()
        yield from self.press(E.SPIN_KEY)
        yield 30
        if self._round() > before:
            self.begun += 1

    def _round(self) -> int:
        return 0 if self._board.terminal is None else self._board.terminal.round.round

    def _wait(self) -> Steps:
        if self.slips("lift", 0.1):
            yield from self.cover(True)
            yield from self.cover(False)
        if self.slips("contacts", 0.05):
            yield from self._one_contact()
        if self.slips("estop", 0.05):
            yield from self._estop()
        yield self._chance.randint(100, 500)

    def _one_contact(self) -> Steps:
        self._board.set(E.COVER2_OPEN, True)
        yield self._chance.randint(5, 200)
        self._board.set(E.COVER2_OPEN, False)

    def _estop(self) -> Steps:
        self._board.set(E.ESTOP, True)
        yield self._chance.randint(20, 400)
        self._board.set(E.ESTOP, False)

    def _close_bets(self) -> Steps:
        yield self._chance.randint(1500, 4000)
        if self.slips("early", 0.1):
            yield from self.cover(True)
            return
        if self.slips("two_keys", 0.2):
            yield from self.press(E.NO_MORE_KEY, E.SPIN_KEY)
        yield from self.press(E.NO_MORE_KEY)

    def _uncover(self) -> Steps:
        yield self._chance.randint(300, 1000)
        if self.slips("junk", 0.2):
            yield from self.digits(self.dice())
        if self.slips("slow", 0.05):
            yield 1000 * Settings.UNCOVER_LIMIT_S + 500
        if self._board.mask & COVER:  # the power came back with the cover off, and the supervisor let it go on
            yield from self.cover(False)
        yield from self.cover(True)

    def _enter(self) -> Steps:
        yield self._chance.randint(200, 800)
        if self.slips("junk", 0.2):
            yield from self.press(E.ENTRY_KEY)
            yield from self.digits(self.dice()[:2])
        if self.slips("void", 0.1):
            yield from self.as_supervisor((self._chance.randint(1, 6),))
            return
        yield from self.digits(self.dice())
        yield from self.press(E.ENTRY_KEY)

    def _cover_up(self) -> Steps:
        if self.slips("wrong", 0.2):
            yield from self.as_supervisor(self.dice())
        if self.slips("void", 0.1):
            yield from self.as_supervisor((self._chance.randint(1, 6),))
        if not self._board.mask & COVER:
            yield from self.cover(True)
        yield from self.cover(False)

    # ------------------------------------------------------------ faults

    def _mend(self) -> Steps:
        """The supervisor: cause away, then 1 to clear, 2 to go on, 3 for a new dev; power off and on if that fails."""
        yield self._chance.randint(300, 1500)
        terminal = self._board.terminal
        if terminal is None:
            return
        causes = terminal.round.causes
        self._tries += 1
        if (causes & NO_JOURNAL and not terminal.journal_ok) or self._tries > TRIES:
            self._tries = 0
            self._board.restart("power", 1000)
            yield 2500
            return
        what = 1
        if causes & LOST:
            what = 3
        elif causes == POWER_LOST and not self._board.mask & COVER and self._chance.random() < 0.5:
            what = 2
        yield from self.as_supervisor((what,))
