"""Runs `tumbler bench` for the tests, as its own process: it runs pytest itself."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from vcd.reader import TokenKind, tokenize

LIMIT_S = 1800  # the emulator on a busy computer


class Ran(NamedTuple):
    """How it ended: exit code, what it said, and its run folder."""

    code: int
    said: str
    out: Path

    def cases(self) -> dict[str, ElementTree.Element]:
        """Name of a test, with its file -> its element in the JUnit file."""
        cases = ElementTree.parse(self.out / "junit.xml").iter("testcase")
        return {f"{case.get('classname')}::{case.get('name')}": case for case in cases}

    def outcomes(self) -> dict[str, str]:
        """Name of a test without its file -> passed, failed, error or skipped."""
        kinds = ("failure", "error", "skipped")
        names = {"failure": "failed"}
        return {
            name.partition("::")[2]: next((names.get(k, k) for k in kinds if case.find(k) is not None), "passed")
            for name, case in self.cases().items()
        }

    def said_of(self, test: str) -> dict[str, str]:
        """The properties of a test, from the JUnit file."""
        [case] = [case for name, case in self.cases().items() if name.partition("::")[2] == test]
        return said_of(case)

    def properties(self) -> dict[str, str]:
        """Of the whole run, from the JUnit file."""
        found = ElementTree.parse(self.out / "junit.xml").iter("testsuite")
        return {p.get("name", ""): p.get("value", "") for suite in found for p in suite.iterfind("properties/property")}

    def measurements(self) -> list[dict]:
        return [json.loads(line) for line in (self.out / "measurements.jsonl").read_text().splitlines()]

    def pins(self) -> dict[str, list[str]]:
        """Name of each signal in the VCD file -> its values in the order of time."""
        names: dict[str, str] = {}
        values: dict[str, list[str]] = {}
        with (self.out / "pins.vcd").open("rb") as file:
            for token in tokenize(file):
                if token.kind is TokenKind.VAR:
                    names[token.var.id_code] = token.var.reference
                elif token.kind is TokenKind.CHANGE_SCALAR:
                    values.setdefault(names[token.scalar_change.id_code], []).append(token.scalar_change.value)
        return values


def said_of(case: ElementTree.Element) -> dict[str, str]:
    return {p.get("name", ""): p.get("value", "") for p in case.iterfind("properties/property")}


def run_bench(*args: str, out: Path, module: str = "host_tools", command: tuple[str, ...] = ("bench",)) -> Ran:
    """Run it to its end."""
    done = subprocess.run(
        [sys.executable, "-m", module, *command, *args, "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        cwd=Path(__file__).resolve().parents[3],
    )
    return Ran(done.returncode, done.stdout + done.stderr, out)
