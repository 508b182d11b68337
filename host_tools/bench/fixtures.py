"""Fixtures of the suite: the table, its line and its rig, measurements, a log for each test, the relay off after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import pytest

from host_tools.bench.plugin import BENCH, BenchPlugin
from host_tools.bench.results import LOG, LOG_DIGEST, SERIAL, Measurement
from host_tools.bench.table import DeviceFailed, Table
from host_tools.bench.targets import PumpedRig
from host_tools.bench.terminal import Terminal
from host_tools.bench.trace import Edge

Measure = Callable[[str, float, str, "float | None", "float | None"], None]
Played = TypeVar("Played")


class PlayedOnce(Protocol):
    """Plays for several tests; the fixture played_once."""

    def __call__(self, kind: Callable[[Table], Played]) -> Played: ...


PLAYED_BY = "played-by.txt"  # in the folder of a test that judges what another one played: where its log is
HELLO_FACTS = {"dev": "dev", "board": "board", "firmware": "fw", "micropython": "mpy"}  # name in a report -> field
RELAY_STAYS = "The relay stays on after the test, with the cover open and the E-stop pressed: cut the power now."


@pytest.fixture(scope="session")
def bench(
    request: pytest.FixtureRequest, record_testsuite_property: Callable[[str, object], None]
) -> Iterator[BenchPlugin]:
    """The attempt. What it was made on goes into the JUnit file."""
    bench = request.config.stash[BENCH]
    yield bench
    hello = bench.table.terminal.hello or {}
    bench.findings.facts |= {name: str(hello.get(key, "not known")) for name, key in HELLO_FACTS.items()}
    for name, value in bench.findings.facts.items():
        record_testsuite_property(name, value)


@pytest.fixture(autouse=True)
def _logged(
    request: pytest.FixtureRequest, bench: BenchPlugin, record_property: Callable[[str, object], None]
) -> Iterator[None]:
    """The serial log of this test, and when it ran."""
    findings, table = bench.findings, bench.table
    result = findings.results[request.node.nodeid]
    findings.folders += 1  # their names sort as the logs were written
    folder = findings.out / SERIAL / f"{findings.folders:03d}-{_slug(request.node.nodeid)}-{findings.attempt}"
    table.terminal.begin(folder)
    result.from_us = table.rig.t_ms * 1000
    try:
        yield
    finally:
        result.to_us = table.rig.t_ms * 1000
        log, result.log_sha256 = table.terminal.end()
        result.log = log.relative_to(findings.out).as_posix()
        if result.played_by:
            other = findings.results[result.played_by]
            result.log, result.log_sha256 = other.log, other.log_sha256
            (folder / PLAYED_BY).write_text(f"../../{other.log}\n", encoding="utf-8")
        record_property(LOG, result.log)
        record_property(LOG_DIGEST, result.log_sha256)


def _slug(nodeid: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", nodeid.rpartition("/")[2])


@pytest.fixture
def any_table(bench: BenchPlugin, _logged: None) -> Iterator[Table]:
    """Hands at the table, in whatever state it is. After the test the relay is off."""
    yield bench.table
    if not bench.table.relay_off():
        raise DeviceFailed(RELAY_STAYS)
    bench.table.terminal.give_acks()


@pytest.fixture
def table(any_table: Table) -> Table:
    """Hands at the table, which is in IDLE with the cover shut; the way there is in the log alone."""
    any_table.home()
    any_table.terminal.forget()
    return any_table


@pytest.fixture
def terminal(table: Table) -> Terminal:
    """The line: records, ephemeral lines, orders, acks given or withheld."""
    return table.terminal


@pytest.fixture
def rig(table: Table) -> PumpedRig:
    """Keys, cover and faults."""
    return table.rig


@pytest.fixture
def played_once(request: pytest.FixtureRequest, bench: BenchPlugin) -> PlayedOnce:
    """played_once(kind) -> kind(table), which the first test that asks for it plays; the others' logs point to that
    one's."""

    def play(kind: Callable[[Table], Played]) -> Played:
        this = request.node.nodeid
        if kind not in bench.played:
            bench.played[kind] = kind(request.getfixturevalue("table")), this
        played, by = bench.played[kind]
        if by != this:
            bench.findings.results[this].played_by = by
        return played

    return play


@pytest.fixture
def edges(bench: BenchPlugin) -> Callable[[], list[Edge]]:
    """edges() -> those of all pins so far; a test that uses it needs("edges")."""
    assert bench.target.edges is not None, 'mark the test needs("edges")'
    return bench.target.edges


@pytest.fixture
def measure(request: pytest.FixtureRequest, bench: BenchPlugin) -> Measure:
    """measure(name, value, unit, low, high) keeps a figure, and fails the test when it is out of its bounds."""

    def take(name: str, value: float, unit: str, low: float | None, high: float | None) -> None:
        measurement = Measurement(request.node.nodeid, name, value, unit, low, high)
        bench.findings.measured(measurement)
        if not measurement.good:
            raise DeviceFailed(f"{name} is {value:g} {unit} and must be {measurement.bounds()}.")

    return take
