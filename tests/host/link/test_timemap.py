"""The board's time on the host's clock: the truth lies within the bound, whatever the delays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.link.timemap import DRIFT, TimeMap

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
    assert moment.at_s - moment.bound_s - 1e-6 <= host_s(t_ms) <= moment.at_s + 1e-6


def test_the_line_with_the_least_delay_tells():
    clock = TimeMap()
    for t_s, delay_s in ((1, 0.5), (2, 0.02), (3, 0.9)):
        clock.seen(t_s * 1000, 100 + t_s + delay_s)
    moment = clock.moment(0)
    assert moment is not None
    assert abs(moment.at_s - 100.02) < 0.001


def test_a_delay_that_begins_later_makes_no_line_look_younger_however_long_it_lasts():
    clock = TimeMap()
    clock.answered(1000, 100.99, 101.0)
    clock.seen(1000, 101.0)
    for second in range(2, 602):
        clock.seen(second * 1000, 100.0 + second + 6)
    moment = clock.moment(601_000)
    assert moment is not None and moment.bound_s is not None
    assert moment.at_s == pytest.approx(701.0, abs=600 * DRIFT + 1e-9)
    assert moment.bound_s < 0.2


def test_a_board_that_runs_slow_within_the_drift_does_not_look_late_after_a_day():
    clock = TimeMap()
    day_s = 86_400
    for second in range(0, day_s, 60):
        clock.seen(int(second * 1000 * (1 - 30e-6)), 100.0 + second)
    moment = clock.moment(int((day_s - 60) * 1000 * (1 - 30e-6)))
    assert moment is not None
    assert 100 + day_s - 60 - moment.at_s < 0.02


def test_a_clock_that_is_ahead_of_what_a_question_proved_has_no_bound_until_it_is_asked_again():
    clock = TimeMap()
    clock.seen(1000, 101.0)
    clock.answered(1000, 100.99, 101.0)
    clock.seen(9000, 102.0)
    assert clock.bound_s(102.0) is None
    clock.answered(9100, 102.05, 102.1)
    bound_s = clock.bound_s(102.1)
    assert bound_s is not None and bound_s < 0.1


def test_a_simulated_clock_may_run_faster_than_time():
    clock = TimeMap(races=True)
    clock.seen(1000, 101.0)
    clock.answered(1000, 100.99, 101.0)
    clock.seen(6000, 102.0)
    moment = clock.moment(6000)
    assert moment is not None and moment.at_s == pytest.approx(102.0) and moment.bound_s == pytest.approx(0.0)


def test_a_clock_that_stood_still_is_known_again_once_it_answered():
    clock = TimeMap()
    clock.seen(1000, 101.0)
    clock.answered(1000, 100.99, 101.0)
    clock.answered(2000, 111.0, 111.1)  # 9 s were lost
    moment = clock.moment(2000)
    assert moment is not None and moment.at_s == pytest.approx(111.1) and moment.bound_s is not None
    assert moment.bound_s < 0.2


def test_without_an_answered_question_there_is_no_bound():
    clock = TimeMap()
    clock.seen(1000, 101.0)
    moment = clock.moment(2000)
    assert moment is not None and moment.bound_s is None


def test_without_any_line_there_is_no_moment():
    assert TimeMap().moment(5) is None
