"""Super Sevens: rule 14.4, the steps above it, the exact house edge, and what cannot be settled yet."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.super_sevens import AREA, BUNDLED, Card, parse_card, settle_hand
from host_tools.settler.bulk import OddsTable
from host_tools.settler.check import percent
from host_tools.settler.game import house_edge
from host_tools.settler.settle import Wager, totals

TABLE = super_sevens.load()
PAYS = {"one": 3, "two": 50, "two_suited": 100, "three": 500, "three_suited": 5000}


def settle(hand, stake_cents=500, table=TABLE):
    cards = [parse_card(card) for card in hand.split()]
    return settle_hand(Wager("w1", "Aroha", "super_sevens", "", stake_cents), cards, table)


def own(tmp_path, *pairs):
    text = BUNDLED.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.clause("blackjack 14.4(a)")
@pytest.mark.parametrize("first", ["7S", "7H", "7D", "7C"])
@pytest.mark.parametrize("rest", ["KS", "6H 7S", "AD 7C 7H"])
def test_a_first_card_that_is_a_seven_pays_3_to_1_unless_the_next_is_one_too(first, rest):
    settlement = settle(f"{first} {rest}")
    assert (settlement.outcome, settlement.odds, settlement.returned_cents) == ("win", (3, 1), 2000)


@pytest.mark.clause("blackjack 14.4(b)")
@pytest.mark.parametrize("hand", ["7S 7H KD", "7C 7D 2S 7H"])
def test_two_sevens_of_different_suits_pay_50_to_1_unless_the_next_is_one_too(hand):
    settlement = settle(hand)
    assert (settlement.outcome, settlement.odds, settlement.returned_cents) == ("win", (50, 1), 25_500)


@pytest.mark.clause("blackjack 14.4(a)", "blackjack 14.4(b)")
@pytest.mark.parametrize(
    ("hand", "odds"),
    [
        ("7S 7S KD", (100, 1)),
        ("7S 7S 7H", (500, 1)),
        ("7S 7H 7S", (500, 1)),
        ("7H 7S 7S", (500, 1)),
        ("7D 7D 7D", (5000, 1)),
        ("7D 7D 7D 7D", (5000, 1)),
    ],
)
def test_only_the_highest_step_pays(hand, odds):
    assert settle(hand).odds == odds


@pytest.mark.parametrize("hand", ["KS 7S", "KS 7S 7H", "6S 6H 6D", "8D AC", "2D 7D 7D"])
def test_without_a_seven_first_the_wager_loses(hand):
    settlement = settle(hand)
    assert (settlement.outcome, settlement.odds, settlement.returned_cents) == ("lose", None, 0)


@pytest.mark.parametrize("hand", ["7S", "KD", ""])
def test_one_card_decides_nothing(hand):
    with pytest.raises(UserError, match="give the first two cards of the hand"):
        settle(hand)


@pytest.mark.parametrize(("hand", "odds"), [("7S 7H", (50, 1)), ("7S 7S", (100, 1))])
def test_a_third_card_is_waited_for_where_it_is_guaranteed_and_not_where_it_is_not(tmp_path, hand, odds):
    with pytest.raises(UserError, match="Wager 'w1' is not decided: paytable super_sevens guarantees"):
        settle(hand)
    as_dealt = super_sevens.load(own(tmp_path, ('"guaranteed"', '"as_dealt"')))
    assert settle(hand, table=as_dealt).odds == odds


def test_a_wager_on_something_else_is_not_settled_here():
    with pytest.raises(UserError, match="Wager 'w' is on small '', not on super_sevens"):
        settle_hand(Wager("w", "p", "small", "", 100), [Card("7", "S"), Card("K", "S")], TABLE)


@pytest.mark.parametrize(("decks", "per_cent"), [(6, "11.40"), (8, "9.01")])
def test_the_house_edge_is_the_published_one(decks, per_cent):
    assert percent(house_edge(TABLE.with_decks(decks), AREA)) == per_cent


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_the_house_edge_is_exact_by_counting_sevens(decks):
    """Another way than the code's: products for each step, sevens S of which s are in one suit."""
    cards, sevens, suit = 52 * decks, 4 * decks, decks
    others = cards - sevens
    ways = {
        "one": sevens * others * (cards - 2),
        "two": sevens * (sevens - suit) * others,
        "two_suited": sevens * (suit - 1) * others,
        "three_suited": sevens * (suit - 1) * (suit - 2),
    }
    ways["three"] = sevens * (sevens - 1) * (sevens - 2) - ways["three_suited"]
    draws = cards * (cards - 1) * (cards - 2)
    returned = sum(count * (PAYS[step] + 1) for step, count in ways.items())
    table = TABLE.with_decks(decks)
    assert house_edge(table, AREA) == 1 - Fraction(returned, draws)
    assert {step: count for step, count in table.ways.items() if step != "none"} == ways
    assert sum(table.ways.values()) == draws


def test_the_ways_are_those_of_every_order_of_real_cards():
    """One deck, dealt in all 132,600 orders of three; each hand is read by its words, not by the code."""
    deck = [(rank, suit) for rank in range(1, 14) for suit in "SHDC"]
    seen = Counter()
    for hand in permutations(deck, 3):
        run = "".join("7" if rank == 7 else "-" for rank, _ in hand)
        same = len({suit for rank, suit in hand if rank == 7}) == 1
        if run == "777":
            seen["three"] += 1  # one deck has no two sevens of a suit
        elif run.startswith("77"):
            seen["two_suited" if same else "two"] += 1
        else:
            seen["one" if run.startswith("7") else "none"] += 1
    assert {step: count for step, count in TABLE.with_decks(1).ways.items() if count} == seen


CARDS = st.builds(Card, st.sampled_from(super_sevens.RANKS), st.sampled_from(super_sevens.SUITS))
SEVENS = st.builds(Card, st.just("7"), st.sampled_from(super_sevens.SUITS))


@settings(deadline=None)
@given(st.lists(CARDS | SEVENS, min_size=3, max_size=6), st.integers(1, 10**9))
def test_no_cent_appears_or_vanishes_and_later_cards_do_not_count(cards, stake):
    wager = Wager("w", "p", "super_sevens", "", stake)
    settlement = settle_hand(wager, cards, TABLE)
    assert settlement == settle_hand(wager, cards[:3], TABLE)
    sums = totals([settlement])
    assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
    assert (settlement.outcome == "win") == (cards[0].rank == "7")


def test_many_hands_are_settled_in_columns():
    table = OddsTable(TABLE)
    columns = table.columns([Wager("a", "p", "super_sevens", "", 100), Wager("b", "p", "super_sevens", "", 250)])
    assert table.settle(columns, "two").returned_cents.tolist() == [5100, 12_750]
    assert table.settle(columns, "none").returned_cents.tolist() == [0, 0]


@pytest.mark.parametrize(("text", "card"), [("7S", ("7", "S")), ("10h", ("10", "H")), ("ac", ("A", "C"))])
def test_cards_are_read_as_typed(text, card):
    assert parse_card(text) == card


@pytest.mark.parametrize("text", ["", "7", "S", "1S", "11H", "7X", "S7", "7SS", "\u0667S"])
def test_what_is_no_card_is_refused(text):
    with pytest.raises(UserError, match="is not a card: write rank and suit, like 7S"):
        parse_card(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('three = "500:1"\n', "", "line 10: key odds.three is missing: no wager can be taken unless every step"),
        ('one = "3:1"', 'one = "3 to 1"', "line 11: key odds.one has bad odds"),
        ('one = "3:1"', 'four = "3:1"', "line 11: key odds.'four' is unknown"),
        ("[odds]", "[limits]\nsmall = {}\n[odds]", "line 11: key limits.'small' is unknown"),
        ('"guaranteed"', '"sometimes"', "line 7: key third_card is missing or is not one of guaranteed, as_dealt"),
        ("[6, 8]", "[0]", "line 8: key decks is missing or is not a list of numbers from 1 to 8"),
        ("[6, 8]", "[]", "line 8: key decks is missing"),
        ("[6, 8]", "6", "line 8: key decks is missing"),
        ('status = "secondary"', 'status = "fine"', "line 6: key status is 'fine'"),
        ("third_card", "thrid_card", "line 7: key 'thrid_card' is unknown"),
    ],
)
def test_a_bad_paytable_is_refused_by_file_line_and_key(tmp_path, old, new, message):
    path = own(tmp_path, (old, new))
    with pytest.raises(UserError) as caught:
        super_sevens.load(path)
    assert str(caught.value).startswith(f"Paytable {path}, {message}")


def test_the_bundled_paytable_says_that_it_is_not_official_whole():
    assert TABLE.status == "secondary"
    assert {step: str(odds) for step, odds in TABLE.odds.items()} == {step: f"{pays}:1" for step, pays in PAYS.items()}
