"""`tumbler verify` as a person calls it: exit codes, sentences, keys."""

import hashlib
import shutil
from datetime import datetime, timezone

import pytest
from typer.testing import CliRunner

from host_tools import keys
from host_tools.commands import app
from host_tools.errors import UserError
from host_tools.store import Store
from tests.host.verify.recording import Recording, recording

REAL, KEY = "e6614c31d3b8a52f-9c1e", bytes(range(100, 132))


def tumbler(*args):
    """-> (exit code, what was printed)."""
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    if isinstance(done.exception, UserError):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(recording().log)
    return path


def test_a_whole_log_ends_with_0_and_says_what_it_holds(log):
    code, said = tumbler("verify", log)
    assert code == 0
    assert "50 records, seq 1 to 50, 2 starts, 12 sent again, 8 meters compared: whole" in said


def test_a_damaged_log_ends_with_1_and_names_kind_line_board_and_record(log):
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:3] + lines[4:33]))
    code, said = tumbler("verify", log)
    assert code == 1
    assert f"{log}:5: record 3 of board sim-0000000000a1-9c1e is dropped: it did not come" in said


def test_a_log_that_is_stopped_short_is_whole_and_the_rest_is_noted(tmp_path):
    made = Recording().start().play(1)
    (tmp_path / "a.log").write_bytes(made.log[: made.log.index(made.board.lines[-1])] + made.lines[-1])
    code, said = tumbler("verify", tmp_path / "a.log")
    assert code == 0 and "had written records up to seq 7, the last one here is 6" in said


def test_a_log_that_begins_later_is_noted(tmp_path):
    made = Recording().start().play(1)
    (tmp_path / "a.log").write_bytes(b"".join(made.board.lines[2:]))
    code, said = tumbler("verify", tmp_path / "a.log")
    assert code == 0 and "record 1:3 is the first here" in said


def test_a_board_for_play_is_judged_by_the_key_that_is_given(tmp_path):
    (tmp_path / "a.log").write_bytes(Recording(REAL, KEY).start().play(1).log)
    (tmp_path / "right.key").write_text(KEY.hex() + "\n")
    (tmp_path / "wrong.key").write_text(keys.TEST_KEY.hex() + "\n")
    for name in ("right", "wrong"):
        (tmp_path / f"{name}.key").chmod(0o600)
    assert tumbler("verify", tmp_path / "a.log", "--key", tmp_path / "right.key")[0] == 0
    code, said = tumbler("verify", tmp_path / "a.log", "--key", tmp_path / "wrong.key")
    assert code == 1 and "is edited" in said and KEY.hex() not in said


def test_a_board_for_play_without_a_key_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "a.log").write_bytes(Recording(REAL, KEY).start().log)
    with pytest.raises(UserError, match="There is no key for board e6614c31d3b8a52f-9c1e"):
        tumbler("verify", tmp_path / "a.log")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        (b"", "holds no ledger line"),
        (b"offset,utc\n0,2026-11-30T12:00:00\n", "holds no ledger line"),
        (b"SQLite format 3\0rest", "is a store: give it as sqlite:///"),
    ],
)
def test_what_is_no_log_is_told(tmp_path, content, sentence):
    if content is not None:
        (tmp_path / "a.log").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        tumbler("verify", tmp_path / "a.log")


def test_a_folder_is_verified_by_all_the_logs_in_it(tmp_path):
    made = Recording().start().play(1)
    folder = tmp_path / "out"
    (folder / "sim-1").mkdir(parents=True)
    (folder / "20261130T200751Z.00001.log").write_bytes(b"".join(made.board.lines[:3]))
    (folder / "20261130T200851Z.00001.log").write_bytes(b"".join(made.board.lines[3:]))
    code, said = tumbler("verify", folder)
    assert code == 0 and "7 records, seq 1 to 7" in said


def test_the_logs_of_a_benchs_tests_are_one_stream_that_is_cut_within_lines(tmp_path):
    made = b"".join(Recording().start().play(1).board.lines)
    for number, part in enumerate((made[:900], b"", made[900:]), 1):
        folder = tmp_path / "out" / "serial" / f"{number:03d}-test"
        folder.mkdir(parents=True)
        (folder / f"20261130T20085{9 - number}Z.00001.log").write_bytes(part)
    code, said = tumbler("verify", tmp_path / "out")
    assert code == 0 and "7 records, seq 1 to 7" in said and "broken" not in said


@pytest.fixture
def bench(tmp_path):
    """The folder of a bench of three tests, and the logs of these."""
    lines = Recording().start().play(1).play(2).board.lines
    folder, logs, cases = tmp_path / "out", [], []
    for number, part in enumerate((lines[:4], lines[4:9], lines[9:]), 1):
        logs.append(folder / "serial" / f"{number:03d}-test" / "20261130T200851Z.00001.log")
        logs[-1].parent.mkdir(parents=True)
        logs[-1].write_bytes(b"".join(part))
        said = {
            "serial_log": logs[-1].relative_to(folder).as_posix(),
            "serial_log_sha256": hashlib.sha256(b"".join(part)).hexdigest(),
        }
        properties = "".join(f'<property name="{name}" value="{value}"/>' for name, value in said.items())
        cases.append(f"<testcase><properties>{properties}</properties></testcase>")
    (folder / "junit.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return folder, logs


@pytest.mark.parametrize("gone", [(0,), (1, 2), (0, 1, 2)], ids=str)
def test_a_log_that_the_report_of_a_bench_lists_and_that_is_gone_is_named(bench, gone):
    folder, logs = bench
    code, said = tumbler("verify", folder)
    assert code == 0 and said.endswith(": whole\n")
    for number in gone:
        shutil.rmtree(logs[number].parent)
    code, said = tumbler("verify", folder)
    assert code == 1 and "whole" not in said
    assert [f"{log} is missing: the report lists it.\n" in said for log in logs] == [n in gone for n in range(3)]


def test_a_log_that_is_not_the_one_which_the_report_of_a_bench_lists_is_named(bench):
    """Its last line was cut off, which leaves a chain that fits."""
    folder, (*_, log) = bench
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    code, said = tumbler("verify", folder)
    assert code == 1 and "whole" not in said
    assert f"{log} was altered: the report lists another SHA-256 for it.\n" in said


def test_a_log_beside_the_folders_of_a_bench_is_read_too(bench):
    folder, _ = bench
    later = Recording().start().play(1).play(2).play(3).board.lines[14:]  # behind one that is in none
    (folder / "20261130T220000Z.00001.log").write_bytes(b"".join(later))
    code, said = tumbler("verify", folder)
    assert code == 1 and "record 14 of board sim-0000000000a1-9c1e is dropped" in said


def test_a_report_of_a_bench_that_cannot_be_read_is_told(bench):
    folder, _ = bench
    (folder / "junit.xml").write_text("<testsuites>")
    with pytest.raises(UserError, match=r"Report .*junit.xml cannot be read .*: copy it from its backup"):
        tumbler("verify", folder)


def test_a_folder_beside_something_else_is_told(log, tmp_path):
    with pytest.raises(UserError, match="A folder is verified alone"):
        tumbler("verify", tmp_path, log)


def test_a_folder_without_a_log_is_no_source(tmp_path):
    with pytest.raises(UserError, match="There is no captured log in "):
        tumbler("verify", tmp_path)


def test_a_store_among_logs_is_told_whichever_comes_first(log, tmp_path):
    url = f"sqlite:///{tmp_path}/t.db"
    for sources in ((log, url), (url, log), (url, url)):
        with pytest.raises(UserError, match="A store is verified alone"):
            tumbler("verify", *sources)


def test_a_store_that_holds_no_more_than_a_named_gap_says_so(tmp_path):
    url, at = f"sqlite:///{tmp_path}/t.db", datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    store = Store.open(url)
    behind = store.alarm("sim-0000000000a1-9c1e", "store_behind", "Records are missing.", at, (6, 11))
    store.confirm_alarm(behind, "anna", at)
    store.close()
    code, said = tumbler("verify", url)
    assert code == 0 and "0 records, 0 rounds, 0 settlements: whole" in said
    assert "records 6 to 11 are not in this store, a named gap: anna answered for that, 2026-03-01 12:00:00." in said
