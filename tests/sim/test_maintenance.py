"""Into maintenance by an order of the host: a durable record, the application out, the relay off."""

from host_tools.sim.board import SimBoard
from tests.sim.flashfile import records
from tests.sim.simhost import Sim


def test_an_ordered_maintenance_is_answered_recorded_and_keeps_the_application_out(tmp_path):
    sim = Sim(SimBoard(tmp_path, clock="virtual"))
    try:
        sim.rig.step(1500)
        sim.rig.supervisor(True)
        sim.rig.step(200)
        sim.host.order("maintenance", "host:anna")
        sim.rig.step(2000)
        assert [(said["ok"], said["why"]) for said in sim.host.said if said["kind"] == "answer"] == [(True, "done")]
        assert [(r["kind"], r["boot"], r["mode"]) for r in records(tmp_path)] == [
            ("boot", 1, "production"),
            ("boot", 2, "maintenance"),
        ]
        sim.rig.tap("spin")
        assert not sim.rig.step(1000)["relay"]
        sim.board.power_cut(100)  # and out of it again: at the next start
        sim.rig.step(2000)
        assert [r["mode"] for r in records(tmp_path)] == ["production", "maintenance", "production"]
        assert sim.host.kinds() == ["boot", "boot", "boot"]
    finally:
        sim.stop()
