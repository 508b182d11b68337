"""Who may wager what on which box of a blackjack table, and who decides there.

Source: rules 13 (e)-(g), 13.4-13.6 and 14.1-14.3, New Zealand Gazette 26 January 1996 No 7 p 211. Rule 13.1 (when
several players may wager on one box), rule 8.3 (early payment) and part 9 (insurance) were not read: that the operator
approved 13.1 is a setting here, an election under 8.3 is kept as an election, and of insurance only who may have it is
checked. Nor was read how much an additional or insurance wager may be, and how often a hand may be split: the amounts
are not checked, and each option is decided once a round and for good.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.limits import Limit, over_limit

INITIAL = "initial"
SUPER_SEVENS = "super_sevens"
ADDITIONAL = "additional"
INSURANCE = "insurance"

DOUBLE = "double"
SPLIT = "split"


class BoxRules(NamedTuple):
    """What the operator permits at one table.

    `limits` are the table sign's, for the kinds `initial` and `super_sevens` (14.3); `boxes_per_player` is rule 13.4's
    number, at least 1; `shared_boxes` whether several players may wager on one box (13.1); `super_sevens` whether it is
    offered (14.1).
    """

    limits: Mapping[str, Limit]
    boxes_per_player: int = 1
    shared_boxes: bool = False
    super_sevens: bool = False


class BoxWager(NamedTuple):
    """One wager that was accepted: `kind` is initial, super_sevens, additional or insurance."""

    box: int
    player: str
    kind: str
    stake_cents: int


@dataclass
class Table:
    """The boxes of one table in one round: 1 to `boxes`.

    `room_elsewhere` says whether tables with equivalent limits have places for all who want one (13.4). Every method
    raises UserError for what the rules do not allow, and then nothing has changed.
    """

    rules: BoxRules
    boxes: int
    room_elsewhere: bool
    wagers: list[BoxWager] = field(default_factory=list)
    early_payment: set[tuple[int, str]] = field(default_factory=set)
    """(box, player) of each election under rule 8.3."""
    choices: dict[tuple[int, str], bool] = field(default_factory=dict)
    """(box, option) -> whether it was taken."""
    _seats: dict[int, str] = field(default_factory=dict)
    _dealt: bool = False

    def sit(self, player: str, box: int) -> None:
        """Seat a player at a box before the deal; each box has one seat, each player takes one."""
        self._check_box(box)
        if self._dealt:
            raise UserError(f"The cards of this round are dealt: {player} may sit at box {box} in the next.")
        if box in self._seats:
            raise UserError(f"Box {box} is taken by {self._seats[box]}: choose another.")
        if player in self._seats.values():
            raise UserError(f"{player} has a seat at this table already: wager on more boxes instead.")
        self._check_shared(player, box)
        self._seats[box] = player

    def leave(self, player: str, box: int) -> None:
        """Give up the seat of a box before the deal, with no wager of one's own on it."""
        self._check_box(box)
        if self._dealt:
            raise UserError(f"The cards of this round are dealt: {player} may leave box {box} after it.")
        if self._seats.get(box) != player:
            raise UserError(f"{player} has no seat at box {box}: that is {self._seats.get(box, 'free')}.")
        if player in self._players(box):
            raise UserError(f"{player} has a wager on box {box}: it is left after this round.")
        del self._seats[box]

    def wager(self, player: str, box: int, stake_cents: int, super_sevens_cents: int | None = None) -> None:
        """Place an initial wager on a box and, only together with it (14.2), one on Super Sevens. Integer cents."""
        self._check_box(box)
        if self._dealt:
            raise UserError(f"The cards of this round are dealt: {player} may wager on box {box} in the next.")
        if self._has(player, box, INITIAL):
            raise UserError(f"{player} has wagered on box {box} already: one initial wager a box.")
        self._check_shared(player, box)
        self._check_boxes(player, box)
        # Rule 13.6: the minimum holds on each box, never over several together.
        self._check_stake(player, box, INITIAL, stake_cents)
        if super_sevens_cents is not None:
            if not self.rules.super_sevens:
                raise UserError(
                    f"Super Sevens is not offered at this table: {player} may wager on box {box} without it."
                )
            self._check_stake(player, box, SUPER_SEVENS, super_sevens_cents)
        self.wagers.append(BoxWager(box, player, INITIAL, stake_cents))
        if super_sevens_cents is not None:
            self.wagers.append(BoxWager(box, player, SUPER_SEVENS, super_sevens_cents))

    def deal(self) -> None:
        """The first cards are dealt: no initial wager is taken from now on."""
        self._dealt = True

    def undecided_boxes(self) -> list[int]:
        """The boxes with wagers for which nobody may decide."""
        return [box for box in sorted({wager.box for wager in self.wagers}) if self._decider(box) is None]

    def decider(self, box: int) -> str:
        """Who decides for a box: the player seated there, if he wagers there (13(e)), else who is alone on the box.

        In full patronage a player alone on a box where he is not seated must not be seated at another (13.5).
        Raises UserError when that is nobody.
        """
        self._check_box(box)
        if not self._players(box):
            raise UserError(f"Nobody has wagered on box {box}: there is nothing to decide.")
        player = self._decider(box)
        if player is None:
            raise UserError(
                f"Nobody who wagers on box {box} may decide for it, as none of them is seated there: "
                "seat one before the next deal."
            )
        return player

    def decide(self, player: str, box: int, option: str, takes: bool) -> None:
        """Take or decline to double down or to split, `option` being DOUBLE or SPLIT, for all who wager on the box.

        Each is decided once.
        """
        if option not in (DOUBLE, SPLIT):
            raise ValueError(f"{option!r} is not an option")
        self._check_dealt(box)
        if player != self.decider(box):
            raise UserError(f"{self.decider(box)} decides for box {box}: {player} abides by that.")
        if (box, option) in self.choices:
            did = "decided" if self.choices[box, option] else "declined"
            raise UserError(f"{player} has {did} to {option} on box {box} already, and that stands for this round.")
        self.choices[box, option] = takes

    def add(self, player: str, box: int, stake_cents: int) -> None:
        """An additional wager after a double or split was taken on the box; one a player for each.

        Rule 13(e): when it was declined, nobody on the box is entitled to one.
        """
        self._check_on_box(player, box)
        decider = self.decider(box)
        made = {option: taken for (of, option), taken in self.choices.items() if of == box}
        if not made:
            raise UserError(f"{decider} has not decided for box {box} yet: wait for that.")
        if not any(made.values()):
            raise UserError(f"{decider} declined to {' and to '.join(made)} on box {box}: {player} is bound by that.")
        added = sum((wager.player, wager.box, wager.kind) == (player, box, ADDITIONAL) for wager in self.wagers)
        if added >= sum(made.values()):
            raise UserError(f"{player} has added to box {box} already: once for each double or split that was taken.")
        self._add(player, box, ADDITIONAL, stake_cents)

    def insure(self, player: str, box: int, stake_cents: int) -> None:
        """Rule 13(f): each player on the box insures, or not, whatever the others do; once."""
        self._check_on_box(player, box)
        if self._has(player, box, INSURANCE):
            raise UserError(f"{player} has insured on box {box} already.")
        self._add(player, box, INSURANCE, stake_cents)

    def elect_early_payment(self, player: str, box: int) -> None:
        """Rule 13(g): each player on the box elects payment under rule 8.3, or not, whatever the others do."""
        self._check_on_box(player, box)
        self.early_payment.add((box, player))

    def _players(self, box: int) -> set[str]:
        return {wager.player for wager in self.wagers if wager.box == box}

    def _decider(self, box: int) -> str | None:
        players, seated = self._players(box), self._seats.get(box)
        if seated in players:
            return seated
        alone = players.pop() if len(players) == 1 else None
        elsewhere = alone in self._seats.values() and not self.room_elsewhere
        return None if elsewhere else alone

    def _add(self, player: str, box: int, kind: str, stake_cents: int) -> None:
        if stake_cents <= 0:
            raise UserError(f"{player}'s wager on box {box} has no stake over 0.")
        self.wagers.append(BoxWager(box, player, kind, stake_cents))

    def _has(self, player: str, box: int, kind: str) -> bool:
        return any((wager.player, wager.box, wager.kind) == (player, box, kind) for wager in self.wagers)

    def _check_box(self, box: int) -> None:
        if not 1 <= box <= self.boxes:
            raise UserError(f"There is no box {box}: this table has 1 to {self.boxes}.")

    def _check_dealt(self, box: int) -> None:
        self._check_box(box)
        if not self._dealt:
            raise UserError(f"The cards of this round are not dealt yet: wait with box {box}.")

    def _check_on_box(self, player: str, box: int) -> None:
        self._check_dealt(box)
        if not self._has(player, box, INITIAL):
            raise UserError(f"{player} has no wager on box {box}: only who wagered there takes part.")

    def _check_shared(self, player: str, box: int) -> None:
        seated = self._seats.get(box, player)
        alone = seated == player and self._players(box) <= {player}
        if not alone and not self.rules.shared_boxes:
            raise UserError(
                f"Box {box} is another player's, and boxes are not shared here: {player} may take a free one."
            )

    def _check_boxes(self, player: str, box: int) -> None:
        """Rule 13.4: several boxes where permitted and while there is room; 13.5: or, for who is seated, where 13.1
        was approved."""
        others = {wager.box for wager in self.wagers if wager.player == player} - {box}
        several = self.room_elsewhere or self.rules.shared_boxes
        most = max(1, self.rules.boxes_per_player) if several else 1
        if len(others) >= most:
            why = "" if several else " while other tables have no room"
            raise UserError(f"{player} wagers on {len(others)} of at most {most} boxes{why}: leave out box {box}.")
        if others and not self.room_elsewhere and player not in self._seats.values():
            raise UserError(
                f"{player} has no seat: while other tables have no room only who is seated wagers on several boxes, so "
                f"leave out box {box}, or sit down."
            )

    def _check_stake(self, player: str, box: int, kind: str, stake_cents: int) -> None:
        over = over_limit(self.rules.limits, kind, stake_cents)
        if over is not None or stake_cents <= 0:
            raise UserError(f"{player}'s wager on box {box} is not taken: {over or 'it has no stake over 0'}.")
