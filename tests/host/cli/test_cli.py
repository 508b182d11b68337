"""The command line as a person meets it: exit codes, one sentence on stderr, nothing half-done."""

import sqlite3
import subprocess
import sys

import pytest

from host_tools import cli, commands, keys
from host_tools.errors import UserError

DEV = "e6614c31d3b8a52f-9c1e"
SECRET = "ab" * 32


def key_file(tmp_path, mode=0o600):
    path = tmp_path / "given.key"
    path.write_text(SECRET + "\n")
    path.chmod(mode)
    return str(path)


def test_version_is_that_of_the_package(tumbler):
    assert tumbler("--version") == (0, "tumbler 0.1.0\n", "")


def test_enrolling_puts_the_key_in_its_place_and_the_board_at_its_table(tumbler, tmp_path):
    code, out, err = tumbler("enrol", DEV, "--table", "Table 4", "--key", key_file(tmp_path))
    assert (code, out, err) == (0, f"Board {DEV} serves table Table 4.\n", "")
    assert keys.board_key(DEV).hex() == SECRET
    for listing in (("enrol", "list"), ("enrol",)):
        code, out, err = tumbler(*listing)
        assert code == 0 and DEV in out and "Table 4" in out
        assert SECRET not in out + err


def test_enrolling_with_a_bad_key_leaves_neither_key_nor_store(tumbler, tmp_path):
    code, out, err = tumbler("enrol", DEV, "--table", "T", "--key", key_file(tmp_path, 0o644))
    assert (code, out) == (2, "")
    assert "chmod 600" in err and len(err.splitlines()) == 1
    assert not (tmp_path / "tumbler.db").exists() and not (tmp_path / "config").exists()


def test_enrolling_a_board_without_any_key_is_refused(tumbler, tmp_path):
    code, _, err = tumbler("enrol", DEV, "--table", "T")
    assert code == 2 and "There is no key" in err
    assert not (tmp_path / "tumbler.db").exists()


def test_enrolling_without_a_table_is_refused(tumbler):
    code, _, err = tumbler("enrol", "sim-0000000000a1-9c1e")
    assert code == 2 and "--table NAME" in err


def test_alarms_are_listed_and_confirmed_once(tumbler, tmp_path):
    tumbler("enrol", "sim-0000000000a1-9c1e", "--table", "T")
    with sqlite3.connect(tmp_path / "tumbler.db") as database:
        row = "'sim-x1', 'gap', 'It is gone.', '2026-01-01 00:00:00'"
        database.execute(f"insert into alarms (dev, kind, text, raised_at) values ({row})")
    assert "It is gone." in tumbler("alarms", "list")[1]
    assert "It is gone." in tumbler("alarms")[1]
    assert "It is gone." in tumbler("alarms", "--store", f"sqlite:///{tmp_path}/tumbler.db")[1]
    assert tumbler("alarms", "confirm", "1", "--by", "anna")[0] == 0
    assert tumbler("alarms", "list")[1] == "No alarm is open.\n"
    code, _, err = tumbler("alarms", "confirm", "1", "--by", "anna")
    assert code == 2 and "No alarm 1 is open" in err


@pytest.mark.parametrize(
    "asked", [("enrol",), ("alarms",), ("alarms", "list"), ("alarms", "confirm", "1", "--by", "a")]
)
def test_who_only_asks_makes_no_store(tumbler, tmp_path, asked):
    code, _, err = tumbler(*asked)
    assert code == 2 and "There is no store sqlite:///tumbler.db" in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_store_named_before_the_command_is_not_ignored(tumbler):
    code, _, err = tumbler("alarms", "--store", "sqlite:///other.db", "list")
    assert code == 2 and "Give --store behind the command" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "--target", "sim", "--rounds", "0"], "'--rounds': give one that is greater than or equal to 1"),
        (["run"], "Missing option '--target'"),
        (["nonsense"], "No such command 'nonsense'"),
        (["settle", "--dcie", "1,2,3"], "No such option"),
        (["alarms", "confirm", "9" * 23, "--by", "x"], "give one that is less than or equal to 9223372036854775807"),
        (["alarms", "confirm", "one", "--by", "x"], "'NUMBER': give a whole number, like 7: see"),
    ],
)
def test_what_the_command_line_itself_refuses_is_one_sentence(tumbler, args, said):
    code, out, err = tumbler(*args)
    assert (code, out) == (2, "")
    assert said in err and "--help`." in err and len(err.splitlines()) == 1


def test_a_choice_that_is_none_is_answered_with_the_choices_and_no_jargon(tumbler):
    code, _, err = tumbler("report", "--by", "foo")
    assert code == 2
    assert err == (
        "Invalid value for '--by': 'foo' is not one of 'round', 'day', 'kind', 'player': see `tumbler report --help`.\n"
    )


def test_without_a_command_there_is_help(tumbler):
    code, _, err = tumbler()
    assert code == 2 and err.startswith("Usage: tumbler") and "settle" in err


def test_the_help_of_enrol_says_where_a_key_comes_from(tumbler):
    assert "key file that `tumbler provision` wrote" in " ".join(tumbler("enrol", "--help")[1].split())


def test_boards_check_says_good_or_what_is_wrong(tumbler, tmp_path):
    code, out, err = tumbler("boards", "check")
    assert (code, err) == (0, "") and "pico: good\n" in out
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for verb in ("check", "module"):
        code, out, err = tumbler("boards", verb, "zero.toml")
        assert (code, out) == (2, "") and "zero.toml is not a file" in err
    (tmp_path / "bad.toml").write_text("board = 1\n")
    code, out, err = tumbler("boards", "check", "bad.toml")
    assert (code, out) == (2, "") and "bad.toml" in err


def test_boards_module_prints_python_that_can_be_put_into_a_file(tumbler):
    code, out, err = tumbler("boards", "module", "pico")
    assert (code, err) == (0, "")
    assert out.endswith("\n") and not out.endswith("\n\n")
    compile(out, "tumbler_board.py", "exec")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--target", "/dev/nothing-here"], "There is no port /dev/nothing-here"),
        (["--target", "sim", "--paytable", "none"], "There is no paytable 'none'"),
        (["--target", "sim", "--wagers", "none.csv"], "Wager file none.csv cannot be read"),
        (["--target", "sim", "--dice", "1,3,7"], "1,3,7"),
        (["--target", "sim", "--board", "none"], "There is no board"),
        (["--target", "sim", "--speed", "0.5"], "Speed 0.5"),
        (["--target", "/dev/null", "--seed", "4", "--dice", "1,2,3"], "--dice, --seed"),
        (["--target", "sim", "--store", "nonsense"], "is not a database URL"),
        (["--target", "sim", "--store", "sqlite:///none/x.db"], "none/x.db cannot be opened"),
        (["--target", "/dev/null"], "cannot be opened as a serial port"),
    ],
)
def test_bad_input_of_run_is_one_sentence_and_neither_capture_nor_store_nor_board_is_left(
    tumbler, tmp_path, args, said
):
    code, _, err = tumbler("run", *args)
    assert code == 2
    assert said in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_bad_row_stops_the_run_before_the_port_is_opened(tumbler, tmp_path):
    (tmp_path / "w.csv").write_text("wager_id,player,kind,selection,stake\nA,b,small,,0\n")
    code, _, err = tumbler("run", "--target", "/dev/nothing-here", "--wagers", "w.csv")
    assert code == 2 and "w.csv, row 2" in err and "/dev/nothing-here" not in err


def test_a_fault_of_the_program_is_not_dressed_up_as_bad_input(monkeypatch):
    def fail(**_):
        raise RuntimeError("a fault")

    monkeypatch.setattr(commands, "app", fail)
    with pytest.raises(RuntimeError):
        cli.main()


def test_the_sentence_of_a_user_error_goes_to_stderr(monkeypatch, capsys):
    def fail(**_):
        raise UserError("Mend it.")

    monkeypatch.setattr(commands, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "Mend it.\n")


def test_the_command_starts_without_the_database(tmp_path):
    """Half of the time of a start would go to it."""
    code = "import sys, host_tools.commands; sys.exit(sum(name in sys.modules for name in ('sqlalchemy', 'serial')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
