"""The suite on the simulated board: all green, and everything that a run folder must hold is there."""

import hashlib
import re
import shutil

from host_tools.boards import load_board
from tests.host.bench.bench_runs import run_bench, said_of


def test_the_suite_passes(sim_run):
    assert sim_run.code == 0, sim_run.said
    assert set(sim_run.outcomes().values()) == {"passed"}
    assert len(sim_run.outcomes()) >= 40


def test_the_wire_comes_first(sim_run):
    files = [name.rpartition(".")[2].partition("::")[0] for name in sim_run.cases()]
    wire = files.count("test_wire")
    assert wire >= 3
    assert files[:wire] == ["test_wire"] * wire


def test_the_junit_file_says_what_was_tried(sim_run):
    said = sim_run.properties()
    assert (said["target"], said["seed"], said["board"]) == ("sim", "7", "pico")
    assert said["board file SHA-256"] == load_board("pico").sha256
    assert re.fullmatch("[0-9a-f]{16}", said["firmware"])
    assert said["micropython"].startswith("1.")
    assert said["dev"].startswith("sim-")


def test_each_measurement_has_its_bounds_and_is_within_them(sim_run):
    taken = sim_run.measurements()
    assert {"cover_to_relay_off_us", "spins_under_power", "entry_to_result_ms", "ghosts"} <= {m["name"] for m in taken}
    for m in taken:
        assert m["low"] is not None or m["high"] is not None
        assert (m["low"] is None or m["value"] >= m["low"]) and (m["high"] is None or m["value"] <= m["high"])


def test_each_test_has_its_serial_log_with_the_right_digest(sim_run):
    for case in sim_run.cases().values():
        said = said_of(case)
        log = sim_run.out / said["serial_log"]
        assert hashlib.sha256(log.read_bytes()).hexdigest() == said["serial_log_sha256"]
    logs = b"".join(log.read_bytes() for log in (sim_run.out / "serial").rglob("*.log"))
    assert logs.count(b'"kind":"result"') >= 6


def test_a_test_that_judges_a_round_which_another_one_played_points_to_its_log(sim_run):
    page = (sim_run.out / "report.html").read_text()
    of_entry = sim_run.said_of("test_the_result_comes_soon_after_entry")["serial_log"]
    of_records = sim_run.said_of("test_records_come_in_order_with_the_numbers_that_were_entered")["serial_log"]
    assert of_entry == of_records
    assert b'"kind":"result"' in (sim_run.out / of_entry).read_bytes()
    assert page.count(f'href="{of_entry}"') >= 9
    [pointer] = (sim_run.out / "serial").glob("*test_the_result_comes_soon_after_entry*/played-by.txt")
    assert (pointer.parent / pointer.read_text().strip()).resolve() == (sim_run.out / of_records).resolve()


def test_no_log_that_the_report_names_is_empty(sim_run):
    said = [sim_run.said_of(name.partition("::")[2])["serial_log"] for name in sim_run.cases()]
    assert all((sim_run.out / log).stat().st_size for log in said)


def test_verify_reads_the_folder_of_a_bench_as_one_stream(sim_run, tumbler):
    code, said, _ = tumbler("verify", str(sim_run.out))
    assert code == 0
    assert re.search(r"1[0-9][0-9] records, seq 1 to 1[0-9][0-9], 4 starts, .*: whole", said)


def test_verify_misses_the_folders_of_the_last_two_tests(sim_run, tumbler, tmp_path):
    copy = shutil.copytree(sim_run.out, tmp_path / "copy")
    gone = sorted((copy / "serial").iterdir())[-2:]
    for folder in gone:
        shutil.rmtree(folder)
    code, said, _ = tumbler("verify", str(copy))
    assert code == 1 and [str(folder) in said for folder in gone] == [True, True] and "whole" not in said


def test_the_pins_file_has_every_pin_and_the_relay_goes_on_and_off(sim_run):
    values = sim_run.pins()
    assert {"relay", "relay_coil", "cover", "sensor", "key1", "entry", "display_clk"} <= set(values)
    assert values["relay_coil"][-1] == "0"
    assert values["relay_coil"].count("1") >= 10


def test_the_report_is_one_file_with_figures_plots_and_words_for_them(sim_run):
    page = (sim_run.out / "report.html").read_text()
    assert "<h1>" in page
    assert "cover_to_relay_off_us" in page
    assert page.count('<svg role="img" aria-label=') >= 40
    assert re.search(r"""(?:src|href)=["'](?:https?:)?//""", page) is None


def test_the_suite_passes_on_a_board_without_a_no_more_bets_key(micropython, tmp_path):
    ran = run_bench("--target", "sim", "--board", "waveshare_rp2040_zero", "--seed", "3", out=tmp_path / "run")
    assert ran.code == 0, ran.said
    assert ran.properties()["board"] == "waveshare_rp2040_zero"
