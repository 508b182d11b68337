"""The wagers of Tai-Sai clause by clause, each read as the Gazette words it, over all 216 throws.

The odds do not matter here: every wager is settled under the one paytable that covers its kind.
"""

from itertools import product

import pytest

from host_tools.settler.paytable import load
from host_tools.settler.settle import Wager, settle_round

THROWS = list(product((1, 2, 3, 4, 5, 6), repeat=3))
HOIANA = load("hoiana")
KOREA = load("korea_daegu")


def winners(kind, selection="", table=HOIANA):
    """The throws with which the wager wins; with all others it loses, stake and all."""
    won = []
    for throw in THROWS:
        (settlement,) = settle_round([Wager("w", "p", kind, selection, 100)], throw, table)
        assert settlement.outcome in ("win", "lose")
        assert (settlement.returned_cents > 100) == (settlement.outcome == "win")
        assert settlement.outcome == "win" or settlement.returned_cents == 0
        if settlement.outcome == "win":
            won.append(throw)
    return won


def throws(*sorted_throws):
    """Every throw that shows the same numbers as one of these."""
    return [throw for throw in THROWS if tuple(sorted(throw)) in sorted_throws]


@pytest.mark.clause("tai-sai 3.1(a)(i)", "tai-sai 3.1(a)(ii)")
def test_small():
    excepted = [(2, 2, 2), (3, 3, 3)]
    assert winners("small") == [t for t in THROWS if sum(t) in (4, 5, 6, 7, 8, 9, 10) and t not in excepted]


@pytest.mark.clause("tai-sai 3.1(b)(i)", "tai-sai 3.1(b)(ii)")
def test_big():
    excepted = [(4, 4, 4), (5, 5, 5)]
    assert winners("big") == [t for t in THROWS if sum(t) in (11, 12, 13, 14, 15, 16, 17) and t not in excepted]


@pytest.mark.clause("tai-sai 3.1(c)(i)", "tai-sai 3.1(c)(ii)")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_triples(number):
    assert winners("triple", str(number)) == [(number, number, number)]


@pytest.mark.clause("tai-sai 3.1(d)(i)", "tai-sai 3.1(d)(ii)", "tai-sai 3.1(d)(iii)")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_doubles(number):
    with_pair = [(number, number, other) for other in (1, 2, 3, 4, 5, 6)]
    assert winners("double", str(number)) == throws(*(tuple(sorted(throw)) for throw in with_pair))


@pytest.mark.clause("tai-sai 3.1(d)(ii)")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_a_double_wins_once_only_on_its_triple(number):
    wager = Wager("w", "p", "double", str(number), 100)
    (on_double,) = settle_round([wager], (number, number, number % 6 + 1), HOIANA)
    (on_triple,) = settle_round([wager], (number, number, number), HOIANA)
    assert on_triple.returned_cents == on_double.returned_cents == 900


@pytest.mark.clause("tai-sai 3.1(e)(i)", "tai-sai 3.1(e)(ii)")
def test_any_triple():
    assert winners("any_triple") == [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5), (6, 6, 6)]


@pytest.mark.clause("tai-sai 3.1(f)")
@pytest.mark.parametrize("total", range(4, 18))
def test_three_dice_totals(total):
    won = winners("total", str(total))
    assert won == [(a, b, c) for a, b, c in THROWS if a + b + c == total]
    assert ((total // 3,) * 3 in won) == (total in (6, 9, 12, 15))


@pytest.mark.clause("tai-sai (g)(i)", "tai-sai (g)(ii)")
@pytest.mark.parametrize(
    ("low", "others"), [(1, [2, 3, 4, 5, 6]), (2, [3, 4, 5, 6]), (3, [4, 5, 6]), (4, [5, 6]), (5, [6])]
)
def test_dice_combinations(low, others):
    for high in others:
        assert winners("combination", f"{low}-{high}") == [t for t in THROWS if low in t and high in t]


@pytest.mark.clause("tai-sai (h)(i)", "tai-sai (h)(ii)")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_individual_die_face_values(number):
    assert winners("face", str(number)) == [throw for throw in THROWS if number in throw]


@pytest.mark.clause("tai-sai (i)")
def test_three_dice_combinations():
    doubles = [(a, a, b) for a, b in product((1, 2, 3, 4, 5, 6), repeat=2) if a != b]
    different = [(a, b, c) for a, b, c in THROWS if a < b < c]
    sets = {tuple(sorted(numbers)) for numbers in doubles + different}
    assert len(sets) == 50
    for numbers in sets:
        assert winners("three_dice", "-".join(map(str, numbers)), KOREA) == throws(numbers)


@pytest.mark.clause("tai-sai (j)")
@pytest.mark.parametrize("four", ["6-5-4-3", "6-5-3-2", "5-4-3-2", "4-3-2-1"])
def test_four_number_combinations(four):
    won = winners("four_numbers", four, KOREA)
    assert len(won) == 24
    assert all(len(set(throw)) == 3 and all(str(number) in four for number in throw) for throw in won)


@pytest.mark.clause("tai-sai (k)")
def test_odd():
    excepted = [(3, 3, 3), (5, 5, 5)]
    assert winners("odd", "", KOREA) == [t for t in THROWS if sum(t) in (5, 7, 9, 11, 13, 15, 17) and t not in excepted]


@pytest.mark.clause("tai-sai (l)")
def test_even():
    excepted = [(2, 2, 2), (4, 4, 4)]
    assert winners("even", "", KOREA) == [
        t for t in THROWS if sum(t) in (4, 6, 8, 10, 12, 14, 16) and t not in excepted
    ]
