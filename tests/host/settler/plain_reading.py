"""A second, plain reading of the rules: winning throws and odds by hand, no code shared with the settler."""

from itertools import permutations, product

THROWS = list(product((1, 2, 3, 4, 5, 6), repeat=3))
TRIPLES = [(n, n, n) for n in (1, 2, 3, 4, 5, 6)]


def words(text):
    return text.split()


PAIRS = words("1-2 1-3 1-4 1-5 1-6 2-3 2-4 2-5 2-6 3-4 3-5 3-6 4-5 4-6 5-6")
DOUBLE_AND_OTHER = words(
    "1-1-2 1-1-3 1-1-4 1-1-5 1-1-6 1-2-2 2-2-3 2-2-4 2-2-5 2-2-6 1-3-3 2-3-3 3-3-4 3-3-5 3-3-6 "
    "1-4-4 2-4-4 3-4-4 4-4-5 4-4-6 1-5-5 2-5-5 3-5-5 4-5-5 5-5-6 1-6-6 2-6-6 3-6-6 4-6-6 5-6-6"
)
ALL_DIFFERENT = words(
    "1-2-3 1-2-4 1-2-5 1-2-6 1-3-4 1-3-5 1-3-6 1-4-5 1-4-6 1-5-6 2-3-4 2-3-5 2-3-6 2-4-5 2-4-6 2-5-6 3-4-5 3-4-6 "
    "3-5-6 4-5-6"
)
FOURS = {
    "6-5-4-3": [(6, 5, 4), (6, 5, 3), (6, 4, 3), (5, 4, 3)],
    "6-5-3-2": [(6, 5, 3), (6, 5, 2), (6, 3, 2), (5, 3, 2)],
    "5-4-3-2": [(5, 4, 3), (5, 4, 2), (5, 3, 2), (4, 3, 2)],
    "4-3-2-1": [(4, 3, 2), (4, 3, 1), (4, 2, 1), (3, 2, 1)],
}
SELECTIONS = {
    **{kind: [""] for kind in ("small", "big", "odd", "even", "any_triple")},
    **{kind: list("123456") for kind in ("triple", "double", "face")},
    "total": words("4 5 6 7 8 9 10 11 12 13 14 15 16 17"),
    "combination": PAIRS,
    "three_dice": DOUBLE_AND_OTHER + ALL_DIFFERENT,
    "four_numbers": list(FOURS),
}


def times(kind, selection, throw):
    """How many times the wager wins, by the words of rule 4.1."""
    one, two, three = throw
    total = one + two + three
    if kind == "small":
        return int(total in (4, 5, 6, 7, 8, 9, 10) and throw not in [(2, 2, 2), (3, 3, 3)])
    if kind == "big":
        return int(total in (11, 12, 13, 14, 15, 16, 17) and throw not in [(4, 4, 4), (5, 5, 5)])
    if kind == "odd":
        return int(total in (5, 7, 9, 11, 13, 15, 17) and throw not in [(3, 3, 3), (5, 5, 5)])
    if kind == "even":
        return int(total in (4, 6, 8, 10, 12, 14, 16) and throw not in [(2, 2, 2), (4, 4, 4)])
    if kind == "any_triple":
        return int(throw in TRIPLES)
    if kind == "total":
        return int(f"{total}" == selection)
    if kind in ("three_dice", "combination"):
        named = tuple(int(n) for n in selection[::2])
        seen = list(permutations(throw, len(named)))
        return int(named in seen)
    if kind == "four_numbers":
        return int(any(throw in permutations(three_of_four) for three_of_four in FOURS[selection]))
    shown = [die for die in throw if f"{die}" == selection]
    return {"triple": int(len(shown) == 3), "double": int(len(shown) > 1), "face": len(shown)}[kind]


# Odds "x to 1" as the sources give them; a kind or total that is absent was not seen in the source.
TOTALS_50 = {4: 50, 5: 18, 6: 14, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 14, 16: 18, 17: 50}
TOTALS_60 = {4: 60, 5: 30, 6: 17, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 17, 16: 30, 17: 60}
TOTALS_DAEGU = {4: 50, 5: 30, 6: 18, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 18, 16: 30, 17: 50}
EVEN_MONEY = {"small": 1, "big": 1}
FACES = {1: 1, 2: 2, 3: 3}
ODDS = {
    "hoiana": {
        **EVEN_MONEY,
        "total": TOTALS_50,
        "combination": 5,
        "face": FACES,
        "double": 8,
        "triple": 150,
        "any_triple": 24,
    },
    "macau": {**EVEN_MONEY, "total": {4: 50, 5: 18, 6: 14, 15: 14, 16: 18, 17: 50}, "double": 8, "triple": 150},
    "atlantic_city": {
        **EVEN_MONEY,
        "total": TOTALS_60,
        "combination": 5,
        "face": FACES,
        "double": 10,
        "triple": 180,
        "any_triple": 30,
    },
    "australia": {**EVEN_MONEY, "total": {4: 62, 5: 31, 6: 18, 15: 18, 16: 31, 17: 62}, "double": 11},
    "korea_daegu": {
        **EVEN_MONEY,
        "odd": 1,
        "even": 1,
        "total": TOTALS_DAEGU,
        "combination": 5,
        "double": 8,
        "triple": 150,
        "any_triple": 24,
        "three_dice": {2: 50, 3: 30},
        "four_numbers": 7,
    },
    "nz_2001_additions": {"three_dice": {2: 60, 3: 30}, "four_numbers": {"6-5-4-3": 7, "6-5-3-2": 7}},
}


def to_one(paytable_name, kind, selection, count):
    """The odds to one by the figures above, None where the source has none."""
    odds = ODDS[paytable_name].get(kind)
    if not isinstance(odds, dict):
        return odds
    keys = {
        "total": lambda: int(selection),
        "face": lambda: count,
        "three_dice": lambda: len(set(selection[::2])),
        "four_numbers": lambda: selection,
    }
    return odds.get(keys[kind]())
