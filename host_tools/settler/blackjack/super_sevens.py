"""Super Sevens: a wager beside the initial one that pays by the sevens among the first three cards of the hand.

Source: rule 14.4 (a) and (b), New Zealand Gazette 26 January 1996 No 7 p 211. The steps above those were not seen
there; they are the market's, in a paytable that says so. Only the highest step pays.

A paytable is a TOML file (paytable_file.py) with the head, `game = "super_sevens"`, `third_card`, `decks` (for how many
decks the house edge is shown; the most of them are taken for dealt from, unless the table says otherwise), odds for
every step, and limits of the kind `super_sevens`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.amounts import shown
from host_tools.settler.game import LOST, WIN, Area, Odds, Verdict
from host_tools.settler.paytable_file import HEAD_KEYS, AnyPaytable, PaytableFile, content_hash
from host_tools.settler.settle import Settlement, Wager, settle_verdict

KIND = "super_sevens"
AREA: Area = (KIND, "")
BUNDLED = Path(__file__).parent / "super_sevens.toml"

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")

NONE = "none"
ONE = "one"
"""Rule 14.4(a): the first card is a seven and the next is not."""
TWO = "two"
"""Rule 14.4(b): the first two are sevens of different suits and the next is no seven."""
TWO_SUITED = "two_suited"
THREE = "three"
THREE_SUITED = "three_suited"
STEPS = (ONE, TWO, TWO_SUITED, THREE, THREE_SUITED)
"""Every step that pays, from the lowest."""

GUARANTEED = "guaranteed"
"""Two sevens get a third card in any case, also when the dealer's blackjack ended the hand."""
AS_DEALT = "as_dealt"
"""Two sevens to which no third card was dealt are paid as two: 14.4(b) can be read so, its text says neither."""
THIRD_CARDS = (GUARANTEED, AS_DEALT)

MOST_DECKS = 8


class Card(NamedTuple):
    """A card: one of RANKS, one of SUITS."""

    rank: str
    suit: str


def parse_card(text: str) -> Card:
    """A card as it is typed, `7S` or `10h`. Raises UserError."""
    card = Card(text[:-1].upper(), text[-1:].upper())
    if card.rank not in RANKS or card.suit not in SUITS:
        raise UserError(f"{shown(text)} is not a card: write rank and suit, like 7S, 10H, QD or AC.")
    return card


@dataclass(frozen=True)
class SuperSevens(AnyPaytable):
    """One checked paytable: Super Sevens as a `game.Game` whose outcomes are the steps, from `decks` full decks."""

    odds: Mapping[str, Odds]
    third_card: str
    all_decks: tuple[int, ...]
    decks: int

    @property
    def covers(self) -> tuple[str, ...]:
        """The steps."""
        return tuple(self.odds)

    @cached_property
    def _ways(self) -> Mapping[str, int]:
        sevens = [(Card("7", suit), self.decks) for suit in SUITS]
        # Which card it is that is no seven does not matter.
        kinds = dict([*sevens, (Card("2", "S"), 48 * self.decks)])
        ways: dict[str, int] = dict.fromkeys((NONE, *STEPS), 0)
        for cards in product(kinds, repeat=3):
            left = dict(kinds)
            count = 1
            for card in cards:
                count *= left[card]
                left[card] -= 1
            ways[step(cards)] += count
        return ways

    @property
    def ways(self) -> Mapping[str, int]:
        """In how many orders of three cards from full decks each step comes; a third card is always dealt."""
        return self._ways

    @property
    def areas(self) -> tuple[Area, ...]:
        return (AREA,)

    def verdict(self, area: Area, outcome: str) -> Verdict:
        """Won at its odds, or lost. Raises KeyError for another area or a step that does not exist."""
        if area != AREA or outcome not in self.ways:
            raise KeyError((area, outcome))
        return LOST if outcome == NONE else Verdict(WIN, self.odds[outcome])

    def with_decks(self, decks: int) -> "SuperSevens":
        """The same paytable over another number of decks."""
        return replace(self, decks=decks)


def step(cards: Sequence[Card]) -> str:
    """The highest step that the cards make, or NONE: cards in the order in which they were dealt to the hand.

    Two cards or more; only the first three count. After a split the third is the first card dealt to the first of the
    split hands (usual elsewhere; New Zealand's text was not seen). Raises UserError for fewer than two.
    """
    if len(cards) < 2:
        raise UserError(
            "Super Sevens cannot be settled yet: give the first two cards of the hand, and the next if any."
        )
    sevens = 0
    for card in cards[:3]:
        if card.rank != "7":
            break
        sevens += 1
    suited = len({card.suit for card in cards[:sevens]}) == 1
    if sevens == 3:
        return THREE_SUITED if suited else THREE
    if sevens == 2:
        return TWO_SUITED if suited else TWO
    return ONE if sevens else NONE


def settle_hand(wager: Wager, cards: Sequence[Card], paytable: SuperSevens) -> Settlement:
    """Settle a Super Sevens wager by the cards dealt to its hand, as `step` takes them.

    Raises UserError when the wager is another, or when the cards do not decide it yet.
    """
    if (wager.kind, wager.selection) != AREA:
        raise UserError(f"Wager {wager.wager_id!r} is on {wager.kind} {wager.selection!r}, not on {KIND}: take it out.")
    reached = step(cards)
    if len(cards) == 2 and reached in (TWO, TWO_SUITED) and paytable.third_card == GUARANTEED:
        raise UserError(
            f"Wager {wager.wager_id!r} is not decided: paytable {paytable.name} guarantees two sevens a third card; "
            "deal it and give all three."
        )
    return settle_verdict(wager, paytable.verdict(AREA, reached))


def load(path: Path = BUNDLED) -> SuperSevens:
    """The paytable in a file. Raises UserError naming file, line and key."""
    return read(PaytableFile(path))


def read(file: PaytableFile) -> SuperSevens:
    """The paytable in a parsed file, checked, over the first of its numbers of decks. Raises UserError."""
    game = file.data.get("game", KIND)
    if game != KIND:
        raise file.refuse("game", f"is {game!r}, but this is about Super Sevens: give a paytable of {KIND}")
    file.only_known(file.data, (*HEAD_KEYS, "game", "third_card", "decks", "odds", "limits"), "")
    head = file.head()
    third_card = file.data.get("third_card")
    if third_card not in THIRD_CARDS:
        raise file.refuse("third_card", f"is missing or is not one of {', '.join(THIRD_CARDS)}")
    decks = file.data.get("decks")
    if not isinstance(decks, list) or not decks or any(type(n) is not int or not 1 <= n <= MOST_DECKS for n in decks):
        raise file.refuse("decks", f"is missing or is not a list of numbers from 1 to {MOST_DECKS}, like [6, 8]")
    lines = file.data.get("odds")
    if not isinstance(lines, dict):
        raise file.refuse("odds", f"is missing: write a table [odds] with a line for each of {', '.join(STEPS)}")
    file.only_known(lines, STEPS, "odds.")
    # Nobody knows before the cards which step will come, so a wager needs all of them.
    missing = [name for name in STEPS if name not in lines]
    if missing:
        raise file.refuse(f"odds.{missing[0]}", "is missing: no wager can be taken unless every step has its odds")
    odds: dict[str, Odds] = {name: file.odds(f"odds.{name}", lines[name]) for name in STEPS}
    limits = file.limits([KIND])
    content = {**head._asdict(), "game": KIND, "third_card": third_card, "odds": odds, "limits": limits}
    return SuperSevens(head, (), limits, content_hash(content), odds, third_card, tuple(decks), decks[0])
