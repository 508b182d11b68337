"""`tumbler settle` and `tumbler paytables` through a command line of their own, and what stands on the screen."""

import io
import json

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler import render
from host_tools.settler.commands import paytables_app, settle
from host_tools.settler.paytable import BUNDLED_DIR, load
from host_tools.settler.settle import Wager, settle_round, void_wagers

DEMO = str(BUNDLED_DIR.parent / "demo_wagers.csv")

app = typer.Typer()
app.command()(settle)
app.add_typer(paytables_app, name="paytables")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})


def on_screen(print_it, *arguments, width=100):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_it(console, *arguments)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("dice", "call", "winners", "winning_kinds"),
    [
        ("6,1,3", "1, 3, 6, total 10", "W01 W03 W06 W08 W09", {"small", "total", "face", "combination"}),
        ("3,4,3", "double 3, 4, total 10", "W01 W03 W06 W10 W12", {"small", "total", "face", "combination", "double"}),
        ("5,5,5", "triple 5, total 15", "W04 W07 W13 W15 W17", {"total", "face", "double", "triple", "any_triple"}),
        ("6,6,1", "1, double 6, total 13", "W02 W08 W09 W14", {"big", "face", "combination", "double"}),
    ],
)
def test_settle_tells_the_call_and_who_won(dice, call, winners, winning_kinds):
    shown = run("settle", "--dice", dice, "--wagers", DEMO)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == call
    assert [line.split()[1] for line in lines if " win " in line] == winners.split()
    assert len([line for line in lines if " lose " in line]) == 18 - len(winners.split())
    result = run("settle", "--dice", dice, "--wagers", DEMO, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["wager_id"] for row in rows] == [f"W{number:02}" for number in range(1, 19)]
    assert [row["wager_id"] for row in rows if row["outcome"] == "win"] == winners.split()
    assert {row["kind"] for row in rows if row["outcome"] == "win"} == winning_kinds


def test_settle_tells_the_lit_areas_the_sums_and_that_the_table_is_not_official():
    shown = run("settle", "--dice", "1,3,6", "--wagers", DEMO).stdout
    assert (
        "Lit: Small (1 to 1) · Total 10 (6 to 1) · Pair 1-3 (5 to 1) · Pair 1-6 (5 to 1) · Pair 3-6 (5 to 1)"
        " · Face 1 (1 to 1) · Face 3 (1 to 1) · Face 6 (1 to 1)"
    ) in shown
    assert "5 won, 13 lost, 0 void · stakes lost 68.00 · house -11.00" in shown
    (total_line,) = [line for line in shown.splitlines() if line.startswith("│ Total")]
    assert total_line.replace("│", "").split() == ["Total", "102.00", "79.00", "113.00"]
    assert "Paytable hoiana [" in shown
    assert "not an official table" in shown


def test_json_is_the_only_thing_on_stdout_and_in_file_order(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("wager_id,player,kind,selection,stake\nz,p,double,3,10.00\na,p,big,,2.50\n", encoding="utf-8")
    result = run("settle", "--dice", "3,3,4", "--wagers", str(path), "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        '{"wager_id": "z", "kind": "double", "selection": "3", "stake": 1000, "outcome": "win", "odds": "8:1", '
        '"won": 8000, "returned": 9000}\n'
        '{"wager_id": "a", "kind": "big", "selection": "", "stake": 250, "outcome": "lose", "odds": null, '
        '"won": 0, "returned": 0}\n'
    )


def test_another_paytable_is_taken_by_name_and_by_path(tmp_path):
    wagers = tmp_path / "w.csv"
    wagers.write_text("wager_id,player,kind,selection,stake\na,p,three_dice,6-3-1,1.00\n", encoding="utf-8")
    for paytable in ("nz_2001_additions", str(BUNDLED_DIR / "nz_2001_additions.toml")):
        arguments = ("settle", "--dice", "1,3,6", "--wagers", str(wagers), "--paytable", paytable)
        assert json.loads(run(*arguments, "--json").stdout)["odds"] == "30:1"
        assert "not an official table" not in run(*arguments).stdout


@pytest.mark.parametrize(
    ("dice", "wagers", "paytable"),
    [("1,3,9", DEMO, "hoiana"), ("1,3,6", "none.csv", "hoiana"), ("1,3,6", DEMO, "none")],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_bad_input_prints_nothing_and_raises_user_error(dice, wagers, paytable, as_json):
    result = run("settle", "--dice", dice, "--wagers", wagers, "--paytable", paytable, *as_json)
    assert isinstance(result.exception, UserError)
    assert result.stdout == ""


def test_paytables_tells_status_source_gaps_and_hash_of_each():
    shown = run("paytables").stdout
    assert [line.split(" · ")[0] for line in shown.splitlines() if not line.startswith(" ")] == [
        *("hoiana", "atlantic_city", "australia", "korea_daegu", "macau", "nz_2001_additions", "craps", "super_sevens"),
    ]
    assert shown.count("not an official table") == 7
    assert shown.count("official: as published by the authority") == 1
    assert "https://www.hoianasuncity.com/en/hoiana-suncity/game-guide/sic-bo/" in shown
    assert "odd, even, three_dice, four_numbers" in shown
    assert "three_dice, four_numbers (in part, see below)" in shown
    assert load("macau").hash[:12] in shown


def test_a_narrow_screen_cuts_nothing_off():
    wagers = [Wager("x" * 64, "y" * 64, "four_numbers", "6-5-4-3", 1_000_000_000)]
    shown = on_screen(render.print_settlements, settle_round(wagers, (6, 5, 4), load("korea_daegu")), width=80)
    assert (shown.count("x"), shown.count("y")) == (64, 64)
    assert "80,000,000.00" in shown
    assert "…" not in shown


@pytest.mark.parametrize("width", [20, 40, 69, 79, 80, 200])
def test_on_no_screen_is_an_amount_cut(width):
    wagers = [Wager("W1", "Aroha", "small", "", 123_456_700), Wager("W2", "Ben", "total", "15", 100_000_000)]
    shown = on_screen(render.print_settlements, settle_round(wagers, (1, 3, 6), load("hoiana")), width=width)
    for amount in ("1,234,567.00", "2,469,134.00", "1,000,000.00", "2,234,567.00"):
        assert amount in shown.replace("\n", " ")
    assert "…" not in shown


def test_a_small_screen_shows_a_list_of_two_lines_a_wager():
    wagers = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "total", "15", 500)]
    shown = on_screen(render.print_settlements, settle_round(wagers, (1, 3, 6), load("hoiana")), width=60)
    assert shown.splitlines()[:6] == [
        "W1 · Aroha · Small · win 1:1",
        "  stake 10.00 · won 10.00 · returned 20.00",
        "W2 · Ben · Total 15 · lose",
        "  stake 5.00 · won 0.00 · returned 0.00",
        "Total",
        "  stake 15.00 · won 10.00 · returned 20.00",
    ]


def test_what_goes_into_a_pipe_keeps_its_lines():
    shown = on_screen(render.print_round, (1, 3, 6), [], load("hoiana"), width=80)
    (lit,) = [line for line in shown.splitlines() if line.startswith("Lit: ")]
    assert lit.endswith("Face 6 (1 to 1)")


def test_names_from_a_file_are_never_markup():
    wagers = [Wager("[red]a[/red]", "[link=x]b", "small", "", 100)]
    shown = on_screen(render.print_settlements, void_wagers(wagers))
    assert "[red]a[/red]" in shown
    assert "[link=x]b" in shown


def test_a_void_round_shows_every_stake_returned():
    wagers = [Wager("a", "p", "small", "", 1050), Wager("b", "p", "total", "10", 20)]
    shown = on_screen(render.print_settlements, void_wagers(wagers))
    assert "0 won, 0 lost, 2 void · stakes lost 0.00 · house 0.00" in shown
    (total_line,) = [line for line in shown.splitlines() if line.startswith("│ Total")]
    assert total_line.replace("│", "").split() == ["Total", "10.70", "0.00", "10.70"]


def test_a_result_that_lights_nothing_says_so():
    assert "Lit: no area that this paytable covers" in on_screen(
        render.print_round, (1, 1, 1), [], load("nz_2001_additions")
    )


@pytest.mark.parametrize(
    ("cents", "text"), [(0, "0.00"), (5, "0.05"), (123_450, "1,234.50"), (-1100, "-11.00"), (-5, "-0.05")]
)
def test_money(cents, text):
    assert render.money(cents) == text


def test_breakage_is_shown_under_the_table_and_not_when_there_is_none(tmp_path):
    text = (BUNDLED_DIR / "hoiana.toml").read_text(encoding="utf-8").replace('big = "1:1"', 'big = "19:20"')
    (tmp_path / "uneven.toml").write_text(text, encoding="utf-8")
    broken = settle_round([Wager("w1", "p", "big", "", 101)], (4, 5, 6), load(str(tmp_path / "uneven.toml")))
    assert "house -0.95 · breakage 19/20 cents" in on_screen(render.print_settlements, broken)
    whole = settle_round([Wager("w1", "p", "big", "", 101)], (4, 5, 6), load("hoiana"))
    assert "breakage" not in on_screen(render.print_settlements, whole)
