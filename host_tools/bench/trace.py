"""Edges of a board's pins at their exact times, where somebody can see them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple

from host_tools.boards import Board

COIL = "relay_coil"  # the pin drives the relay's coil: with its on level or, through a charge pump, with edges
NEVER_US = float("inf")


class Edge(NamedTuple):
    """t_us: on the rig's clock; what: a pin of the board file, or COIL; level: 0 or 1 after the edge."""

    t_us: float
    what: str
    level: int


class Span(NamedTuple):
    """From when to when (us) a signal was high; `off_us` is infinite while it still is."""

    on_us: float
    off_us: float


def pin_names(board: Board) -> dict[int, str]:
    """GPIO number -> name in the board file."""
    return {pin: name for name, pin in dataclasses.asdict(board.pins).items() if pin is not None}


def spans(edges: Iterable[Edge], what: str) -> list[Span]:
    """When the signal was high, in the order of time."""
    found: list[Span] = []
    for edge in edges:
        if edge.what != what:
            continue
        is_high = bool(found) and found[-1].off_us == NEVER_US
        if edge.level and not is_high:
            found.append(Span(edge.t_us, NEVER_US))
        elif not edge.level and is_high:
            found[-1] = Span(found[-1].on_us, edge.t_us)
    return found


def rises(edges: Iterable[Edge], what: str, within: Span) -> list[float]:
    """When (us) the signal rose within a span."""
    return [span.on_us for span in spans(edges, what) if within.on_us <= span.on_us <= within.off_us]
