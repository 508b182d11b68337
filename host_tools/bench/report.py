"""The report of a run: one HTML file that needs nothing from elsewhere, beside JUnit, measurements, logs and pins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from host_tools.bench import plots
from host_tools.bench.results import FAILED, ONLY_SLOW, PASSED, PROBLEM, SKIPPED, Findings, Result
from host_tools.bench.trace import COIL
from host_tools.keys import not_for_play

REPORT = "report.html"
SHOWN = (COIL, "cover", "cover2", "sensor", "estop", "supervisor", "spin", "no_more_bets", "entry")
NUMBER_KEYS = tuple(f"key{n}" for n in range(1, 7))
SAID = {
    0: "The board passed: every test that was played is good.",
    1: "The board FAILED.",
    2: "The bench had a problem: this says nothing good about the board.",
}
NOT_FOR_PLAY = "<p>NOT FOR PLAY: a board whose key is published, and on sim and emu its dice are made.</p>"
OF_NOTHING = hashlib.sha256().hexdigest()
STYLE = """
body{font:16px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
table{border-collapse:collapse;width:100%;margin:1rem 0}caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #bbb}
td.figure{text-align:right;font-variant-numeric:tabular-nums}code{font-size:.85em;overflow-wrap:anywhere}
.passed{color:#0a5c1f}.failed,.problem{color:#a00;font-weight:600}.skipped{color:#444}
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#111}.axis{stroke:#999}
.allowed{stroke:#7aa6d8;stroke-width:8}.good{fill:#0a5c1f}.bad{fill:#a00}.pin{fill:none;stroke:#024}
@media(max-width:40rem){table{display:block;overflow-x:auto}}
"""


def write_report(findings: Findings) -> Path:
    """Write it into the run folder -> its path. Raises OSError."""
    path = findings.out / REPORT
    path.write_text(_page(findings), encoding="utf-8")
    return path


def summary(findings: Findings) -> str:
    """As "41 passed, 1 failed, 3 skipped"."""
    counts = [(outcome, findings.count(outcome)) for outcome in (PASSED, FAILED, PROBLEM, SKIPPED)]
    return ", ".join(f"{count} {outcome}" for outcome, count in counts if count)


def _page(findings: Findings) -> str:
    dev = findings.facts.get("dev", "no board")
    title = f"Bench report: {dev}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        NOT_FOR_PLAY if not_for_play(dev) else "",
        f'<p class="{"passed" if findings.exit_code() == 0 else "failed"}">{SAID[findings.exit_code()]}</p>',
        f"<p>{escape(summary(findings))}.</p>",
        _table(
            "What was tried", ("", ""), [[escape(k), f"<code>{escape(v)}</code>"] for k, v in findings.facts.items()]
        ),
        _problems(findings),
        _measurements(findings),
        _tests(findings),
        _left_out(findings),
        _pins(findings),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main>\n{chr(10).join(part for part in parts if part)}\n</main></body></html>\n"
    )


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML; the first of a row names it."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>\n' for row in rows
    )
    shown_head = f"<thead><tr>{head}</tr></thead>" if any(heads) else ""
    return f"<table><caption>{escape(caption)}</caption>{shown_head}<tbody>\n{body}</tbody></table>"


def _problems(findings: Findings) -> str:
    """What spoiled an attempt, and that there was another one."""
    if not findings.problems:
        return ""
    items = "".join(f"<li>{escape(problem)}</li>" for problem in findings.problems)
    again = " What it spoiled was played once more." if findings.attempt > 1 else ""
    return f"<h2>Problems of the bench</h2><p>Attempts: {findings.attempt}.{again}</p><ul>{items}</ul>"


def _measurements(findings: Findings) -> str:
    rows = [
        (
            escape(m.name),
            f"{m.value:g} {escape(m.unit)}",
            escape(m.bounds()),
            "good" if m.good else '<span class="failed">out of bounds</span>',
            plots.gauge(m),
        )
        for result in findings.results.values()
        for m in result.measurements
    ]
    return _table("Measurements", ("What", "Figure", "Allowed", "Good?", "Figure on its range"), rows) if rows else ""


def _tests(findings: Findings) -> str:
    rows = [_test(result) for result in findings.results.values() if result.why != ONLY_SLOW]
    return _table("Tests", ("Test", "Outcome", "Why", "Time on the board", "Serial log and its SHA-256"), rows)


def _test(result: Result) -> list[str]:
    css = "problem" if result.outcome == PROBLEM else result.outcome
    again = " (second attempt)" if result.attempt > 1 else ""
    log = ""
    if result.log:
        said = "log (empty)" if result.log_sha256 == OF_NOTHING else "log"
        log = f'<a href="{escape(result.log)}">{said}</a> <code>{result.log_sha256}</code>'
    return [
        escape(result.title),
        f'<span class="{css}">{result.outcome}</span>{again}',
        f"<code>{escape(result.why)}</code>" if result.why else "",
        f"{(result.to_us - result.from_us) / 1e6:.2f} s" if result.log else "",
        log,
    ]


def _left_out(findings: Findings) -> str:
    slow = [f"<li>{escape(result.title)}</li>" for result in findings.results.values() if result.why == ONLY_SLOW]
    if not slow:
        return ""
    return (
        f"<h2>Left out here</h2><p>These take long; they are played on sim and on a board.</p><ul>{''.join(slow)}</ul>"
    )


def _pins(findings: Findings) -> str:
    """A plot for each test that was played while edges could be seen."""
    plotted = []
    for result in findings.results.values():
        edges = findings.edges.get(result.attempt, [])
        if result.log and edges and result.to_us > result.from_us:
            there = {edge.what for edge in edges}
            signals = [signal for signal in SHOWN + NUMBER_KEYS if signal in there]
            plot = plots.pins(edges, signals, result.from_us, result.to_us)
            plotted.append(f"<details><summary>{escape(result.title)}</summary>{plot}</details>")
    return "<h2>Pins</h2>\n" + "\n".join(plotted) if plotted else ""
