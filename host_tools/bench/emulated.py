"""The edges of an emulated board's pins."""

from host_tools.bench.trace import COIL, Edge, pin_names
from host_tools.emu.board import EmuBoard
from host_tools.sim.shims.drum import LOW

OUTPUTS = ("relay", "lamp", "buzzer", "display_clk", "display_dio")


class EmuEdges:
    """Notes the edges of a board that was not stepped yet. A wire that nobody drives is taken for pulled up, as all
    inputs of a board are."""

    def __init__(self, emu: EmuBoard):
        self._emu = emu
        self._names = pin_names(emu.board)
        self._outputs: list[Edge] = []
        pulled_up = {"display_clk", "display_dio"} | ({"relay"} if emu.board.relay.external_pull == "up" else set())
        for name in OUTPUTS:
            pad = emu.device.mcu.gpio[getattr(emu.board.pins, name)]
            low = {"LOW"} if name in pulled_up else {"LOW", "INPUT", "INPUT_PULL_DOWN", "INPUT_BUS_KEEPER"}
            pad.add_listener(lambda new, _old, name=name, low=low: self._note(name, int(new.name not in low)))

    def _note(self, name: str, level: int) -> None:
        self._outputs.append(Edge(self._emu.clock.nanos / 1000, name, level))

    def edges(self) -> list[Edge]:
        """All of them in the order of time. Those of the coil are exact to the PIO instruction."""
        world = self._emu.world
        wires = [Edge(us, self._names[pin], int(what != LOW)) for us, pin, what in world.wire_edges]
        coil = [Edge(nanos / 1000, COIL, int(on)) for nanos, on in world.relay_edges]
        return sorted(self._outputs + wires + coil, key=lambda edge: edge.t_us)
