"""How a mechanical contact gets from one state to the other: it bounces."""

LONGEST_US = 6200  # Ganssle, "A Guide to Debouncing": the longest of his switches; the mean was 1.6 ms
WORN_LONGEST_US = 25_000  # a worn contact chatters far longer
WORN_IN = 20  # one movement in so many is that bad


def bounce(world, before, after):
    """Yield (us after the movement began, state), from `before` until it rests at `after`; drawn from the seed."""
    yield 0, after
    longest_us = WORN_LONGEST_US if world.draw(WORN_IN) == 0 else LONGEST_US
    end_us = world.draw(longest_us)
    t_us = 0
    while True:
        t_us += 20 + world.draw(900)  # still for so long
        if t_us >= end_us:
            return
        yield t_us, before
        t_us += 5 + world.draw(300)
        yield t_us, after
