"""Rounds after rounds without anybody there, and what came of them: the soak of a board."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from host_tools.bench.results import SERIAL, kept
from host_tools.bench.stops import end_if_stopped
from host_tools.bench.table import ANSWER_MS, GAP_MS, HELLO_MS, STATUS_MS, DeviceFailed, Table
from host_tools.bench.targets import Target
from host_tools.bench.terminal import Terminal

SOAK = "soak.json"
ROUND = ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
LOOK_MS = 2  # so exact is the time from ENTRY to the result
EXTRA_NUMBERS = 3  # at most so many are pressed before the three that count
PERCENTILES = (50, 99)


@dataclass
class Counters:
    """What a soak counts. ghosts: keys that counted and were not pressed; losses: presses that were neither taken nor
    refused; resends: records that came although they had come before; gap_ms: the longest that the board's own
    meter records tell; entry_ms: from each press of ENTRY to the whole result at the host's end of the line."""

    rounds: int = 0
    ghosts: int = 0
    losses: int = 0
    resends: int = 0
    resets: int = 0
    usb_drops: int = 0
    gap_ms: int = 0
    entry_ms: list[int] = field(default_factory=list)
    failure: str = ""

    @property
    def good(self) -> bool:
        return not (self.failure or self.ghosts or self.losses or self.resets)

    def entry(self, percent: int) -> int:
        """That percentile of entry_ms: the smallest that so many percent do not pass; 0 where none was measured."""
        ordered = sorted(self.entry_ms)
        return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else 0

    def rows(self) -> list[tuple[str, str]]:
        """(what, figure) as a person reads them."""
        entries = [(f"ENTRY to result, p{percent}", f"{self.entry(percent)} ms") for percent in PERCENTILES]
        return [
            ("rounds", str(self.rounds)),
            ("ghost presses", str(self.ghosts)),
            ("lost presses", str(self.losses)),
            ("records sent again", str(self.resends)),
            ("resets", str(self.resets)),
            ("USB drops", str(self.usb_drops)),
            ("longest loop gap", f"{self.gap_ms} ms"),
            *entries,
            ("ENTRY to result, longest", f"{max(self.entry_ms, default=0)} ms"),
        ]


def soak(target: Target, rounds: int, seed: int, out: Path, advance: Callable[[int], object]) -> Counters:
    """Play so many rounds with numbers drawn from `seed`; stops at the first that the board does not play -> Counters,
    which are in `out` too, with "cut short" when neither all rounds nor a failure ended it. advance(1) is called after
    each. Raises UserError when port or rig are gone, or the disk fails."""
    table = Table(target.rig, Terminal(target))
    counters = Counters()
    draw = random.Random(seed)
    table.terminal.begin(out / SERIAL)
    try:
        table.rig.ready()
        table.wait("A hello with a right proof", lambda: table.terminal.proven, HELLO_MS)
        table.home()
        table.rig.step(STATUS_MS)  # what was unacked has come, too
        for _ in range(rounds):
            end_if_stopped()
            _round(table, draw, counters)
            advance(1)
    except DeviceFailed as failure:
        counters.failure = str(failure)
    finally:
        _, digest = table.terminal.end()
        facts = target.facts | {"rounds asked for": rounds, "numbers drawn from": seed, "serial log SHA-256": digest}
        facts["cut short"] = counters.rounds < rounds and not counters.failure
        with kept(out):
            (out / SOAK).write_text(json.dumps(facts | asdict(counters), indent=1) + "\n", encoding="utf-8")
    return counters


def _round(table: Table, draw: random.Random, counters: Counters) -> None:
    """Play one round and count. Raises DeviceFailed when it is not played as it should be."""
    rig, terminal = table.rig, table.terminal
    terminal.forget()
    rig.presses.clear()
    table.open_bets()
    table.close_bets()
    table.uncover()
    table.tap(*_numbers(draw, draw.randint(0, EXTRA_NUMBERS)))
    dice = _numbers(draw, 3)
    table.tap(*dice)
    counters.entry_ms.append(_entry_ms(table))
    table.finish()
    _count(terminal, rig.presses, counters)
    if terminal.kinds() != ROUND or terminal.of("result")[0]["dice"] != tuple(map(int, dice)):
        raise DeviceFailed(f"Round {counters.rounds + 1} of the soak left {terminal.kinds()}, {dice} were entered.")
    if terminal.alarms or terminal.bad:
        raise DeviceFailed(f"Round {counters.rounds + 1} of the soak: {terminal.alarms or terminal.bad}.")
    counters.rounds += 1


def _numbers(draw: random.Random, count: int) -> list[str]:
    return [str(draw.randint(1, 6)) for _ in range(count)]


def _entry_ms(table: Table) -> int:
    rig, terminal = table.rig, table.terminal
    began_ms = rig.read()["t_ms"]
    rig.press("entry")
    table.wait("The result", lambda: "result" in terminal.kinds(), ANSWER_MS, LOOK_MS)
    took_ms = rig.t_ms - began_ms
    rig.release("entry")
    rig.step(GAP_MS)
    return took_ms


def _count(terminal: Terminal, presses: Counter[str], counters: Counters) -> None:
    said = Counter(key["key"] for key in terminal.of("key"))
    counters.ghosts += (said - presses).total()
    counters.losses += (presses - said).total()
    counters.resends, counters.resets, counters.usb_drops = terminal.repeats, len(terminal.boots) - 1, terminal.drops
    counters.gap_ms = max(counters.gap_ms, terminal.of("meter")[0]["gap_ms"])
