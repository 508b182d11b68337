"""`tumbler craps`: what is typed, what is answered, and that a bad line of a file shows nothing."""

import io
import sys
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler.craps import wagers
from host_tools.settler.craps.command import craps
from host_tools.settler.craps.session import Session
from host_tools.settler.craps.table import CrapsTable
from tests.host.settler.anything_typed import answered_or_refused, lines_of

app = typer.Typer()
app.command()(craps)

STORY = """bet Aroha pass 10.00
bet Ben dont_pass 10

accept Aroha 2 4
roll 4,2
bet Aroha pass_odds 6 10.01
bet Ben place 8 6.00
off 4
take 4 found 4
roll 4,4
wagers
roll 5,1
pass
"""
ANSWERS = """W1 Aroha pass: stake 10.00 is taken.
The dice are offered to Aroha.
W2 Ben dont_pass: stake 10.00 is taken.
The dice are offered to Aroha.
Aroha shoots with dice 2 and 4.
4, 2, total 6: point set, the point is 6
W1 Aroha pass: stands on 6
W2 Ben dont_pass: stands on 6
W3 Aroha pass_odds 6: stake 10.01 is taken.
W4 Ben place 8: stake 6.00 is taken.
Every wager stands. Take for it of dice 1, 3, 5, or the original once it is found.
The dice are now 2, 4.
4, 4, total 8: no decision, the point is 6
W4 Ben place 8: win 7:6 · won 7.00 · returned 13.00
W1 Aroha pass on 6: stake 10.00
W2 Ben dont_pass on 6: stake 10.00
W3 Aroha pass_odds 6: stake 10.01
5, 1, total 6: point made
W1 Aroha pass: win 1:1 · won 10.00 · returned 20.00
W2 Ben dont_pass: lose · won 0.00 · returned 0.00
W3 Aroha pass_odds 6: win 6:5 · won 12.01 · returned 22.02
Nobody is left to be offered the dice.
staked 36.01 · won 29.01 · returned 55.02 · stakes lost 10.00 · house -19.01 · breakage 1/5 cents · still standing 0.00
Paytable craps [6cbc0fdde28a] · not an official table: what is usual, no single source
"""


def run(*arguments, typed=None):
    return CliRunner().invoke(app, ["--players", "Aroha,Ben", *arguments], input=typed)


def session():
    return Session(CrapsTable(wagers.load(), ["Aroha", "Ben"]))


def test_a_story_from_a_pipe_and_from_a_file(tmp_path):
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    for shown in (run(typed=STORY), run(str(tmp_path / "story.txt"))):
        assert shown.exit_code == 0
        assert shown.stdout == ANSWERS


def test_the_bundled_paytable_may_be_named_and_no_other_name_is_taken():
    assert run("--paytable", "craps", typed=STORY).stdout == ANSWERS
    refused = run("--paytable", "crabs", typed=STORY).exception
    assert "There is no paytable 'crabs': take one of craps, or give the path" in str(refused)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jump", "'jump' is not understood: begin with one of bet, accept, "),
        ("bet Aroha pass", "is not understood: write bet PLAYER KIND [SELECTION] STAKE."),
        ("bet Aroha place 6 10 20", "is not understood: write bet PLAYER KIND"),
        ("bet Aroha big_six 10", "There is no kind 'big_six': take one of pass, dont_pass"),
        ("bet Aroha pass ten", "stake 'ten' is not an amount like 10.00"),
        ("bet Eve pass 10", "Eve is not at this table"),
        ("accept Aroha 2", "write accept PLAYER DIE DIE."),
        ("accept Aroha 2 6", "write accept PLAYER DIE DIE."),
        ("roll 3,7", "'3,7' is not a roll: give two numbers from 1 to 6"),
        ("roll 3 4", "write roll 3,4."),
        ("pass the dice", "write pass."),
        ("require boredom", "'boredom' is no reason"),
        ("off x", "write off DIE [DIE]."),
        ("take found", "That cannot be now (die replaced), the dice are: shooter."),
        ("decline", "write decline PLAYER."),
        ("\\x1b[2J", "is not understood"),
    ],
)
def test_a_line_that_is_not_understood_says_what_to_write_and_changes_nothing(line, message):
    played = session()
    for good in ("bet Aroha pass 10", "accept Aroha 1 2", "roll 4,4"):
        played.do(good)
    before = dict(played.table.bets.standing), played.table.where, played.table.in_hand
    with pytest.raises(UserError) as caught:
        played.do(line)
    assert message in str(caught.value)
    assert (dict(played.table.bets.standing), played.table.where, played.table.in_hand) == before


def test_a_bad_line_of_a_file_is_named_and_nothing_is_shown(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(STORY + "roll 9,9\n", encoding="utf-8")
    for shown, name in ((run(str(path)), str(path)), (run(typed=STORY + "roll 9,9\n"), "standard input")):
        assert isinstance(shown.exception, UserError)
        assert str(shown.exception).startswith(f"{name}, line 14: '9,9' is not a roll")
        assert shown.stdout == ""


def test_at_the_keyboard_a_bad_line_is_answered_and_the_table_goes_on(monkeypatch, capsys, tmp_path):
    class Keyboard(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Keyboard("bet Aroha pass 10\nroll 1,2\n\naccept Aroha 1 2\nroll 3,4\n"))
    craps("Aroha,Ben", keep=tmp_path / "evening.txt")
    assert (tmp_path / "evening.txt").read_text() == "bet Aroha pass 10\naccept Aroha 1 2\nroll 3,4\n"
    said = capsys.readouterr().out.splitlines()
    assert said[2].startswith("That cannot be now (roll), the dice are: offered.")
    assert said[4:6] == ["3, 4, total 7: natural", "W1 Aroha pass: win 1:1 · won 10.00 · returned 20.00"]
    assert said[-2].endswith("house -10.00 · still standing 0.00")


def test_a_die_that_left_is_found_by_a_line_of_its_own():
    played = session()
    for line in ("bet Aroha pass 10", "accept Aroha 1 2", "roll 4,4", "off 2", "take 3"):
        played.do(line)
    with pytest.raises(UserError, match=r"write found DIE"):
        played.do("found")
    assert played.do("found 2") == ["The dice in the bowl are now 2, 4, 5."]


def test_the_example_of_the_page_gives_what_it_shows():
    page = (Path(__file__).parents[4] / "docs" / "CRAPS.md").read_text("utf-8")
    lines, answers = page.split("```")[1::2]
    shown = run(typed=lines)
    assert shown.exit_code == 0
    assert shown.stdout.strip() == answers.strip()


@pytest.mark.parametrize("players", ["", "Aroha,Aroha", "Aroha,", "Aroha Ben,Caro", "A\x1b"])
def test_players_have_different_names_of_one_word(players):
    shown = CliRunner().invoke(app, ["--players", players], input="")
    assert isinstance(shown.exception, UserError)
    assert "are not different names of one word each" in str(shown.exception)


def test_a_name_is_the_same_player_however_its_letters_were_put_together():
    typed = "bet Rene\u0301 pass 10\nbet Ren\u00e9 field 5\n"
    shown = CliRunner().invoke(app, ["--players", "Rene\u0301,Ben"], input=typed)
    assert shown.exit_code == 0 and "W2 Ren\u00e9 field: stake 5.00 is taken." in shown.stdout


def test_what_is_no_text_is_refused_by_line(tmp_path):
    path = tmp_path / "story.txt"
    path.write_bytes(b"bet Aroha pass 10\n\xff\xfe\n")
    assert "story.txt, line 2: the text is not UTF-8" in str(run(str(path)).exception)
    assert "standard input, line 2: " in str(run(typed=b"bet Aroha pass 10\n\xff\xfe\n").exception)


def test_a_pipe_without_an_end_is_ended():
    assert "standard input has more than 50000 lines" in str(run(typed="\n" * 50_001).exception)


VERBS = "bet accept decline stick roll invalid pass require off take found wagers"
WORDS = f"{VERBS} Aroha Ben place field 6 1 2 10.00 3,4 4,4 delay x"


@settings(deadline=None)
@given(lines_of(WORDS))
def test_whatever_is_typed_is_answered_or_refused(lines):
    played = session()
    answered_or_refused(played, lines)
    assert played.sums().startswith("staked ")
