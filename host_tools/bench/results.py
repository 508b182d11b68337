"""What a bench found: tests, their measurements, and how it ended; kept as it comes, one line a measurement."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from host_tools.bench.trace import Edge

PASSED, FAILED, SKIPPED, PROBLEM = "passed", "failed", "skipped", "bench problem"
NOT_PLAYED = "not played: the bench ended before"
ONLY_SLOW = "slow: left out on an emulated board, played on sim and on a board"
MEASUREMENTS = "measurements.jsonl"
SERIAL = "serial"  # folder of the logs


@dataclass(frozen=True)
class Measurement:
    """One figure. low, high: what it may be, None without a bound."""

    test: str
    name: str
    value: float
    unit: str
    low: float | None
    high: float | None

    @property
    def good(self) -> bool:
        return (self.low is None or self.value >= self.low) and (self.high is None or self.value <= self.high)

    def bounds(self) -> str:
        """As "3 to 10 us", "at least 3", "at most 50 us"."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g} {self.unit}"
        return f"at least {self.low:g} {self.unit}" if self.low is not None else f"at most {self.high:g} {self.unit}"


@dataclass
class Result:
    """One test. why: the reason of a skip or failure; from_us, to_us: when it ran, on the rig's clock; log: its serial
    log, relative to the run folder."""

    test: str
    title: str
    outcome: str = PASSED
    why: str = ""
    slow: bool = False
    attempt: int = 1
    from_us: float = 0
    to_us: float = 0
    log: str = ""
    log_sha256: str = ""
    measurements: list[Measurement] = field(default_factory=list)


@dataclass
class Findings:
    """Everything of one bench. results: of each test the last attempt; problems: sentences of what ended an attempt."""

    out: Path
    results: dict[str, Result] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    wire_failed: bool = False
    interrupted: bool = False
    attempt: int = 1
    edges: dict[int, list[Edge]] = field(default_factory=dict)  # of each attempt whose edges could be seen

    def measured(self, measurement: Measurement) -> None:
        """Keep it, also on the disk. Raises OSError."""
        self.results[measurement.test].measurements.append(measurement)
        line = json.dumps(asdict(measurement) | {"good": measurement.good, "attempt": self.attempt})
        with (self.out / MEASUREMENTS).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def count(self, outcome: str) -> int:
        return sum(result.outcome == outcome for result in self.results.values())

    def exit_code(self) -> int:
        """0 all that was played passed, 1 the board failed, 2 the bench itself could not do its work."""
        if self.wire_failed:
            return 2
        if self.count(FAILED):
            return 1
        return 2 if self.interrupted or self.count(PROBLEM) or not self.count(PASSED) else 0
