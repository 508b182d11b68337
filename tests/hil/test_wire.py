"""Is the line whole, and does the rig reach the keys? Played first: what comes after it rests on this."""

import pytest

from host_tools.bench.table import HELLO_MS, SWITCH_MS

pytestmark = pytest.mark.wire


@pytest.mark.measures("hello_wait_ms")
def test_the_board_says_hello_and_proves_its_key(any_table, measure):
    terminal, rig = any_table.terminal, any_table.rig
    rig.ready()
    began_ms = rig.read()["t_ms"]
    any_table.wait("A hello with a right proof", lambda: terminal.proven, HELLO_MS)
    measure("hello_wait_ms", rig.t_ms - began_ms, "ms", None, HELLO_MS)
    assert (terminal.alarms, terminal.bad) == ([], [])


@pytest.mark.slow
@pytest.mark.measures("status_period_ms")
def test_a_status_comes_once_a_second(any_table, measure):
    terminal = any_table.terminal
    any_table.wait("The second status", lambda: len(terminal.of("status")) >= 2, 3500)
    first, second = terminal.of("status")[:2]
    measure("status_period_ms", second["t"] - first["t"], "ms", 950, 1100)


def test_the_spin_key_reaches_the_terminal_and_an_open_cover_refuses_it(any_table):
    """Both wires, without the motor."""
    any_table.home()
    any_table.cover(True)
    any_table.tap("spin")
    any_table.wait("The refusal of SPIN", lambda: "spin" in any_table.terminal.keys("refused"), 300)
    any_table.cover(False)
    any_table.must_have_relay_off()


@pytest.mark.slow
def test_every_other_key_reaches_the_terminal(any_table):
    any_table.home()
    any_table.supervisor(True)
    numbers = ["1", "2", "3", "4", "5", "6"]
    any_table.tap(*numbers)
    any_table.supervisor(False)
    others = ["entry"] if any_table.terminal.board.pins.no_more_bets is None else ["entry", "no_more_bets"]
    any_table.tap(*others)
    any_table.rig.step(SWITCH_MS)
    assert list(dict.fromkeys(any_table.terminal.keys("shown"))) == numbers  # how often is not the wire's business
    assert list(dict.fromkeys(any_table.terminal.keys("refused"))) == others


@pytest.mark.slow
def test_the_cover_and_the_estop_reach_the_terminal(any_table):
    any_table.home()
    fault = any_table.makes("fault", lambda: any_table.rig.estop(True))
    assert fault["code"] == "estop"
    any_table.home()
    assert any_table.terminal.kinds()[-1] == "meter"
