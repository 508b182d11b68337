"""The pins of a run as a value change dump, which GTKWave and PulseView open."""

from collections.abc import Sequence
from pathlib import Path

from vcd import VCDWriter

from host_tools.bench.trace import COIL, Edge, pin_names
from host_tools.boards import Board


def write_vcd(path: Path, edges: Sequence[Edge], board: Board) -> None:
    """Write it (IEEE 1364-2005, 18) in ns, one wire a pin. A wire is x before its first edge. Raises OSError."""
    names = [*pin_names(board).values(), COIL]
    with path.open("w", encoding="ascii") as file, VCDWriter(file, timescale="1 ns", date="") as writer:
        wires = {name: writer.register_var(board.name, name, "wire", size=1, init="x") for name in names}
        for edge in sorted(edges, key=lambda edge: edge.t_us):
            writer.change(wires[edge.what], round(edge.t_us * 1000), edge.level)
