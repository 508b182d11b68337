"""What the bench makes of tests that pass, fail, measure too little or are spoiled: exit code, report, the relay."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from host_tools.bench.runner import open_for
from host_tools.bench.targets import Target
from host_tools.errors import UserError
from tests.host.bench.bench_runs import Ran, run_bench

WIRE = """
    import os, signal
    import pytest
    from host_tools.errors import UserError

    @pytest.mark.wire
    def test_wire(any_table):
        any_table.wait("A proof", lambda: any_table.terminal.proven, 5000)
"""
OFF = "given back with relay off"
Play = Callable[[str], Ran]


@pytest.fixture
def play(micropython, tmp_path: Path) -> Play:
    """play(source of tests) -> how a bench with that suite went."""

    def run(source: str) -> Ran:
        suite = tmp_path / "test_small.py"
        suite.write_text(textwrap.dedent(WIRE) + textwrap.dedent(source))
        return run_bench(out=tmp_path / "run", module="tests.host.bench.small", command=(str(suite),))

    return run


def test_measurements_are_taken_as_declared_and_within_bounds(play):
    ran = play("""
        @pytest.mark.measures("good")
        def test_good(measure):
            measure("good", 5, "us", 1, 9)

        @pytest.mark.measures("forgotten")
        def test_forgotten():
            pass

        def test_not_declared(measure):
            measure("surprise", 5, "us", 1, 9)

        @pytest.mark.measures("high")
        def test_high(measure):
            measure("high", 10, "us", 1, 9)
    """)
    assert ran.code == 1
    failed = [name for name, outcome in ran.outcomes().items() if outcome == "failed"]
    assert failed == ["test_forgotten", "test_not_declared", "test_high"]
    assert "Not measured: forgotten." in ran.said
    assert {m["name"]: m["good"] for m in ran.measurements()} == {"good": True, "surprise": True, "high": False}


def test_a_failure_says_what_did_not_come_and_that_the_relay_is_on(play):
    ran = play("""
        def test_nothing_came(table):
            table.last("fault")

        def test_relay(table):
            table.spin()
            table.must_have_relay_off()
    """)
    assert ran.code == 1
    page = (ran.out / "report.html").read_text()
    assert "No fault came; these records did: none." in page
    assert "The relay is on where it must be off; the display shows" in page


def test_the_report_says_which_logs_are_empty(play):
    ran = play("""
        def test_nothing():
            pass
    """)
    page = (ran.out / "report.html").read_text()
    assert (page.count(">log (empty)</a>"), page.count(">log</a>")) == (1, 1)


def test_after_a_wire_that_fails_nothing_else_is_played(play):
    ran = play("""
        @pytest.mark.wire
        def test_another_wire():
            assert not "connected"

        def test_feature():
            pass
    """)
    assert ran.code == 2
    assert ran.outcomes() == {"test_wire": "passed", "test_another_wire": "failed"}
    assert "not played" in (ran.out / "report.html").read_text()


def test_what_the_bench_spoiled_is_played_once_more_and_the_report_says_so(play):
    ran = play("""
        def test_before():
            pass

        def test_spoiled(bench):
            if bench.findings.attempt == 1:
                raise UserError("The rig is gone.")

        def test_after():
            pass
    """)
    assert ran.code == 0
    page = (ran.out / "report.html").read_text()
    assert "The rig is gone." in page
    assert page.count("(second attempt)") == 3  # the wire, the spoiled one, and what came behind it
    assert (ran.out / "junit-2.xml").exists()


def test_a_bench_that_is_spoiled_twice_is_no_pass(play):
    ran = play("""
        def test_spoiled():
            raise UserError("The rig is gone.")
    """)
    assert ran.code == 2
    assert (ran.out / "report.html").read_text().count("The rig is gone.") >= 2
    assert not (ran.out / "junit-3.xml").exists()


def test_a_board_that_failed_is_not_played_again(play):
    ran = play("""
        def test_broken(bench):
            assert bench.findings.attempt == 2

        def test_spoiled(bench):
            if bench.findings.attempt == 1:
                raise UserError("The rig is gone.")
    """)
    assert ran.code == 1


def test_what_a_rig_cannot_do_is_skipped_with_the_reason(play):
    ran = play("""
        @pytest.mark.needs("power_cut")
        def test_possible(rig, bench):
            rig.power_cut()
            bench.target.rig.capabilities -= {"stall"}

        @pytest.mark.needs("stall")
        def test_impossible():
            assert not "played"
    """)
    assert ran.code == 0
    assert ran.outcomes() == {"test_wire": "passed", "test_possible": "passed", "test_impossible": "skipped"}
    assert "This rig cannot stall." in (ran.out / "report.html").read_text()


def test_a_capability_that_no_rig_has_is_no_reason_to_skip(play):
    ran = play("""
        @pytest.mark.needs("levitate")
        def test_unknown():
            pass
    """)
    assert ran.code == 2
    assert "No rig can levitate" in ran.said


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGINT)", 130),
        ("os.kill(os.getpid(), signal.SIGTERM)", 130),
        ("raise SystemExit(1)", 1),
        ("assert False", 1),
        ("pass", 0),
    ],
)
def test_the_relay_is_off_however_a_test_ends(play, end, code):
    ran = play(f"""
        def test_spins(table):
            table.spin()
            assert table.rig.read()["relay"]
            {end}
    """)
    assert ran.code == code, ran.said
    assert OFF in ran.said


def test_three_times_ctrl_c_leave_the_relay_off_and_a_report_that_says_so(play):
    ran = play("""
        @pytest.fixture
        def impatient():
            yield
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

        def test_spins(table, impatient):
            table.spin()
            os.kill(os.getpid(), signal.SIGINT)
    """)
    assert ran.code == 130, ran.said
    assert OFF in ran.said and f"what was played until then is in {ran.out / 'report.html'}." in ran.said
    page = (ran.out / "report.html").read_text()
    assert "Ctrl-C or SIGTERM ended the bench before all was played" in page


@pytest.mark.parametrize("gone", ['"."', '"serial"', '"measurements.jsonl"'])
def test_a_bench_whose_folder_is_emptied_meanwhile_is_a_problem_and_no_pass(play, gone):
    ran = play(f"""
        @pytest.mark.measures("figure")
        def test_first(measure):
            measure("figure", 1, "us", 0, 2)

        def test_second(bench):
            there = bench.findings.out / {gone}
            there.unlink() if there.is_file() else __import__("shutil").rmtree(there)
    """)
    assert ran.code == 2, ran.said
    assert "is gone: it was removed while the bench ran" in ran.said
    assert ran.said.strip().endswith(".")
    assert not (ran.out / "report.html").exists()


def test_the_relay_is_off_when_the_bench_itself_crashes(play):
    ran = play("""
        @pytest.fixture(autouse=True)
        def crash(bench, table):
            table.spin()
            bench.findings.results.clear()  # its own bookkeeping fails
            yield

        def test_spins():
            pass
    """)
    assert ran.code != 0
    assert OFF in ran.said


def test_a_report_that_cannot_be_written_is_a_problem_of_the_bench_and_not_of_the_board(play):
    ran = play("""
        def test_blocks(bench):
            (bench.findings.out / "report.html").mkdir()
    """)
    assert ran.code == 2
    assert f"The run cannot be kept in {ran.out} (Is a directory)" in ran.said


def test_two_benches_that_begin_at_once_do_not_share_a_folder(tmp_path):
    out = tmp_path / "run"

    def while_the_other_looks() -> Target:
        raise AssertionError("the second bench began")

    class Late(type(out)):
        """A folder in which the other bench begins right behind the look."""

        def iterdir(self):
            yield from super().iterdir()
            (out / "serial").mkdir()

    with pytest.raises(UserError, match="File exists"):
        open_for(while_the_other_looks, Late(out))


def test_a_folder_with_files_is_refused(tumbler, tmp_path):
    (tmp_path / "old.txt").touch()
    code, _, error = tumbler("bench", "--target", "sim", "--out", str(tmp_path))
    assert code == 2
    assert "name another folder with --out" in error
    assert [path.name for path in tmp_path.iterdir() if path.name != "config"] == ["old.txt"]


@pytest.mark.parametrize("expression", ["not wire and", "test_rounds_of_which_there_is_none"])
def test_an_expression_that_fits_nothing_is_refused_and_the_folder_can_be_used_again(
    tumbler, micropython, tmp_path, expression
):
    out = tmp_path / "run"
    code, _, error = tumbler("bench", "--target", "sim", "--out", str(out), "-k", expression)
    assert code == 2
    assert f"none fits -k '{expression}'" in error
    assert not out.exists()


def test_a_soak_takes_no_expression(tumbler, tmp_path):
    code, _, error = tumbler("bench", "--target", "sim", "--out", str(tmp_path / "run"), "-k", "x", "--soak", "3")
    assert code == 2
    assert "plays no tests" in error
    assert not (tmp_path / "run").exists()


def test_a_board_needs_a_rig_and_sim_brings_its_own(tumbler, tmp_path):
    out = ("--out", str(tmp_path / "run"))
    code, _, error = tumbler("bench", "--target", "/dev/ttyACM0", *out)
    assert code == 2
    assert "--rig PORT" in error
    code, _, error = tumbler("bench", "--target", "sim", "--rig", "/dev/ttyACM1", *out)
    assert code == 2
    assert "leave it out" in error
    code, _, error = tumbler("bench", "--target", "/dev/ttyACM1", "--rig", "/dev/ttyACM1", *out)
    assert code == 2
    assert "both board and rig" in error
    assert not (tmp_path / "run").exists()


def test_a_target_that_is_none_is_told_which_there_are_and_not_asked_for_a_rig(tumbler, tmp_path):
    code, _, error = tumbler("bench", "--target", "simx", "--out", str(tmp_path / "run"))
    assert code == 2
    assert error == "There is no target 'simx': give sim, emu, emu:UF2, auto, or a board's port or USB serial number.\n"
    assert len(error.splitlines()) == 1
    assert "--rig" not in error


def test_a_board_that_is_not_there_leaves_no_folder(tumbler, tmp_path):
    out = tmp_path / "run"
    code, _, error = tumbler("bench", "--target", "sim", "--board", "toaster", "--out", str(out))
    assert code == 2
    assert "toaster" in error
    assert not out.exists()


def test_a_fault_of_the_bench_itself_does_not_end_as_a_failed_board(tumbler, monkeypatch):
    def breaks(*args):
        raise KeyError("nobody foresaw this")

    monkeypatch.setattr("host_tools.bench.runner.run", breaks)
    code, _, told = tumbler("bench", "--target", "sim", "--out", "run")
    assert code == 2
    assert "nobody foresaw this" in told
