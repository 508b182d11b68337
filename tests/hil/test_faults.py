"""What a machine can do wrong: each is its own fault, the motor stops, and no spin begins before it is cleared."""

import pytest

from host_tools.bench.table import OFF_MS, SWITCH_MS

pytestmark = pytest.mark.slow


def stays_stopped(table):
    """The motor is off, and SPIN does not start it."""
    table.rig.step(OFF_MS)
    table.tap("spin")
    table.rig.step(OFF_MS)
    table.must_have_relay_off()
    assert table.terminal.state == "FAULT"


@pytest.mark.needs("motor.stall")
def test_a_motor_that_stalls(table, rig, bench):
    rig.motor("stall")
    fault = table.makes("fault", table.spin, bench.target.board.sensor.first_pulse_ms + OFF_MS)
    assert (fault["code"], fault["state"]) == ("stall", "SPINNING")
    stays_stopped(table)


@pytest.mark.needs("motor.slip")
def test_a_belt_that_slips(table, rig):
    table.spin()
    rig.step(600)
    fault = table.makes("fault", lambda: rig.motor("slip"), 4000)
    assert fault["code"] == "rate"
    stays_stopped(table)


@pytest.mark.needs("motor.push")
def test_a_drum_that_somebody_turns_while_bets_stand(table, rig):
    table.open_bets()
    fault = table.makes("fault", lambda: rig.motor("push"), 3000)
    assert (fault["code"], fault["state"]) == ("motion", "BETTING")
    stays_stopped(table)


@pytest.mark.measures("estop_to_relay_off_ms")
def test_the_estop_stops_the_motor(table, rig, measure):
    table.spin()
    rig.step(300)
    began_ms = rig.t_ms
    rig.estop(True)
    table.wait("The relay off", lambda: not rig.read()["relay"], OFF_MS, 2)
    measure("estop_to_relay_off_ms", rig.t_ms - began_ms, "ms", None, 60)
    rig.step(SWITCH_MS)
    assert table.last("fault")["code"] == "estop"
    stays_stopped(table)


def test_a_fault_is_not_cleared_while_its_cause_is_there(table, terminal, rig):
    table.makes("fault", lambda: rig.estop(True))
    table.as_supervisor("1")
    assert "clear" not in terminal.kinds()
    rig.estop(False)
    rig.step(SWITCH_MS)
    clear = table.makes("clear", lambda: table.as_supervisor("1"))
    assert (clear["by"], clear["act"]) == ("supervisor", "clear")


@pytest.mark.needs("motor.weld")
def test_a_relay_that_does_not_open(table, rig):
    rig.motor("weld")
    fault = table.makes("fault", table.spin, 15_000)
    assert fault["code"] in ("relay_stuck", "coast_too_long")


@pytest.mark.needs("stall")
@pytest.mark.measures("hang_to_relay_off_ms")
def test_a_hang_of_the_firmware_turns_the_relay_off(table, rig, measure):
    table.spin()
    rig.step(300)
    began_ms = rig.t_ms
    rig.stall(150)
    table.wait("The relay off", lambda: not rig.read()["relay"], OFF_MS, 2)
    measure("hang_to_relay_off_ms", rig.t_ms - began_ms, "ms", None, 100)
    rig.step(OFF_MS)
    assert table.last("fault")["code"] == "feed_lost"
