"""The wagers that stand at a craps table: when each can be placed, and what every roll decides or moves.

When a wager can be placed is general practice: section 4 of New Zealand's rules was not seen. Wagers are not taken
down.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.craps.wagers import BEHIND, KINDS, CrapsPaytable, Dice
from host_tools.settler.game import STANDS, Area
from host_tools.settler.limits import over_limit
from host_tools.settler.settle import Settlement, Wager, settle_verdict

LINE_BETS = ("pass", "dont_pass")
COME_BETS = ("come", "dont_come")


class Standing(NamedTuple):
    """A wager that is not decided, and the area where it stands now."""

    wager: Wager
    area: Area


@dataclass
class Bets:
    """Every undetermined wager of a table, by id, in the order in which they were placed."""

    paytable: CrapsPaytable
    standing: dict[str, Standing] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    @property
    def line_players(self) -> set[str]:
        """Who holds a Pass or Don't Pass bet: eligible to be offered the dice (5.9), and to throw them."""
        return {standing.wager.player for standing in self.standing.values() if standing.area[0] in LINE_BETS}

    @property
    def taken(self) -> int:
        """How many wagers were ever taken."""
        return len(self._taken)

    def place(self, wager: Wager, point: int | None) -> None:
        """Take a wager, with the table's point or none. Raises UserError when it cannot be placed now."""
        kind, selection = area = (wager.kind, wager.selection)
        if kind not in KINDS:
            raise _refused(wager, f"there is no kind {kind!r}: take one of {', '.join(KINDS)}")
        if selection not in KINDS[kind].placed:
            takes = ", ".join(KINDS[kind].placed) or "no selection"
            raise _refused(wager, f"selection {selection!r} does not fit, {kind} takes {takes}")
        if area not in self.paytable.areas:
            raise _refused(wager, f"paytable {self.paytable.name} does not cover {kind} {selection}".rstrip())
        if wager.wager_id in self._taken:
            raise _refused(wager, "its wager_id is already taken")
        why = _not_now(kind, point) or self._not_behind(wager)
        over = over_limit(self.paytable.limits, kind, wager.stake_cents)
        if why or over or wager.stake_cents <= 0:
            raise _refused(wager, why or over or "it has no stake over 0")
        self._taken.add(wager.wager_id)
        self.standing[wager.wager_id] = Standing(wager, area)

    def _not_behind(self, wager: Wager) -> str | None:
        """Odds stand behind a wager of the same player that is on the same number."""
        flat = BEHIND.get(wager.kind)
        if flat is None or (wager.player, (flat, wager.selection)) in self._flats():
            return None
        return f"{wager.player} has no {flat} on {wager.selection} that odds could stand behind"

    def _flats(self) -> Iterator[tuple[str, Area]]:
        return ((standing.wager.player, standing.area) for standing in self.standing.values())

    def roll(self, dice: Dice, come_out: bool) -> tuple[list[Settlement], list[Standing]]:
        """Settle what a valid roll decides and move what it moves -> (settlements, wagers on their new areas)."""
        settled: list[Settlement] = []
        moved: list[Standing] = []
        for wager, area in list(self.standing.values()):
            off = come_out and area[0] in self.paytable.off_on_come_out
            verdict = (self.paytable.verdict_off if off else self.paytable.verdict)(area, dice)
            if verdict.result != STANDS:
                settled.append(settle_verdict(wager, verdict))
                del self.standing[wager.wager_id]
            elif verdict.moves_to is not None:
                self.standing[wager.wager_id] = Standing(wager, verdict.moves_to)
                moved.append(self.standing[wager.wager_id])
        return settled, moved


def _not_now(kind: str, point: int | None) -> str | None:
    if kind in LINE_BETS and point is not None:
        return f"{kind} is placed before a come-out roll, and the point is {point}"
    if kind in COME_BETS and point is None:
        return f"{kind} is placed once there is a point, and there is none"
    return None


def _refused(wager: Wager, why: str) -> UserError:
    return UserError(f"Wager {wager.wager_id!r} is not taken: {why}.")
