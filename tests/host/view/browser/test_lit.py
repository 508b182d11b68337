"""Which areas light: all 56 results, against a plain reading of the wagers that knows nothing of the settler."""

from itertools import combinations, combinations_with_replacement

import pytest

RESULTS = list(combinations_with_replacement(range(1, 7), 3))
TOTALS = {4: 50, 5: 18, 6: 14, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 14, 16: 18, 17: 50}
WATCH = """() => {
  const now = () => { window.litAt = performance.timeOrigin + performance.now(); };
  new MutationObserver(now).observe(document.getElementById("layout"), { subtree: true, attributeFilter: ["class"] });
}"""
FACES = {1: "1 to 1", 2: "2 to 1", 3: "12 to 1"}


def wins(dice):
    """A plain reading of the wagers -> area and the odds that it pays, as every_kind.toml has them."""
    a, b, c = sorted(dice)
    total, shown = a + b + c, {a, b, c}
    won = {f"face-{face}": FACES[dice.count(face)] for face in shown}
    if total in TOTALS:
        won[f"total-{total}"] = f"{TOTALS[total]} to 1"
    if a == b or b == c:
        won[f"double-{b}"] = "8 to 1"
    for low, high in combinations(sorted(shown), 2):
        won[f"combination-{low}-{high}"] = "5 to 1"
    if a == b == c:
        won |= {f"triple-{a}": "150 to 1", "any_triple": "24 to 1"}
        return won
    won["small" if total <= 10 else "big"] = "1 to 1"
    won |= {"odd": "1 to 1"} if total % 2 else {"even": "19 to 20"}
    won[f"three_dice-{a}-{b}-{c}"] = "30 to 1" if len(shown) == 3 else "50 to 1"
    for four in ("6543", "6532", "5432", "4321"):
        if len(shown) == 3 and all(str(face) in four for face in shown):
            won[f"four_numbers-{'-'.join(four)}"] = "7 to 1"
    return won


@pytest.mark.clause("tai-sai 3.3")
@pytest.mark.parametrize("paytable", ["every_kind"], indirect=True)
def test_the_areas_that_win_are_lit_and_listed_for_all_56_results(shown):
    assert len(RESULTS) == 56
    shown.open()
    shown.page.evaluate(WATCH)
    waits_ms = []
    for number, dice in enumerate(RESULTS, 1):
        pressed = dice if number % 2 else dice[::-1]
        shown.result(number, pressed)
        shown.wait_for_round(number)
        waits_ms.append(shown.page.evaluate("() => window.litAt") - shown.entered_at * 1000)
        expected = wins(dice)
        assert sorted(shown.lit()) == sorted(expected), dice
        listed = shown.listed()
        assert listed.keys() == expected.keys(), dice
        assert all(listed[area].endswith(f" {odds}") for area, odds in expected.items()), dice
    waits_ms.sort()
    median, most, longest = (round(waits_ms[at]) for at in (28, 53, 55))
    print(f"from the commit of an entry to lit areas: median {median} ms, 95 % {most} ms, longest {longest} of 200 ms")
