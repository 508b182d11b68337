"""The dealer's call of a result: values from the lowest to the highest, then the total.

Source: rule 6.3, New Zealand Gazette 29 January 1999 No 9 p 243.
"""

from host_tools.settler.taisai import Dice, check_dice


def call(dice: Dice) -> str:
    """The call for dice given in any order, e.g. `1, 3, 6, total 10`, `double 3, 4, total 10`, `triple 5, total 15`.

    No example of the rule has its single below its double; the rising order that it asks for decides: `1, double 6,
    total 13`. Raises ValueError unless `dice` are three values 1..6.
    """
    check_dice(dice)
    names = {1: "", 2: "double ", 3: "triple "}
    values = [f"{names[dice.count(value)]}{value}" for value in sorted(set(dice))]
    return f"{', '.join(values)}, total {sum(dice)}"
