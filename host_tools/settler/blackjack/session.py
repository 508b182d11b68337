"""Boxes and Super Sevens of a blackjack table kept by lines of text: what the dealer types, and what follows from it.

    sit Aroha 1      deal               double Aroha 1 yes     insure Ben 1 5.00     wagers
    bet Ben 1 20 1   cards 1 7S 7H 2D   split Aroha 1 no       early Ben 1           next
    add Ben 1 20     leave Aroha 1

Super Sevens is settled by the cards. The hands are not: their rules were not read (boxes.py).
"""

from collections import Counter
from collections.abc import Callable

from host_tools.errors import UserError
from host_tools.settler.amounts import parse_cents, shown
from host_tools.settler.blackjack.boxes import (
    ADDITIONAL,
    DOUBLE,
    INITIAL,
    INSURANCE,
    SPLIT,
    SUPER_SEVENS,
    BoxRules,
    BoxWager,
    Table,
)
from host_tools.settler.blackjack.super_sevens import Card, SuperSevens, parse_card, settle_hand
from host_tools.settler.render import money, paytable_line
from host_tools.settler.settle import Settlement, Wager
from host_tools.settler.typed import LOOK, misused, settled, split, sums_of
from host_tools.settler.wagerfile import MAX_NAME_CHARS
from host_tools.words import plural

YES_NO = {"yes": True, "no": False}
_TAKES = {True: "takes", False: "declines"}


class Session:
    """One table from its first line on, round after round; `settlements` are those of Super Sevens, in order."""

    def __init__(self, rules: BoxRules, boxes: int, room_elsewhere: bool, paytable: SuperSevens) -> None:
        self.settlements: list[Settlement] = []
        self.rounds = 0  # how many are over
        self._new = lambda: Table(rules, boxes, room_elsewhere)
        self._offered = rules.super_sevens
        self._paytable = paytable
        self._table = self._new()
        self._seats: dict[str, int] = {}  # which a player keeps from round to round
        self._wagers: dict[str, BoxWager] = {}  # of this round, by id
        self._open: dict[str, BoxWager] = {}  # Super Sevens that no cards decided yet, by id
        self._cards_shown: Counter[Card] = Counter()  # in this round
        self._taken = 0
        self._by_hand_cents: Counter[str] = Counter()  # staked on the hands, by kind
        self._dealt = False
        self._verbs: dict[str, tuple[str, int, int, Callable[[list[str]], list[str]]]] = {
            "sit": ("sit PLAYER BOX", 2, 2, self._sit),
            "leave": ("leave PLAYER BOX", 2, 2, self._leave),
            "bet": ("bet PLAYER BOX STAKE [SUPER-SEVENS-STAKE]", 3, 4, self._bet),
            "deal": ("deal", 0, 0, self._deal),
            "cards": ("cards BOX 7S 7H [2D]", 3, 4, self._cards),
            "double": ("double PLAYER BOX yes|no", 3, 3, lambda words: self._decide(DOUBLE, words)),
            "split": ("split PLAYER BOX yes|no", 3, 3, lambda words: self._decide(SPLIT, words)),
            "add": ("add PLAYER BOX STAKE", 3, 3, self._add),
            "insure": ("insure PLAYER BOX STAKE", 3, 3, self._insure),
            "early": ("early PLAYER BOX", 2, 2, self._early),
            LOOK: ("wagers", 0, 0, self._look),
            "next": ("next", 0, 0, self._next),
        }

    def do(self, line: str) -> list[str]:
        """Do what one line says -> the lines that answer it. Raises UserError; then nothing has changed."""
        verb, words = split(line, self._verbs)
        usage, least, most, act = self._verbs[verb]
        if not least <= len(words) <= most:
            raise misused(line, usage)
        return act(words)

    def sums(self) -> str:
        """What was staked on hands, the sums over Super Sevens, what of it is not decided yet, and the paytable."""
        kinds = (INITIAL, ADDITIONAL, INSURANCE)
        staked = " · ".join(f"{kind} {money(self._by_hand_cents[kind])}" for kind in kinds)
        lines = [f"On hands, which are not settled here: {staked}"]
        if self._offered:
            undecided = sum(wager.stake_cents for wager in self._open.values())
            lines.append(f"Super Sevens: {sums_of(self.settlements)} · undecided {money(undecided)}")
            lines.append(paytable_line(self._paytable))
        return "\n".join(lines)

    def _sit(self, words: list[str]) -> list[str]:
        player, box = _player(words[0]), _box(words[1])
        self._table.sit(player, box)
        self._seats[player] = box
        return [f"{player} sits at box {box}."]

    def _leave(self, words: list[str]) -> list[str]:
        player, box = words[0], _box(words[1])
        self._table.leave(player, box)
        del self._seats[player]
        return [f"{player} leaves box {box}."]

    def _bet(self, words: list[str]) -> list[str]:
        player, box, stake_cents = _player(words[0]), _box(words[1]), parse_cents("stake", words[2])
        sevens_cents = parse_cents("stake", words[3]) if len(words) > 3 else None
        return self._placed(lambda: self._table.wager(player, box, stake_cents, sevens_cents))

    def _deal(self, _: list[str]) -> list[str]:
        if not self._table.wagers:
            raise UserError("Nobody has wagered: there is no round to deal.")
        self._table.deal()
        self._dealt = True
        nobody = [
            f"Nobody may decide for box {box}: of who wagers there none is seated there."
            for box in self._table.undecided_boxes()
        ]
        return ["The cards are dealt: no initial wager is taken any more.", *nobody]

    def _cards(self, words: list[str]) -> list[str]:
        box, cards = _box(words[0]), [parse_card(word) for word in words[1:]]
        if not self._dealt:
            raise UserError("The cards of this round are not dealt yet: write deal first.")
        due = {id_: wager for id_, wager in self._open.items() if wager.box == box}
        if not due:
            raise UserError(f"No Super Sevens on box {box} waits for cards: see wagers.")
        self._check_cards(box, cards)
        made = [
            settle_hand(Wager(id_, wager.player, SUPER_SEVENS, "", wager.stake_cents), cards, self._paytable)
            for id_, wager in due.items()
        ]
        self._cards_shown.update(cards)
        self.settlements += made
        for id_ in due:
            del self._open[id_]
        return [settled(settlement) for settlement in made]

    def _check_cards(self, box: int, cards: list[Card]) -> None:
        """Of one card there are as many as decks, over all hands of a round."""
        decks = self._paytable.decks
        for card, count in Counter(cards).items():
            before = self._cards_shown[card]
            if before + count > decks:
                raise UserError(
                    f"{card.rank}{card.suit} was dealt {before} times in this round before box {box}, and "
                    f"{plural(decks, 'deck has', 'decks have')} no more than {decks}: check the cards."
                )

    def _decide(self, option: str, words: list[str]) -> list[str]:
        player, box = words[0], _box(words[1])
        if words[2] not in YES_NO:
            raise UserError(f"{shown(words[2])} is neither yes nor no: write {option} {player} {box} yes.")
        self._table.decide(player, box, option, YES_NO[words[2]])
        return [f"{player} {_TAKES[YES_NO[words[2]]]} the {option} for box {box}."]

    def _add(self, words: list[str]) -> list[str]:
        player, box, stake_cents = words[0], _box(words[1]), parse_cents("stake", words[2])
        return self._placed(lambda: self._table.add(player, box, stake_cents))

    def _insure(self, words: list[str]) -> list[str]:
        player, box, stake_cents = words[0], _box(words[1]), parse_cents("stake", words[2])
        return self._placed(lambda: self._table.insure(player, box, stake_cents))

    def _early(self, words: list[str]) -> list[str]:
        player, box = words[0], _box(words[1])
        self._table.elect_early_payment(player, box)
        return [f"{player} elects early payment on box {box}."]

    def _placed(self, act: Callable[[], None]) -> list[str]:
        """The wagers that act() placed, each with a number of its own."""
        before = len(self._table.wagers)
        act()
        said = []
        for wager in self._table.wagers[before:]:
            self._taken += 1
            id_ = f"W{self._taken}"
            self._wagers[id_] = wager
            if wager.kind == SUPER_SEVENS:
                self._open[id_] = wager
            else:
                self._by_hand_cents[wager.kind] += wager.stake_cents
            unchecked = (
                ", its amount unchecked: that rule was not read" if wager.kind in (ADDITIONAL, INSURANCE) else ""
            )
            said.append(f"{id_} {_line(wager)} is taken{unchecked}.")
        return said

    def _look(self, _: list[str]) -> list[str]:
        """The wagers of this round, what was decided for their boxes, and who elected early payment."""
        said = [f"{id_} {_line(wager)}{self._state(id_, wager)}" for id_, wager in self._wagers.items()]
        for (box, option), taken in self._table.choices.items():
            said.append(f"{self._table.decider(box)} {_TAKES[taken]} the {option} for box {box}.")
        said += [f"{player} elects early payment on box {box}." for box, player in sorted(self._table.early_payment)]
        return said or ["No wager stands."]

    def _state(self, id_: str, wager: BoxWager) -> str:
        if wager.kind != SUPER_SEVENS:
            return ""
        return " · waits for cards" if id_ in self._open else " · settled"

    def _next(self, _: list[str]) -> list[str]:
        if self._table.wagers and not self._dealt:
            raise UserError("Wagers stand and no card was dealt: write deal, and the cards of each box.")
        if self._open:
            boxes = ", ".join(str(box) for box in sorted({wager.box for wager in self._open.values()}))
            raise UserError(f"Super Sevens is not decided on box {boxes}: write its cards first.")
        self._table, self._dealt = self._new(), False
        self._wagers, self._cards_shown = {}, Counter()
        self.rounds += 1
        for player, box in self._seats.items():
            self._table.sit(player, box)
        return ["A new round: place your bets."]


def _box(word: str) -> int:
    """Raises UserError for what is no number; whether the table has that box, it says itself."""
    if not (word.isascii() and word.isdigit() and len(word) <= 3):
        raise UserError(f"{shown(word)} is not the number of a box: write 1.")
    return int(word)


def _player(word: str) -> str:
    """A name, bounded as in a wager file. Raises UserError."""
    if len(word) > MAX_NAME_CHARS or not word.isprintable():
        raise UserError(f"{shown(word)} is no name of at most {MAX_NAME_CHARS} printable characters: write it shorter.")
    return word


def _line(wager: BoxWager) -> str:
    return f"{wager.player} box {wager.box} {wager.kind}: stake {money(wager.stake_cents)}"
