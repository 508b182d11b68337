"""The suite on the emulated RP2040: the same tests as on sim, those that take long left out and listed."""

from pathlib import Path

import pytest

from tests.host.bench.bench_runs import Ran, run_bench

QUICK = Path(__file__).with_name("quick.toml")
HIL = Path(__file__).parents[2] / "hil"


@pytest.fixture(scope="module")
def ran(uf2, tmp_path_factory) -> Ran:
    out = tmp_path_factory.mktemp("bench") / "run"
    return run_bench("--target", f"emu:{uf2}", "--board", str(QUICK), "--seed", "7", out=out)


def test_what_is_played_passes(ran):
    assert ran.code == 0, ran.said
    outcomes = ran.outcomes()
    assert set(outcomes.values()) == {"passed", "skipped"}
    assert list(outcomes.values()).count("passed") >= 12


def test_its_tests_are_those_of_sim(ran, sim_run):
    assert set(ran.cases()) == set(sim_run.cases())


def test_the_report_lists_what_was_left_out(ran):
    page = (ran.out / "report.html").read_text()
    left_out = [name for name, outcome in ran.outcomes().items() if outcome == "skipped"]
    assert len(left_out) >= 20
    listed = page.split("Left out here")[1]
    for name in left_out:
        assert name.removeprefix("test_").replace("_", " ") in listed, name


def test_the_relay_of_real_pio_is_off_in_time(ran):
    [off] = [m for m in ran.measurements() if m["name"] == "cover_to_relay_off_us"]
    assert 10 <= off["value"] <= 50


def test_the_pins_file_has_what_real_instructions_did(ran):
    values = ran.pins()
    assert values["relay_coil"][1:] == ["1", "0", "1", "0"]  # a round, and a spin under a lifted cover
    assert values["sensor"].count("1") >= 4
    assert {"0", "1"} <= set(values["display_dio"])
