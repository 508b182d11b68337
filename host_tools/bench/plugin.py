"""The plugin that pytest runs the suite with: order, skips, declared measurements and what becomes of each test.

A test may use the fixtures of fixtures.py and the MARKS.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from host_tools.bench.results import FAILED, NOT_PLAYED, ONLY_SLOW, PASSED, PROBLEM, SKIPPED, Findings, Result
from host_tools.bench.stops import end_if_stopped
from host_tools.bench.table import DeviceFailed, Table
from host_tools.bench.targets import Target
from host_tools.errors import UserError
from host_tools.link.port import LinkLost
from host_tools.rig import missing

MARKS = (
    "wire: played first; when it fails nothing else is played",
    "slow: takes long; an emulated board leaves it out",
    "needs(capability, ...): skipped where rig or target cannot do that",
    "measures(name, ...): measurements that the test must take",
)
PROBLEMS = (UserError, LinkLost, OSError)
EDGES = "edges"  # a capability of the target: exact times of edges
BENCH: pytest.StashKey[BenchPlugin] = pytest.StashKey()


class BenchPlugin:
    """One attempt. only: ids of the tests to play, all if empty."""

    def __init__(self, target: Target, findings: Findings, table: Table, only: frozenset[str] = frozenset()):
        self.target, self.findings, self.table = target, findings, table
        self.played: dict[Any, tuple[Any, str]] = {}  # what several tests judge, by its kind: that, and who played it
        self._only = only

    # ------------------------------------------------------------ which tests, in which order

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[BENCH] = self
        for mark in MARKS:
            config.addinivalue_line("markers", mark)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """The wire's tests first, whatever -k names; none at all when -k fits none, or a slip of it would be green."""
        wire = [item for item in items if _has(item, "wire")]
        yield
        if not items:
            return
        others = [item for item in items if not _has(item, "wire")]
        left_out = [item for item in others if self._only and item.nodeid not in self._only]
        config.hook.pytest_deselected(items=left_out)
        items[:] = wire + [item for item in others if item not in left_out]
        for item in items:
            result = Result(item.nodeid, _title(item), SKIPPED, NOT_PLAYED, _has(item, "slow"))
            self.findings.results[item.nodeid] = result

    @pytest.hookimpl(tryfirst=True)
    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Those of the wire are played all the same, so pytest must not count them."""
        items[:] = [item for item in items if not _has(item, "wire")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skips come before any fixture touches the board."""
        end_if_stopped()
        if _has(item, "slow") and not self.target.slow:
            pytest.skip(ONLY_SLOW)
        wanted = [name for mark in item.iter_markers("needs") for name in mark.args]
        if EDGES in wanted and self.target.edges is None:
            pytest.skip("Nobody sees the exact times of this board's edges.")
        reason = missing(self.target.rig, *[name for name in wanted if name != EDGES])
        if reason:
            pytest.skip(reason)

    # ------------------------------------------------------------ results

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """A measurement that was declared and not taken fails the test, as does one that nobody declared."""
        yield
        declared = {name for mark in item.iter_markers("measures") for name in mark.args}
        taken = {measurement.name for measurement in self.findings.results[item.nodeid].measurements}
        if declared - taken:
            raise DeviceFailed(f"Not measured: {', '.join(sorted(declared - taken))}.")
        if taken - declared:
            raise DeviceFailed(f"Measured, but the test does not declare it: {', '.join(sorted(taken - declared))}.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        result = self.findings.results[item.nodeid]
        if report.when == "setup":
            result.attempt = self.findings.attempt
        if call.excinfo is not None:
            self._went_wrong(item, result, call.excinfo.value, report)
        elif report.when == "call":
            result.outcome, result.why = PASSED, ""
        return report

    def _went_wrong(self, item: pytest.Item, result: Result, error: BaseException, report: pytest.TestReport) -> None:
        if report.skipped:
            result.outcome, result.why = SKIPPED, str(error)
            return
        why = str(error).strip() or type(error).__name__
        if isinstance(error, PROBLEMS):
            if result.outcome != FAILED:  # what the board did wrong stays
                result.outcome, result.why = PROBLEM, why
            self.findings.problems.append(f"{item.name}: {why}")
            item.session.shouldstop = f"the bench has a problem: {why}"
        elif not isinstance(error, (KeyboardInterrupt, pytest.exit.Exception)):
            result.outcome, result.why = FAILED, why
            if _has(item, "wire"):
                self.findings.wire_failed = True
                item.session.shouldstop = "the wire does not work, so nothing else is played"

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Ctrl-C; pytest calls it for a session that was told to stop, too."""
        self.findings.interrupted = not isinstance(excinfo.value, pytest.Session.Interrupted)


def _has(item: pytest.Item, mark: str) -> bool:
    return item.get_closest_marker(mark) is not None


def _title(item: pytest.Item) -> str:
    return item.name.removeprefix("test_").replace("_", " ")
