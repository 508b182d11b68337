"""The dealer's call: the forms of rule 6.3 and every outcome's shape."""

from itertools import permutations, product

import pytest

from host_tools.settler.call import call


@pytest.mark.clause("tai-sai 6.3")
@pytest.mark.parametrize(
    ("rising", "expected"),
    [
        ((1, 3, 6), "1, 3, 6, total 10"),
        ((3, 3, 4), "double 3, 4, total 10"),
        ((1, 6, 6), "1, double 6, total 13"),
        ((5, 5, 5), "triple 5, total 15"),
        ((1, 1, 1), "triple 1, total 3"),
        ((1, 1, 6), "double 1, 6, total 8"),
    ],
)
def test_call_sorts_whatever_order_was_pressed(rising, expected):
    assert {call(pressed) for pressed in permutations(rising)} == {expected}


def test_216_outcomes_have_56_different_calls():
    assert len({call(dice) for dice in product(range(1, 7), repeat=3)}) == 56


@pytest.mark.parametrize("dice", [(0, 1, 2), (1, 2, 7), (1, 2), (1, 2, 3, 4), (1, 2, True), ("1", "2", "3")])
def test_what_is_not_three_dice_is_not_called(dice):
    with pytest.raises(ValueError, match="not three dice"):
        call(dice)
