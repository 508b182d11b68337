"""What the emulated boards say at the end of the tests: figures with their limits, and how long they ran.

Tests may run in several processes; each hands what it noted to the one that prints.
"""

from collections import Counter

import pytest

SECONDS_LIMIT = 25  # emulated; each takes up to half a minute


class EmuSummary:
    """Seconds by file and lines of figures; of all processes in the one that prints, of its own in any other."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.figures: list[str] = []
        self.left_out = 0

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.left_out += sum(item.get_closest_marker("emu_full") is not None for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error: object) -> None:
        """A process of tests ended; it left out the same tests as the others."""
        told = getattr(node, "workeroutput", {}).get("emu", {})
        self.seconds.update(told.get("seconds", {}))
        self.figures.extend(told.get("figures", []))
        self.left_out = told.get("left_out", self.left_out)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["emu"] = {
                "seconds": dict(self.seconds),
                "figures": self.figures,
                "left_out": self.left_out,
            }
        elif self.left_out and self.seconds.total() > SECONDS_LIMIT and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.figures:
            terminalreporter.write_line(line)
        if self.left_out:
            terminalreporter.write_line(
                f"{self.left_out} tests of the emulated board were left out, as they take long: make emu-full runs them"
            )
        if self.seconds:
            most = ", ".join(f"{file} {seconds:.1f}" for file, seconds in self.seconds.most_common(6))
            terminalreporter.write_line(
                f"emulated boards: {self.seconds.total():.1f} s (limit {SECONDS_LIMIT} without the emu_full tests), "
                f"most of it in {most}"
            )


EMU_SUMMARY = pytest.StashKey[EmuSummary]()
