"""The suite on the simulated board: all green, and everything that a run folder must hold is there."""

import hashlib
import re

import pytest
from vcd.reader import TokenKind, tokenize

from host_tools.boards import load_board
from tests.host.bench.bench_runs import Ran, run_bench


@pytest.fixture(scope="module")
def ran(micropython, tmp_path_factory) -> Ran:
    return run_bench("--target", "sim", "--seed", "7", out=tmp_path_factory.mktemp("bench") / "run")


def test_the_suite_passes(ran):
    assert ran.code == 0, ran.said
    assert set(ran.outcomes().values()) == {"passed"}
    assert len(ran.outcomes()) >= 40


def test_the_wire_comes_first(ran):
    files = [name.rpartition(".")[2].partition("::")[0] for name in ran.cases()]
    wire = files.count("test_wire")
    assert wire >= 3
    assert files[:wire] == ["test_wire"] * wire


def test_the_junit_file_says_what_was_tried(ran):
    said = ran.properties()
    assert (said["target"], said["seed"], said["board"]) == ("sim", "7", "pico")
    assert said["board file SHA-256"] == load_board("pico").sha256
    assert re.fullmatch("[0-9a-f]{16}", said["firmware"])
    assert said["micropython"].startswith("1.")
    assert said["dev"].startswith("sim-")


def test_each_measurement_has_its_bounds_and_is_within_them(ran):
    taken = ran.measurements()
    assert {"cover_to_relay_off_us", "spins_under_power", "entry_to_result_ms", "ghosts"} <= {m["name"] for m in taken}
    for m in taken:
        assert m["low"] is not None or m["high"] is not None
        assert (m["low"] is None or m["value"] >= m["low"]) and (m["high"] is None or m["value"] <= m["high"])


def test_each_test_has_its_serial_log_with_the_right_digest(ran):
    for case in ran.cases().values():
        said = {p.get("name"): p.get("value", "") for p in case.iterfind("properties/property")}
        log = ran.out / str(said["serial_log"])
        assert hashlib.sha256(log.read_bytes()).hexdigest() == said["serial_log_sha256"]
    logs = b"".join(log.read_bytes() for log in (ran.out / "serial").rglob("*.log"))
    assert logs.count(b'"kind":"result"') >= 6


def test_the_pins_file_has_every_pin_and_the_relay_goes_on_and_off(ran):
    names, changes = {}, {}
    with (ran.out / "pins.vcd").open("rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.reference
            elif token.kind is TokenKind.CHANGE_SCALAR:
                changes.setdefault(names[token.scalar_change.id_code], []).append(token.scalar_change.value)
    assert {"relay", "relay_coil", "cover", "sensor", "key1", "entry", "display_clk"} <= set(names.values())
    assert changes["relay_coil"][-1] == "0"
    assert changes["relay_coil"].count("1") >= 10


def test_the_report_is_one_file_with_figures_plots_and_words_for_them(ran):
    page = (ran.out / "report.html").read_text()
    assert "<h1>" in page
    assert "cover_to_relay_off_us" in page
    assert page.count('<svg role="img" aria-label=') >= 40
    assert re.search(r"""(?:src|href)=["'](?:https?:)?//""", page) is None
