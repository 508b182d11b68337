"""What a bench found: tests, their measurements, and how it ended; kept as it comes, one line a measurement."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from host_tools.bench.trace import Edge
from host_tools.errors import UserError

PASSED, FAILED, SKIPPED, PROBLEM = "passed", "failed", "skipped", "bench problem"
NOT_PLAYED = "not played: the bench ended before"
ONLY_SLOW = "slow: left out on an emulated board, played on sim and on a board"
MEASUREMENTS = "measurements.jsonl"
SERIAL = "serial"  # folder of the logs
LOG, LOG_DIGEST = "serial_log", "serial_log_sha256"  # properties of a test in junit.xml: where its log is, in hex
NOT_KEPT = "The run cannot be kept in {} ({}): name another folder with --out."
GONE = "{} is gone: it was removed while the bench ran; play it again, with --out where nobody tidies up."


@contextlib.contextmanager
def kept(out: Path) -> Iterator[None]:
    """Writing into the folder of a run. Raises UserError where the disk fails."""
    try:
        yield
    except OSError as error:
        raise UserError(NOT_KEPT.format(out, error.strerror)) from None


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
    """One test. why: the reason of a skip or failure; from_us, to_us: when it ran, on the rig's clock; log: the serial
    log of what it judged, relative to the run folder; played_by: which test played that, if not this one."""

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
    played_by: str = ""
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
    lines: int = 0  # of MEASUREMENTS
    folders: int = 0  # of logs
    edges: dict[int, list[Edge]] = field(default_factory=dict)  # of each attempt whose edges could be seen

    def measured(self, measurement: Measurement) -> None:
        """Keep it, also on the disk. Raises OSError."""
        self.results[measurement.test].measurements.append(measurement)
        line = json.dumps(asdict(measurement) | {"good": measurement.good, "attempt": self.attempt})
        with (self.out / MEASUREMENTS).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self.lines += 1

    def check_kept(self) -> None:
        """Raises UserError when a log or a measurement is not in the folder any more."""
        logs = {self.out / result.log for result in self.results.values() if result.log}
        for log in sorted(logs):
            if not log.is_file():
                raise UserError(GONE.format(log))
        figures = self.out / MEASUREMENTS
        if self.lines and not (figures.is_file() and len(figures.read_bytes().splitlines()) == self.lines):
            raise UserError(GONE.format(figures))

    def count(self, outcome: str) -> int:
        return sum(result.outcome == outcome for result in self.results.values())

    def exit_code(self) -> int:
        """0 all that was played passed, 1 the board failed, 2 the bench itself could not do its work."""
        if self.wire_failed:
            return 2
        if self.count(FAILED):
            return 1
        return 2 if self.interrupted or self.count(PROBLEM) or not self.count(PASSED) else 0
