"""A craps table: who throws the dice, who is offered them, which point is on, and what happens to a die off the table.

Source: rules 5.7-5.11 and 6.1 (a), (b), New Zealand Gazette 1998 No 19 p 430. Who may be a shooter at all, what an
invalid roll is and how a game is opened stand on pages that were not read: a shooter is eligible here while he holds a
Pass or Don't Pass bet, people say that a roll is invalid, and the first dice are offered from the stickperson's left.
"""

from collections.abc import Sequence
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.craps.bets import Bets, Standing
from host_tools.settler.craps.wagers import CrapsPaytable, Dice
from host_tools.settler.settle import Settlement, Wager

# Where the dice are.
OFFERED = "offered"
SHOOTER = "shooter"
STICK = "stick"
SHOOTER_DIE_OFF = "shooter, die off the table"
STICK_DIE_OFF = "stick, die off the table"

# What can happen to them.
ACCEPT = "accept"
DECLINE = "decline"
NOBODY = "nobody accepts"
ROLL = "roll"
DECISION = "deciding roll"
SEVEN_OUT = "7 Out"
PASS = "pass the dice"
REQUIRE = "require to pass"
INVALID = "invalid roll"
DIE_OFF = "die leaves the table"
REPLACED = "die replaced"

TABLE: dict[str, dict[str, str]] = {
    OFFERED: {ACCEPT: SHOOTER, DECLINE: OFFERED, NOBODY: STICK},
    SHOOTER: {
        ROLL: SHOOTER,
        DECISION: SHOOTER,
        SEVEN_OUT: OFFERED,
        PASS: OFFERED,
        REQUIRE: OFFERED,
        INVALID: SHOOTER,
        DIE_OFF: SHOOTER_DIE_OFF,
    },
    STICK: {ROLL: STICK, DECISION: OFFERED, SEVEN_OUT: OFFERED, INVALID: STICK, DIE_OFF: STICK_DIE_OFF},
    SHOOTER_DIE_OFF: {REPLACED: SHOOTER},
    STICK_DIE_OFF: {REPLACED: STICK},
}
"""Where the dice are x what happens -> where they are then. What is not in it cannot happen, and is refused."""

# What a valid roll is called.
NATURAL = "natural"
CRAPS = "craps"
POINT_SET = "point set"
POINT_MADE = "point made"
NO_DECISION = "no decision"

REASONS = ("delay", "invalid_rolls", "breach")
"""Rule 5.8(b): why a game supervisor may require the shooter to pass the dice."""

ALL_DICE = frozenset((1, 2, 3, 4, 5))
"""The complete set, by numbers of our own."""


class Rolled(NamedTuple):
    """What a valid roll did: `called` it is, `point` after it, what it settled, and the wagers that it moved."""

    dice: Dice
    called: str
    point: int | None
    settlements: list[Settlement]
    moved: list[Standing]


class CrapsTable:
    """One table; `players` stand around it clockwise, the first at the stickperson's left.

    Every method raises UserError for what the rules do not allow, and then nothing has changed.
    """

    def __init__(self, paytable: CrapsPaytable, players: Sequence[str]) -> None:
        self.players = tuple(players)
        self.bets = Bets(paytable)
        self.where = OFFERED
        self.shooter: str | None = None
        self.point: int | None = None
        self.in_hand: frozenset[int] = frozenset()
        self.off_table: frozenset[int] = frozenset()
        self._left_of = -1  # place of who gave the dice up; the offer begins after it
        self._out: set[str] = set()  # who is not offered them: the shooter before, and who declined
        self._rolled = False

    @property
    def in_bowl(self) -> frozenset[int]:
        """The dice that are neither with whoever throws nor off the table."""
        return ALL_DICE - self.in_hand - self.off_table

    def place(self, wager: Wager) -> None:
        """Take a wager of somebody at the table, as Bets.place."""
        if wager.player not in self.players:
            raise UserError(f"Wager {wager.wager_id!r} is not taken: {wager.player} is not at this table.")
        self.bets.place(wager, self.point)

    # ------------------------------------------------------------ offering, 5.9-5.11

    def offered_to(self) -> str | None:
        """To whom the dice are offered now: the next to the left with a Pass or Don't Pass bet, or None.

        Not to the shooter who has just relinquished them.
        """
        if self.where != OFFERED:
            return None
        places = len(self.players)
        clockwise = [self.players[(self._left_of + step) % places] for step in range(1, places + 1)]
        eligible = self.bets.line_players - self._out
        return next((player for player in clockwise if player in eligible), None)

    def accept(self, player: str, keeps: Sequence[int]) -> None:
        """The player becomes the shooter and keeps 2 of the 5 dice; the others go back to the bowl (5.10)."""
        self._check_offered(player)
        kept = frozenset(keeps)
        if kept & self.off_table:
            raise UserError(
                f"Dice {sorted(kept & self.off_table)} left the table and were not found: "
                f"keep 2 of {sorted(self.in_bowl)}."
            )
        if len(keeps) != 2 or len(kept) != 2 or not kept <= ALL_DICE:
            raise UserError(f"{player} keeps 2 different dice of the 5: name two numbers from 1 to 5.")
        self._go(ACCEPT)
        self.shooter, self._rolled = player, False
        self.in_hand = kept

    def decline(self, player: str) -> None:
        """The player does not take the dice; they are offered to the next."""
        self._check_offered(player)
        self._go(DECLINE)
        self._out.add(player)

    def stick_throws(self) -> None:
        """With nobody eligible and willing, and a wager undetermined, the stickperson throws 2 of the dice (5.11).

        Those of the lowest numbers, of which two are always there: 3 at most are off the table while 2 are thrown.
        """
        offered = self.offered_to()
        if offered is not None:
            raise UserError(f"The dice are offered to {offered}: wait for an answer.")
        if self.where == OFFERED and not self.bets.standing:
            raise UserError("No wager is undetermined: nothing is thrown until somebody wagers.")
        self._go(NOBODY)
        self.in_hand = frozenset(sorted(self.in_bowl)[:2])

    def _check_offered(self, player: str) -> None:
        offered = self.offered_to()
        if offered is None or player != offered:
            raise UserError(f"The dice are not offered to {player} but to {offered or 'nobody'} now.")

    # ------------------------------------------------------------ rolling, 5.7 and 5.8

    def roll(self, dice: Dice) -> Rolled:
        """A valid roll: settles what it decides, moves the point, and after a 7 Out the dice go on."""
        if len(dice) != 2 or any(type(value) is not int or not 1 <= value <= 6 for value in dice):
            raise ValueError(f"{dice!r} are not two dice")
        if self.where == SHOOTER and self.shooter not in self.bets.line_players:
            raise UserError(f"{self.shooter} has no Pass or Don't Pass bet: place one, or pass the dice.")
        self._next(ROLL)
        called, point = called_roll(self.point, sum(dice))
        settlements, moved = self.bets.roll(dice, come_out=self.point is None)
        self.point, self._rolled = point, True
        # A natural that decides no wager is no determination: the stickperson throws on (5.11).
        called_a_decision = called in (NATURAL, CRAPS, POINT_MADE) and bool(settlements)
        decided = called_a_decision or not self.bets.standing
        self._go(SEVEN_OUT if called == SEVEN_OUT else DECISION if decided else ROLL)
        if self.where == OFFERED:
            self._give_up_dice()
        return Rolled(dice, called, point, settlements, moved)

    def invalid_roll(self) -> None:
        """A roll that somebody called invalid: every wager stands, and the same hand throws again."""
        self._go(INVALID)

    def pass_dice(self) -> None:
        """The shooter passes the dice of his own will, after any roll (5.8)."""
        if self.where == SHOOTER and not self._rolled:
            raise UserError(f"{self.shooter} has not rolled yet: the dice are passed after a roll.")
        self._go(PASS)
        self._give_up_dice()

    def require_pass(self, reason: str) -> None:
        """The game supervisor has the shooter pass the dice, for one of REASONS (5.8(b))."""
        if reason not in REASONS:
            raise UserError(f"{reason!r} is no reason to take the dice: give one of {', '.join(REASONS)}.")
        self._go(REQUIRE)
        self._give_up_dice()

    def _give_up_dice(self) -> None:
        """A new offer begins, at the left of the last shooter; all may take part but one who shot right before."""
        self._out = set()
        if self.shooter is not None:
            self._left_of = self.players.index(self.shooter)
            self._out = {self.shooter}
        self.shooter, self.in_hand = None, frozenset()

    # ------------------------------------------------------------ a die off the table, 6.1

    def die_leaves(self, dice: Sequence[int]) -> None:
        """Dice leave the table: the roll does not count, every wager stands, and the dice are looked for (6.1(a))."""
        gone = frozenset(dice)
        if not gone or not gone <= self.in_hand:
            raise UserError(f"Dice {sorted(gone)} were not thrown: name some of {sorted(self.in_hand)}.")
        self._go(DIE_OFF)
        self.in_hand, self.off_table = self.in_hand - gone, self.off_table | gone

    def replace(self, chosen: Sequence[int], found: Sequence[int]) -> None:
        """Whoever throws takes dice for those that left: of the bowl, or, if it was `found`, the original (6.1(b))."""
        self._next(REPLACED)
        new, back = frozenset(chosen), frozenset(found)
        self._check_left(back)
        wanted = 2 - len(self.in_hand)
        choice = self.in_bowl | back
        if len(chosen) != wanted or len(new) != wanted or not new <= choice:
            raise UserError(
                f"Take {wanted} of dice {sorted(choice)} for what left the table; what is found can be taken, too."
            )
        self._go(REPLACED)
        self.in_hand |= new
        self.off_table -= back  # one that is not wanted again goes to the bowl

    def found(self, dice: Sequence[int]) -> None:
        """Dice that left the table are back, found or put in anew by the operator, and in the bowl."""
        back = frozenset(dice)
        if not back:
            raise UserError("No die is named: write which is found.")
        self._check_left(back)
        self.off_table -= back

    def _check_left(self, dice: frozenset[int]) -> None:
        if not dice <= self.off_table:
            left = sorted(self.off_table)
            raise UserError(f"Dice {sorted(dice - self.off_table)} did not leave the table: name some of {left}.")

    def _go(self, event: str) -> None:
        self.where = self._next(event)

    def _next(self, event: str) -> str:
        """Where TABLE sends the dice. Raises UserError when the event cannot be now."""
        to = TABLE[self.where].get(event)
        if to is None:
            can = ", ".join(TABLE[self.where])
            raise UserError(f"That cannot be now ({event}), the dice are: {self.where}. What can: {can}.")
        return to


def called_roll(point: int | None, total: int) -> tuple[str, int | None]:
    """What a roll of `total` is called under a point or none -> (its name, the point after it)."""
    if point is None:
        if total in (7, 11):
            return NATURAL, None
        return (CRAPS, None) if total in (2, 3, 12) else (POINT_SET, total)
    if total == 7:
        return SEVEN_OUT, None
    return (POINT_MADE, None) if total == point else (NO_DECISION, point)
