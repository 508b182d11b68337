"""`tumbler paytables check`: exact edges, warnings, and where in a file a fault is."""

from fractions import Fraction
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler import check as check_room
from host_tools.settler.commands import paytables_app
from host_tools.settler.craps import wagers as craps
from host_tools.settler.paytable import BUNDLED_DIR, bundled_names, load
from host_tools.settler.paytable_file import PaytableFile
from host_tools.settler.settle import Wager, settle_round
from host_tools.settler.wagerfile import parse_wagers

# Of 216 throws so many win; counted by hand. What a wager of 1 costs is 1 - ways x (odds + 1) / 216.
HOIANA = {
    ("small", ""): (105, 1),
    ("big", ""): (105, 1),
    ("triple", "4"): (1, 150),
    ("double", "6"): (16, 8),
    ("any_triple", ""): (6, 24),
    ("combination", "2-5"): (30, 5),
    ("total", "4"): (3, 50),
    ("total", "16"): (6, 18),
    ("total", "6"): (10, 14),
    ("total", "14"): (15, 12),
    ("total", "8"): (21, 8),
    ("total", "12"): (25, 6),
    ("total", "10"): (27, 6),
}


def run(*arguments):
    app = typer.Typer()
    app.add_typer(paytables_app, name="paytables")
    return CliRunner().invoke(app, ["paytables", *arguments], env={"COLUMNS": "250", "NO_COLOR": "1"})


def changed(tmp_path, *pairs, name="hoiana"):
    """A bundled paytable with lines of its file changed."""
    text = (BUNDLED_DIR / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_edge_is_the_exact_fraction():
    found = {
        (row.kind, selection): row.edge
        for row in check_room.tai_sai_edges(load("hoiana"))
        for selection in row.selections
    }
    assert len(found) == 50
    for area, (ways, odds) in HOIANA.items():
        assert found[area] == 1 - Fraction(ways * (odds + 1), 216), area
    # 75 throws show a number once, 15 twice, 1 three times: 1 - (75 x 2 + 15 x 3 + 1 x 4) / 216.
    assert found["face", "5"] == Fraction(17, 216)


def test_rows_hold_what_is_alike_together_and_in_the_order_of_the_layout():
    rows = [
        (row.kind, row.selections, [str(odds) for odds in row.odds]) for row in check_room.tai_sai_edges(load("macau"))
    ]
    assert rows == [
        ("small", ("",), ["1:1"]),
        ("big", ("",), ["1:1"]),
        ("triple", ("1", "2", "3", "4", "5", "6"), ["150:1"]),
        ("double", ("1", "2", "3", "4", "5", "6"), ["8:1"]),
        ("total", ("4", "17"), ["50:1"]),
        ("total", ("5", "16"), ["18:1"]),
        ("total", ("6", "15"), ["14:1"]),
    ]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(1, 36), "2.78"),
        (Fraction(0), "0.00"),
        (Fraction(1, 8), "12.50"),
        (Fraction(-1, 36), "-2.78"),
        (Fraction(-1, 100_000), "0.00"),
        (Fraction(1), "100.00"),
    ],
)
def test_per_cent_has_two_decimals(share, text):
    assert check_room.percent(share) == text


def test_the_command_shows_fraction_per_cent_odds_and_gaps():
    shown = run("check", "hoiana")
    assert shown.exit_code == 0
    assert shown.stderr == ""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.stdout.splitlines() if "│" in line]
    assert ["small", "", "1:1", "1/36", "2.78"] in rows
    assert ["face", "1, 2, 3, 4, 5, 6", "1:1, 2:1, 3:1", "17/216", "7.87"] in rows
    assert "Not covered: odd, even, three_dice, four_numbers" in shown.stdout


def test_without_a_name_all_that_come_with_it_are_checked_and_none_warns():
    shown = run("check")
    assert shown.stdout.count("Not covered: ") == len(bundled_names()) + 2
    assert "Paytable craps [" in shown.stdout
    assert "Paytable super_sevens [" in shown.stdout
    assert shown.stderr == ""


def test_odds_at_which_the_house_loses_are_a_warning_with_the_line(tmp_path):
    path = changed(tmp_path, ('10 = "6:1"', '10 = "7:1"'), ('4 = "50:1"', '4 = "72:1"'))
    shown = run("check", path)
    assert shown.exit_code == 0
    assert "total" in shown.stdout
    # 1 - 3 x 73 / 216 = -1/72; a total of 10 at 7:1 gives 27 x 8 / 216 back: nobody has an edge.
    lines = (tmp_path / "own.toml").read_text(encoding="utf-8").splitlines()
    line = 1 + lines.index('4 = "72:1"')
    assert shown.stderr.splitlines() == [
        f"Warning: Paytable {path}, line {line}: the house loses 1.39 % of what is wagered on total 4; check the odds."
    ]


def cells(shown):
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.stdout.splitlines() if "│" in line]


def test_the_other_games_are_checked_by_name_and_by_path(tmp_path):
    sevens = cells(run("check", "super_sevens"))
    assert [(row[1], row[4]) for row in sevens] == [("6 decks", "11.40"), ("8 decks", "9.01")]
    rows = cells(run("check", "craps"))
    assert ["pass", "", "1:1", "7/495", "1.41"] in rows
    assert ["place", "6, 8", "7:6", "1/66", "1.52"] in rows
    assert ["field", "", "1:1, 2:1", "1/18", "5.56"] in rows
    text = craps.BUNDLED.read_text(encoding="utf-8").replace('any_seven = "4:1"', 'any_seven = "6:1"')
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    line = 1 + text.splitlines().index('any_seven = "6:1"')
    assert (
        f"own.toml, line {line}: the house loses 16.67 % of what is wagered on any_seven; check"
        in run("check", str(tmp_path / "own.toml")).stderr
    )


def test_a_paytable_of_another_game_is_not_taken_for_tai_sai_nor_one_of_no_game(tmp_path):
    with pytest.raises(UserError, match="line 3: key game is 'craps', but this is about Tai-Sai"):
        load(str(craps.BUNDLED))
    path = changed(tmp_path, ("[odds]", 'game = "roulette"\n[odds]'))
    with pytest.raises(UserError, match="line 8: key game is not one of tai_sai, craps, super_sevens"):
        check_room.check(PaytableFile(Path(path)))
    assert load(changed(tmp_path, ("[odds]", 'game = "tai_sai"\n[odds]'))).hash == load("hoiana").hash


def test_an_unknown_name_lists_those_of_all_games():
    with pytest.raises(UserError, match=r"no paytable 'crabs': take one of hoiana, .*, craps, super_sevens, or give"):
        check_room.path_of("crabs")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('double = "8:1"', 'double = "8"', "line 12: key odds.double has bad odds '8': write two whole numbers over 0"),
        ('7 = "12:1"\n', "", "line 16: key odds.total.7 is missing: give its odds, or set partial = true"),
        ('triple = "150:1"', 'tripel = "150:1"', "line 11: key odds.'tripel' is unknown"),
        ('["odd", ', '["odd", "odd", ', "line 6: key not_covered names 'odd' more than once"),
        ('["odd", ', '["odd", "total 4", ', "line 6: key not_covered names 'total 4', which has odds or is unknown"),
        ('2 = "2:1"\n', "", "line 32: key odds.face.2 is missing"),
        ("partial = true\n", "", "key partial is missing or is not true or false"),
        ('status = "secondary"', 'status = "sure"', "line 4: key status is 'sure'"),
        ("[odds]", '[limits]\nodd = {min = "1"}\n[odds]', "line 9: key limits.'odd' is unknown"),
        ("[odds]", "[limits.big]\nmin = 5\n[odds]", "line 9: key limits.big.min is '5': write an amount in quotes"),
        ("[odds]", '[limits]\nall = {min = "9", max = "8"}\n[odds]', "line 9: key limits.all.min is over max"),
        ("[odds]", '[limits]\nall = {max = "9", increment = "2"}\n[odds]', "key limits.all.max is not a multiple of"),
        ("[odds]", '[limits]\nall = {max = "9.999"}\n[odds]', "has a bad amount: amount '9.999' is not an amount like"),
        ("[odds]", "[limits]\nall = 5\n[odds]", "line 9: key limits.all must be like {min = "),
        ("[odds]", "[limits]\nall = {}\n[odds]", "line 9: key limits.all must be like {min = "),
        ("[odds]", '[limits]\nall = {least = "9"}\n[odds]', "line 9: key limits.all.'least' is unknown"),
        ("[odds]", "limits = 5\n[odds]", "line 8: key limits must be a table"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path, old, new, message):
    path = changed(tmp_path, (old, new))
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value).startswith(f"Paytable {path}")
    assert message in str(caught.value)
    assert isinstance(run("check", path).exception, UserError)
    assert run("check", path).stdout == ""


@pytest.mark.parametrize(("text", "line"), [("a = 1\na = 2\n", 2), ("[odds]\nx = 1\n\n[odds]\n", 4), ("a = \n", 1)])
def test_what_is_not_toml_or_stands_there_twice_is_named_with_its_line(tmp_path, text, line):
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=rf"own\.toml is not valid TOML: .*line {line}"):
        load(str(tmp_path / "own.toml"))


LIMITS = """[limits]
all = {min = "5.00", max = "500.00", increment = "2.50"}
triple = {max = "20"}
face = {min = "1"}
[odds]"""


@pytest.fixture
def limited(tmp_path):
    return load(changed(tmp_path, ("[odds]", LIMITS)))


@pytest.mark.parametrize(
    ("wager", "reason"),
    [
        ("small,,5.00", None),
        ("small,,500", None),
        ("small,,4.99", "stake 4.99 is under the table's minimum for small, 5.00"),
        ("small,,502.50", "stake 502.50 is over the table's maximum for small, 500.00"),
        ("small,,7.49", "stake 7.49 is not a multiple of 2.50, the table's step for small"),
        ("small,,7.50", None),
        ("triple,3,20.00", None),
        ("triple,3,0.01", None),
        ("triple,3,20.01", "stake 20.01 is over the table's maximum for triple, 20.00"),
        ("face,3,0.99", "stake 0.99 is under the table's minimum for face, 1.00"),
        ("face,3,9999.99", None),
    ],
)
def test_a_wager_outside_the_limits_is_refused_when_wagers_are_read(limited, wager, reason):
    text = f"wager_id,player,kind,selection,stake\na,p,{wager}\n"
    if reason is None:
        assert len(parse_wagers(text, "w.csv", limited)) == 1
        return
    with pytest.raises(UserError) as caught:
        parse_wagers(text, "w.csv", limited)
    assert str(caught.value).split("\n")[0] == f"w.csv, row 2: {reason}"


def test_an_accepted_wager_is_settled_in_its_entirety_whatever_the_limits_are(limited):
    (settlement,) = settle_round([Wager("a", "p", "triple", "3", 2001)], (3, 3, 3), limited)
    assert (settlement.won_cents, settlement.returned_cents) == (300_150, 302_151)


def test_limits_are_part_of_what_the_hash_is_over_and_are_shown(tmp_path, limited):
    assert limited.hash != load("hoiana").hash
    shown = run("check", str(tmp_path / "own.toml")).stdout
    assert "Limit for all: from 5.00 to 500.00 in steps of 2.50" in shown
    assert "Limit for triple: to 20.00" in shown


def test_a_file_that_is_not_named_toml_is_told_so(tmp_path):
    (tmp_path / "mine.txt").write_text("name = 1")
    with pytest.raises(UserError, match=r"mine\.txt does not end in \.toml: if it is TOML, name it so"):
        check_room.path_of(str(tmp_path / "mine.txt"))
