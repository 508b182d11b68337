"""Power that fails and resets: the relay is off, the journal decides how to go on."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("power_cut")]
BACK_MS = 5000  # power-on, boot, the first records


def test_power_lost_while_bets_stand_is_attested_and_goes_on(table, terminal):
    table.open_bets()
    fault = table.makes("fault", table.rig.power_cut, BACK_MS)
    assert fault["code"] == "power_lost"
    table.rig.step(1500)
    clear = table.makes("clear", lambda: table.as_supervisor("2"))
    assert clear["act"] == "go_on"
    table.close_bets()
    table.uncover()
    assert table.enter(3, 4, 4)["spins"] is None
    table.finish()


def test_power_lost_while_spinning_leaves_the_relay_off_and_voids_the_round(table, rig):
    table.spin()
    rig.step(300)
    void = table.makes("void", rig.power_cut, BACK_MS)
    assert (void["by"], void["reason"]) == ("board", "power_lost")
    table.must_have_relay_off()


@pytest.mark.needs("stall")
def test_the_watchdog_ends_a_hang_with_the_relay_off(table, terminal, rig):
    table.spin()
    rig.step(300)
    boot = table.makes("boot", lambda: rig.stall(5000), BACK_MS + 3000)
    assert boot["cause"] == "watchdog"
    table.must_have_relay_off()
    table.wait("The void", lambda: "void" in terminal.kinds(), 1000)
