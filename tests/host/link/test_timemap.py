"""The board's time on the host's clock: the truth lies within the bound, whatever the delays."""

from hypothesis import given
from hypothesis import strategies as st

from host_tools.link.timemap import WINDOW_S, TimeMap

delays = st.floats(0, 3, allow_nan=False)


@given(st.lists(delays, min_size=1, max_size=30), delays, delays, st.integers(0, 60_000), st.floats(-30e-6, 30e-6))
def test_the_truth_lies_within_the_bound(line_delays, to_board_s, from_board_s, t_ms, drift):
    """A board that booted at 1000 s on the host's clock and whose crystal is off by `drift`."""
    clock = TimeMap()

    def host_s(t):
        return 1000 + t / 1000 * (1 + drift)

    asked_t = 500
    clock.answered(asked_t, host_s(asked_t) - to_board_s, host_s(asked_t) + from_board_s)
    clock.seen(asked_t, host_s(asked_t) + from_board_s)
    for number, delay in enumerate(line_delays, 1):
        clock.seen(asked_t + number * 1000, host_s(asked_t + number * 1000) + delay)
    moment = clock.moment(t_ms)
    assert moment is not None and moment.bound_s is not None
    assert moment.at_s - moment.bound_s - 1e-6 <= host_s(t_ms) <= moment.at_s + moment.bound_s + 1e-6


def test_the_line_with_the_least_delay_tells():
    clock = TimeMap()
    for t_s, delay_s in ((1, 0.5), (2, 0.02), (3, 0.9)):
        clock.seen(t_s * 1000, 100 + t_s + delay_s)
    moment = clock.moment(0)
    assert moment is not None
    assert abs(moment.at_s - 100.02) < 1e-9


def test_a_line_older_than_the_window_no_longer_tells():
    clock = TimeMap()
    clock.seen(1000, 101.0)
    clock.seen(1000 + int(WINDOW_S * 1000) + 500, 101.0 + WINDOW_S + 0.6)  # the board's clock lost 100 ms
    moment = clock.moment(0)
    assert moment is not None
    assert abs(moment.at_s - 100.1) < 1e-9


def test_without_an_answered_question_there_is_no_bound():
    clock = TimeMap()
    clock.seen(1000, 101.0)
    moment = clock.moment(2000)
    assert moment is not None and moment.bound_s is None


def test_without_any_line_there_is_no_moment():
    assert TimeMap().moment(5) is None
