"""Plots of a report as inline SVG: a figure between its bounds, and pins over time. Each says what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from host_tools.bench.results import Measurement
from host_tools.bench.trace import Edge

GAUGE_WIDTH, GAUGE_HEIGHT = 260, 26
PINS_WIDTH, ROW_HEIGHT, NAME_WIDTH = 900, 22, 110
TICKS = 6
MARGIN = 0.15  # of the range shown beyond bounds and figure


def gauge(measurement: Measurement) -> str:
    """The figure as a mark on a line on which the allowed range is thick."""
    low, high, value = measurement.low, measurement.high, measurement.value
    ends = [end for end in (low, high, value, 0 if low is None else None) if end is not None]
    span = (max(ends) - min(ends)) or 1
    left, right = min(ends) - MARGIN * span, max(ends) + MARGIN * span

    def x(at: float) -> float:
        return round((at - left) / (right - left) * GAUGE_WIDTH, 1)

    from_x = 0 if low is None else x(low)
    to_x = GAUGE_WIDTH if high is None else x(high)
    middle = GAUGE_HEIGHT / 2
    words = f"{measurement.name}: {value:g} {measurement.unit}, allowed {measurement.bounds()}"
    return (
        f'<svg role="img" aria-label="{escape(words)}" width="{GAUGE_WIDTH}" height="{GAUGE_HEIGHT}">'
        f"<title>{escape(words)}</title>"
        f'<line class="axis" x1="0" y1="{middle}" x2="{GAUGE_WIDTH}" y2="{middle}"/>'
        f'<line class="allowed" x1="{from_x}" y1="{middle}" x2="{to_x}" y2="{middle}"/>'
        f'<path class="{"good" if measurement.good else "bad"}" d="M{x(value)} {middle - 9}l5 9l-5 9l-5-9z"/></svg>'
    )


def pins(edges: Iterable[Edge], signals: Sequence[str], from_us: float, to_us: float) -> str:
    """The levels of these signals from from_us to to_us, one row each. `edges` are in the order of time."""
    width, height = PINS_WIDTH - NAME_WIDTH, ROW_HEIGHT * len(signals)
    scale = width / max(to_us - from_us, 1)
    paths = dict.fromkeys(signals, "")
    levels = dict.fromkeys(signals, 0)
    for edge in edges:
        if edge.what not in paths or edge.t_us > to_us:
            continue
        if edge.t_us < from_us:
            levels[edge.what] = edge.level
        else:
            paths[edge.what] += f"H{round((edge.t_us - from_us) * scale, 1)}V{_y(edge.level)}"
    rows = []
    for number, signal in enumerate(signals):
        d = f"M0 {_y(levels[signal])}{paths[signal]}H{width}"
        rows.append(
            f'<text x="0" y="{number * ROW_HEIGHT + 15}">{escape(signal)}</text>'
            f'<path class="pin" transform="translate({NAME_WIDTH} {number * ROW_HEIGHT})" d="{d}"/>'
        )
    words = f"Levels of {', '.join(signals)} over {(to_us - from_us) / 1e6:.2f} s"
    return (
        f'<svg role="img" aria-label="{escape(words)}" viewBox="0 0 {PINS_WIDTH} {height + 18}" width="{PINS_WIDTH}">'
        f"<title>{escape(words)}</title>{''.join(rows)}{_seconds(width, height, (to_us - from_us) / 1e6)}</svg>"
    )


def _y(level: int) -> int:
    return 4 if level else ROW_HEIGHT - 5


def _seconds(width: int, height: int, seconds: float) -> str:
    ticks = [(NAME_WIDTH + round(width * i / TICKS), seconds * i / TICKS) for i in range(TICKS)]
    return "".join(f'<text x="{x}" y="{height + 14}">{at:.2f} s</text>' for x, at in ticks)
