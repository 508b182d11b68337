"""A craps table kept by lines of text: what the dealer types, and what follows from it.

The results of craps are typed, as no terminal of ours reads two dice. One line is one thing that happened:

    bet Ben place 6 12.00     accept Aroha 2 4     roll 3,4     off 4             invalid     found 4
    bet Aroha pass 10.00      decline Ben          pass         take 4 found 4    stick       require delay
"""

from collections.abc import Callable, Sequence

from host_tools.errors import UserError
from host_tools.settler.amounts import parse_cents, shown
from host_tools.settler.craps.bets import Standing
from host_tools.settler.craps.table import OFFERED, CrapsTable
from host_tools.settler.craps.wagers import KINDS, parse_roll
from host_tools.settler.render import money, paytable_line
from host_tools.settler.settle import Settlement, Wager
from host_tools.settler.typed import LOOK, misused, settled, split, sums_of


class Session:
    """One table from its first line on; `settlements` is all that was settled, in order."""

    def __init__(self, table: CrapsTable) -> None:
        self.table = table
        self.settlements: list[Settlement] = []
        self.rounds = 0  # how often was rolled
        self._verbs: dict[str, tuple[str, Callable[[list[str]], list[str]]]] = {
            "bet": ("bet PLAYER KIND [SELECTION] STAKE", self._bet),
            "accept": ("accept PLAYER DIE DIE", self._accept),
            "decline": ("decline PLAYER", self._decline),
            "stick": ("stick", self._stick),
            "roll": ("roll 3,4", self._roll),
            "invalid": ("invalid", self._invalid),
            "pass": ("pass", self._pass),
            "require": ("require REASON", self._require),
            "off": ("off DIE [DIE]", self._off),
            "take": ("take DIE [DIE] [found DIE...]", self._take),
            "found": ("found DIE [DIE...]", self._found),
            LOOK: ("wagers", self._wagers),
        }

    def do(self, line: str) -> list[str]:
        """Do what one line says -> the lines that answer it. Raises UserError; then nothing has changed."""
        verb, words = split(line, self._verbs)
        usage, act = self._verbs[verb]
        try:
            said = act(words)
        except _UsageError:
            raise misused(line, usage) from None
        if self.table.where == OFFERED and verb != LOOK:
            offered = self.table.offered_to()
            said.append(f"The dice are offered to {offered}." if offered else "Nobody is left to be offered the dice.")
        return said

    def sums(self) -> str:
        """The sums over all that was settled, what still stands, and the paytable."""
        standing = sum(standing.wager.stake_cents for standing in self.table.bets.standing.values())
        sums = f"{sums_of(self.settlements)} · still standing {money(standing)}"
        return f"{sums}\n{paytable_line(self.table.bets.paytable)}"

    def _bet(self, words: list[str]) -> list[str]:
        if not 3 <= len(words) <= 4:
            raise _UsageError
        player, kind, *selection, stake = words
        if kind not in KINDS:
            raise UserError(f"There is no kind {shown(kind)}: take one of {', '.join(KINDS)}.")
        number = f"W{self.table.bets.taken + 1}"
        wager = Wager(number, player, kind, "".join(selection), parse_cents("stake", stake))
        self.table.place(wager)
        return [f"{_name(wager)}: stake {money(wager.stake_cents)} is taken."]

    def _accept(self, words: list[str]) -> list[str]:
        if len(words) != 3:
            raise _UsageError
        self.table.accept(words[0], _dice(words[1:]))
        return [f"{words[0]} shoots with dice {' and '.join(words[1:])}."]

    def _decline(self, words: list[str]) -> list[str]:
        (player,) = _exactly(words, 1)
        self.table.decline(player)
        return []

    def _stick(self, words: list[str]) -> list[str]:
        _exactly(words, 0)
        self.table.stick_throws()
        return ["The stickperson throws."]

    def _roll(self, words: list[str]) -> list[str]:
        (text,) = _exactly(words, 1)
        dice, called, point, settlements, moved = self.table.roll(parse_roll(text))
        self.settlements += settlements
        self.rounds += 1
        said = [f"{dice[0]}, {dice[1]}, total {sum(dice)}: {called}" + (f", the point is {point}" if point else "")]
        said += [settled(settlement) for settlement in settlements]
        return said + [f"{_name(standing.wager)}: stands on {standing.area[1]}" for standing in moved]

    def _invalid(self, words: list[str]) -> list[str]:
        _exactly(words, 0)
        self.table.invalid_roll()
        return ["The roll is invalid: every wager stands, roll again."]

    def _pass(self, words: list[str]) -> list[str]:
        _exactly(words, 0)
        self.table.pass_dice()
        return []

    def _require(self, words: list[str]) -> list[str]:
        (reason,) = _exactly(words, 1)
        self.table.require_pass(reason)
        return []

    def _off(self, words: list[str]) -> list[str]:
        self.table.die_leaves(_dice(words))
        return [
            f"Every wager stands. Take for it of dice {_list(self.table.in_bowl)}, or the original once it is found."
        ]

    def _take(self, words: list[str]) -> list[str]:
        split = words.index("found") if "found" in words else len(words)
        self.table.replace(_dice(words[:split]), found=_dice(words[split + 1 :]))
        return [f"The dice are now {_list(self.table.in_hand)}."]

    def _found(self, words: list[str]) -> list[str]:
        if not words:
            raise _UsageError
        self.table.found(_dice(words))
        return [f"The dice in the bowl are now {_list(self.table.in_bowl)}."]

    def _wagers(self, words: list[str]) -> list[str]:
        _exactly(words, 0)
        return [_standing(standing) for standing in self.table.bets.standing.values()] or ["No wager stands."]


class _UsageError(Exception):
    """The words do not fit the verb."""


def _exactly(words: list[str], count: int) -> list[str]:
    if len(words) != count:
        raise _UsageError
    return words


def _dice(words: Sequence[str]) -> list[int]:
    if any(word not in ("1", "2", "3", "4", "5") for word in words):
        raise _UsageError
    return [int(word) for word in words]


def _list(dice: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(dice)))


def _name(wager: Wager) -> str:
    return f"{wager.wager_id} {wager.player} {wager.kind} {wager.selection}".rstrip()


def _standing(standing: Standing) -> str:
    moved = "" if standing.area[1] == standing.wager.selection else f" on {standing.area[1]}"
    return f"{_name(standing.wager)}{moved}: stake {money(standing.wager.stake_cents)}"
