"""Hits against expectation, against printed tables of chi-square and rounds that were counted by hand."""

import pytest

from host_tools.view.figures import chi_square_tail, figures


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [  # Abramowitz and Stegun, table 26.8
        (5.99146, 2, 0.05),
        (9.21034, 2, 0.01),
        (11.0705, 5, 0.05),
        (15.0863, 5, 0.01),
        (4.35146, 5, 0.5),
        (24.9958, 15, 0.05),
        (30.5779, 15, 0.01),
        (14.3389, 15, 0.5),
        (3.84146, 1, 0.05),
    ],
)
def test_the_tail_of_chi_square_is_as_in_the_tables(statistic, degrees, tail):
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=2e-5)


@pytest.mark.parametrize("degrees", [1, 2, 5, 15])
def test_no_deviation_at_all_is_chance(degrees):
    assert chi_square_tail(0, degrees) == 1


def test_hits_and_expectation_of_a_few_rounds():
    counted = figures({(1, 2, 3): 2, (6, 6, 6): 1})
    assert counted.rounds == 3
    assert [cell.hits for cell in counted.faces.cells] == [2, 2, 2, 0, 0, 3]
    assert {cell.expected for cell in counted.faces.cells} == {1.5}
    assert [[cell.hits for cell in place.cells] for place in counted.places] == [
        [2, 0, 0, 0, 0, 1],
        [0, 2, 0, 0, 0, 1],
        [0, 0, 2, 0, 0, 1],
    ]
    assert [(cell.value, cell.hits, cell.expected) for cell in counted.sides.cells] == [
        ("small", 2, 1.4583),
        ("big", 0, 1.4583),
        ("triple", 1, 0.0833),
    ]
    totals = {cell.value: (cell.hits, cell.expected) for cell in counted.totals.cells}
    assert (totals["6"], totals["18"], totals["10"]) == ((2, 0.1389), (1, 0.0139), (0, 0.375))
    assert list(totals) == [str(total) for total in range(3, 19)]


def test_too_few_rounds_give_no_test():
    """Five in the rarest cell: 3 dice a round in 6 faces, 1 die in 6, 6 triples and 1 total of 3 in 216 ways."""
    counted = figures({(1, 2, 3): 9})
    needed = [test.rounds_needed for test in (counted.faces, counted.places[0], counted.sides, counted.totals)]
    assert needed == [10, 30, 180, 1080]
    assert (counted.faces.enough, counted.faces.chi_square, counted.faces.p) == (False, None, None)
    assert figures({(1, 2, 3): 10}).faces.enough


def test_chi_square_of_dice_that_never_show_half_of_the_faces():
    """30 dice, 10 each of 1, 2 and 3 where 5 are expected: 6 cells of 25 / 5."""
    faces = figures({(1, 2, 3): 10}).faces
    assert faces.chi_square == pytest.approx(30)
    assert faces.p == pytest.approx(1.4762e-5, rel=1e-3)
