"""A terminal at a serial port with a rig at another one, as a target of the bench."""

from __future__ import annotations

from contextlib import ExitStack

from host_tools.bench.targets import PortLine, PumpedRig, Target
from host_tools.boards import Board
from host_tools.errors import UserError
from host_tools.link.port import Port
from host_tools.rig.port_rig import PortRig
from host_tools.rig.wiring import RigTable


def open_wired(port: str, rig_port: str, wires: RigTable, board: Board) -> Target:
    """Open both. Closing the target lets every wire go. Raises UserError."""

    def again() -> Port | None:
        try:
            return Port(port)
        except UserError:
            return None

    with ExitStack() as opened:
        line = PortLine(Port(port), again)
        opened.callback(line.close)
        rig = opened.enter_context(PortRig(rig_port, wires, board))
        facts = {"target": port, "rig": f"{rig_port}, {wires.name}"}
        return Target("port", board, PumpedRig(rig), line, rig.edges, True, facts, opened.pop_all())
