"""Runs the suite on a target, once more what the bench itself spoiled, and leaves the run folder.

However it ends, by Ctrl-C or a crash of the bench too, all hands come off the table the safe way: the relay is off.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from host_tools.bench.results import FAILED, NOT_PLAYED, PROBLEM, SERIAL, Findings, Result, kept
from host_tools.bench.stops import CUT_SHORT, KEPT, STOPS, end_if_stopped
from host_tools.bench.table import OFF_MS, Table
from host_tools.bench.targets import Target
from host_tools.bench.terminal import Terminal
from host_tools.errors import UserError
from host_tools.link.port import LinkLost
from host_tools.signals import handled

REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = REPOSITORY / "tests" / "hil"
ATTEMPTS = 2
NO_PYTEST = "The bench needs pytest and pyvcd, which are not installed ({}): run make setup."
NONE_FITS = "No test was played: none fits -k {!r}, or pytest refuses it above; name some of tests/hil: -k test_round."
RELAY_ON = "The relay is still on after E-stop and open cover: cut the power now, and look at relay and wiring."


def open_for(open_target: Callable[[], Target], out: Path) -> Target:
    """Make the folder of a run, which must be empty or not there yet, and open its target. Raises UserError, and then
    leaves no folder behind."""
    with kept(out):
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise UserError(f"There are files in {out} already: name another folder with --out, one for each run.")
        (out / SERIAL).mkdir()  # refuses a bench that begins in the same folder at the same moment
    try:
        end_if_stopped()
        return open_target()
    except BaseException:
        leave_nothing(out)
        raise


def leave_nothing(out: Path) -> None:
    """Take the folder of a run away again, in which nothing was kept."""
    with contextlib.suppress(OSError):  # what is not empty is not of this run
        (out / SERIAL).rmdir()
        out.rmdir()


def run(open_target: Callable[[], Target], out: Path, expression: str = "", suite: Path = SUITE) -> Findings:
    """Play the tests of a suite that fit `expression` (as pytest's -k; those of the wire always) -> what was found.

    Inside stopped_once(). open_target is called once for each attempt. Raises UserError when the bench cannot begin;
    KeyboardInterrupt, which says so, after the report was written, and without words when there is nothing to report.
    """
    from host_tools.bench.report import write_report

    findings = Findings(out)
    try:
        _attempts(open_target, findings, expression, suite)
    except KeyboardInterrupt:  # between two attempts, or before there was a test; pytest keeps its own
        if not findings.results:
            leave_nothing(out)
            raise
        findings.interrupted = True
    if findings.interrupted:
        findings.problems.append(CUT_SHORT.format("bench"))
    with kept(out):
        findings.check_kept()
        report = write_report(findings)
    if findings.interrupted:
        raise KeyboardInterrupt(KEPT.format("bench", report))
    return findings


def _attempts(open_target: Callable[[], Target], findings: Findings, expression: str, suite: Path) -> None:
    only: frozenset[str] = frozenset()
    for attempt in range(1, ATTEMPTS + 1):
        findings.attempt = attempt
        with hands_off(open_for(open_target, findings.out) if attempt == 1 else open_target()) as target:
            _attempt(target, findings, expression, suite, only)
        if findings.wire_failed or findings.interrupted or not findings.count(PROBLEM):
            return
        only = frozenset(name for name, result in findings.results.items() if _undone(result))


def _undone(result: Result) -> bool:
    return result.outcome == PROBLEM or result.why == NOT_PLAYED


def _attempt(target: Target, findings: Findings, expression: str, suite: Path, only: frozenset[str]) -> None:
    """Have pytest run the suite. Raises UserError when it cannot."""
    try:
        import pytest

        from host_tools.bench import fixtures
        from host_tools.bench.pins_file import write_vcd
        from host_tools.bench.plugin import BenchPlugin
    except ModuleNotFoundError as missing:
        raise UserError(NO_PYTEST.format(missing.name)) from None
    again = "" if findings.attempt == 1 else f"-{findings.attempt}"
    junit = findings.out / f"junit{again}.xml"
    findings.facts |= target.facts | {"board file": target.board.file, "board file SHA-256": target.board.sha256}
    end_if_stopped()
    table = Table(target.rig, Terminal(target))
    args = [str(suite), f"--rootdir={REPOSITORY}", f"--config-file={REPOSITORY / 'pyproject.toml'}"]
    args += ["-p", "no:cacheprovider", "-q", "--no-header", "--tb=short"]
    args += [f"--junit-xml={junit}", "-o", "junit_family=xunit1"]
    args += ["-o", "junit_suite_name=tumbler bench"]
    if expression:
        args += ["-k", expression]
    pytest.main(args, plugins=[BenchPlugin(target, findings, table, only), fixtures])
    if not findings.results:
        junit.unlink(missing_ok=True)  # so that the folder can be used again
        leave_nothing(findings.out)
        if findings.interrupted:
            raise KeyboardInterrupt
        raise UserError(NONE_FITS.format(expression))
    if target.edges is not None:
        findings.edges[findings.attempt] = target.edges()
        with kept(findings.out):
            write_vcd(findings.out / f"pins{again}.vcd", findings.edges[findings.attempt], target.board)


@contextlib.contextmanager
def hands_off(target: Target) -> Iterator[Target]:
    """A target in use, inside stopped_once(). At the end E-stop and cover stop the motor, and what was opened is given
    back."""
    try:
        yield target
    finally:
        with handled(signal.SIG_IGN, *STOPS):
            try:
                _let_go(target)
            finally:
                target.close()


def _let_go(target: Target) -> None:
    """Raises UserError when the relay is still on. A rig that is gone lets go by itself."""
    try:
        target.rig.let_go()
        still_on = target.rig.step(OFF_MS)["relay"]
    except (UserError, LinkLost):
        return  # the attempt says so
    if still_on:
        raise UserError(RELAY_ON)


def failures(findings: Findings) -> list[str]:
    """A line for each test that failed or that the bench spoiled."""
    bad = [result for result in findings.results.values() if result.outcome in (FAILED, PROBLEM)]
    return [f"{result.outcome}: {result.title}: {result.why.splitlines()[0]}" for result in bad]
