"""`tumbler blackjack`: what is typed, what is answered, what Super Sevens pays, and what cannot be."""

from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.boxes import BoxRules
from host_tools.settler.blackjack.command import blackjack
from host_tools.settler.blackjack.session import Session
from tests.host.settler.anything_typed import answered_or_refused, lines_of

app = typer.Typer()
app.command()(blackjack)

STORY = """sit Aroha 1
bet Aroha 1 20.00 1.00

bet Ben 2 10 2
deal
cards 1 7S 7H 2D
cards 2 KS 7H
double Aroha 1 yes
add Aroha 1 20
insure Ben 2 5
next
bet Aroha 1 20
wagers
"""
ANSWERS = """Aroha sits at box 1.
W1 Aroha box 1 initial: stake 20.00 is taken.
W2 Aroha box 1 super_sevens: stake 1.00 is taken.
W3 Ben box 2 initial: stake 10.00 is taken.
W4 Ben box 2 super_sevens: stake 2.00 is taken.
The cards are dealt: no initial wager is taken any more.
W2 Aroha super_sevens: win 50:1 · won 50.00 · returned 51.00
W4 Ben super_sevens: lose · won 0.00 · returned 0.00
Aroha takes the double for box 1.
W5 Aroha box 1 additional: stake 20.00 is taken, its amount unchecked: that rule was not read.
W6 Ben box 2 insurance: stake 5.00 is taken, its amount unchecked: that rule was not read.
A new round: place your bets.
W7 Aroha box 1 initial: stake 20.00 is taken.
W7 Aroha box 1 initial: stake 20.00
On hands, which are not settled here: initial 50.00 · additional 20.00 · insurance 5.00
Super Sevens: staked 3.00 · won 50.00 · returned 51.00 · stakes lost 2.00 · house -48.00 · undecided 0.00
Paytable super_sevens [683e499b2112] · not an official table: taken from a secondary source
"""


def run(*arguments, typed=None):
    return CliRunner().invoke(app, list(arguments), input=typed)


def session(**rules):
    return Session(BoxRules({}, super_sevens=True, **rules), 7, False, super_sevens.load())


def test_a_story_from_a_pipe_and_from_a_file(tmp_path):
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    for shown in (run(typed=STORY), run(str(tmp_path / "story.txt"))):
        assert shown.exit_code == 0
        assert shown.stdout == ANSWERS


def test_a_bad_line_of_a_file_is_named_and_nothing_is_shown(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(STORY + "cards 1 7X 7H\n", encoding="utf-8")
    shown = run(str(path))
    assert isinstance(shown.exception, UserError) and shown.stdout == ""
    assert str(shown.exception).startswith(f"{path}, line 14: '7X' is not a card")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jump", "'jump' is not understood: begin with one of sit, leave, bet, deal, cards"),
        ("bet Ben 3", "is not understood: write bet PLAYER BOX STAKE [SUPER-SEVENS-STAKE]."),
        ("bet Ben 3 10", "The cards of this round are dealt"),
        ("cards 1 7S", "write cards BOX 7S 7H [2D]."),
        ("cards one 7S 7H", "'one' is not the number of a box"),
        ("cards 2 7S 7H 2D", "No Super Sevens on box 2 waits for cards"),
        ("cards 1 7S 7H", "guarantees two sevens a third card"),
        ("double Aroha 1 perhaps", "'perhaps' is neither yes nor no"),
        ("double Ben 1 yes", "Aroha decides for box 1: Ben abides by that"),
        ("add Aroha 1 5", "Aroha has not decided for box 1 yet"),
        ("insure Ben 1 5", "Ben has no wager on box 1"),
        ("early Ben 1", "Ben has no wager on box 1"),
        ("next", "Super Sevens is not decided on box 1: write its cards first."),
        ("sit Aroha 9", "There is no box 9"),
    ],
)
def test_a_line_that_cannot_be_says_why_and_changes_nothing(line, message):
    played = session()
    for good in ("sit Aroha 1", "bet Aroha 1 10 1", "bet Ben 2 10", "deal"):
        played.do(good)
    before = played.sums(), played.do("wagers")
    with pytest.raises(UserError) as caught:
        played.do(line)
    assert message in str(caught.value)
    assert (played.sums(), played.do("wagers")) == before


def test_a_round_whose_cards_were_not_dealt_is_not_left():
    played = session()
    with pytest.raises(UserError, match="there is no round to deal"):
        played.do("deal")
    played.do("bet Ben 2 10")
    with pytest.raises(UserError, match="no card was dealt"):
        played.do("next")


def test_a_deal_that_leaves_a_box_without_anybody_to_decide_says_so():
    played = session(shared_boxes=True)
    for line in ("sit Aroha 1", "bet Aroha 2 10", "bet Ben 3 10"):
        played.do(line)
    assert [answer[:31] for answer in played.do("deal")[1:]] == ["Nobody may decide for box 2: of"]


def test_the_sign_and_what_the_operator_permits_hold():
    assert "under the table's minimum for initial, 5.00" in str(run("--minimum", "5", typed="bet A 1 4\n").exception)
    assert "over the table's maximum" in str(run("--maximum", "5", typed="bet A 1 6\n").exception)
    assert "is over --maximum 5" in str(run("--minimum", "6", "--maximum", "5", typed="").exception)
    both = "bet A 1 6\nbet B 1 6\n"
    assert "boxes are not shared here" in str(run(typed=both).exception)
    assert run("--shared", typed=both).exit_code == 0
    two = "bet A 1 6\nbet A 2 6\n"
    assert "of at most 1 boxes" in str(run(typed=two).exception)
    assert run("--per-player", "2", "--room-elsewhere", typed=two).exit_code == 0


def test_the_page_shows_a_command_that_is_good():
    lines = "bet Ben 2 20.00 1.00\ndeal\ncards 2 7S 7H 2D\n"
    page = (Path(__file__).parents[4] / "docs" / "BLACKJACK.md").read_text("utf-8")
    quoted = " ".join(f"'{line}'" if " " in line else line for line in lines.splitlines())
    assert f"printf '%s\\n' {quoted} | .venv/bin/tumbler blackjack --minimum 5.00" in page
    assert "win 50:1 · won 50.00 · returned 51.00" in run("--minimum", "5.00", typed=lines).stdout


def test_a_seat_is_kept_for_the_next_round():
    played = session()
    for line in ("sit Aroha 1", "bet Ben 2 10", "deal", "next"):
        played.do(line)
    with pytest.raises(UserError, match="Box 1 is taken by Aroha"):
        played.do("sit Ben 1")


def test_a_seat_is_given_up_between_rounds():
    played = session()
    for line in ("sit Aroha 1", "bet Aroha 1 10"):
        played.do(line)
    for line, message in (
        ("leave Ben 1", "Ben has no seat at box 1: that is Aroha"),
        ("leave Aroha 2", "Aroha has no seat at box 2: that is free"),
        ("leave Aroha 1", "Aroha has a wager on box 1: it is left after this round"),
        ("leave Aroha 9", "There is no box 9"),
    ):
        with pytest.raises(UserError, match=message):
            played.do(line)
    played.do("deal")
    with pytest.raises(UserError, match="are dealt: Aroha may leave box 1 after it"):
        played.do("leave Aroha 1")
    played.do("next")
    assert played.do("leave Aroha 1") == ["Aroha leaves box 1."]
    played.do("sit Ben 1")
    played.do("sit Aroha 2")
    played.do("next")
    with pytest.raises(UserError, match="Box 1 is taken by Ben"):
        played.do("sit Caro 1")


def dealt(boxes, **more):
    """A table with Super Sevens on so many boxes, dealt."""
    played = Session(BoxRules({}, super_sevens=True), 9, True, super_sevens.load(), **more)
    for box in range(1, boxes + 1):
        played.do(f"bet P{box} {box} 10 1")
    played.do("deal")
    return played


def test_a_card_that_the_decks_cannot_hold_is_refused_over_all_hands_of_a_round():
    played = dealt(4)
    for box in (1, 2):
        played.do(f"cards {box} 7S 7S 7H")
    with pytest.raises(
        UserError, match="7S was dealt 4 times in this round before box 3, and 6 decks have no more than 6"
    ):
        played.do("cards 3 7S 7S 7S")
    played.do("cards 3 7S 7S 7D")
    with pytest.raises(UserError, match="7S was dealt 6 times"):
        played.do("cards 4 7S 2D")
    played.do("cards 4 7D 2D")
    played.do("next")
    played.do("bet P1 1 10 1")
    played.do("deal")
    played.do("cards 1 7S 7S 7S")


def test_the_decks_are_those_of_the_option_else_the_most_of_the_paytable():
    def sevens(count):
        lines = [f"bet P{box} {box} 10 1\n" for box in range(1, 4)] + [
            "deal\n",
            "cards 1 7S 7S 7S\n",
            "cards 2 7S 7S 7S\n",
        ]
        return "".join([*lines, "cards 3 " + "7S " * count + "2D\n"])

    assert run(typed=sevens(1).replace("2D", "8D")).exit_code == 0
    assert "8 decks have no more than 8" in str(run(typed=sevens(2).replace("2D", "7S")).exception)
    assert "6 decks have no more than 6" in str(run("--decks", "6", typed=sevens(1)).exception)


def test_super_sevens_may_be_left_out_and_has_limits_of_its_own():
    with_it = "bet A 1 6 2\n"
    assert "Super Sevens is not offered" in str(run("--no-super-sevens", typed=with_it).exception)
    without = run("--no-super-sevens", typed="bet A 1 6\n")
    assert without.exit_code == 0 and "Super Sevens" not in without.stdout and "Paytable" not in without.stdout
    assert "minimum for super_sevens, 3.00" in str(run("--sevens-minimum", "3", typed=with_it).exception)
    assert "maximum for super_sevens, 1.00" in str(run("--sevens-maximum", "1", typed=with_it).exception)
    refused = run("--sevens-minimum", "3", "--sevens-maximum", "1", typed="").exception
    assert "--sevens-minimum 3.00 is over --sevens-maximum 1.00" in str(refused)


def test_the_limits_of_a_paytable_hold_where_no_option_says_otherwise(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(super_sevens.BUNDLED.read_text("utf-8") + '[limits]\nall = {min = "2.00", max = "4.00"}\n', "utf-8")
    assert "minimum for super_sevens, 2.00" in str(run("--paytable", str(own), typed="bet A 1 1 1\n").exception)
    assert run("--paytable", str(own), "--sevens-minimum", "1", typed="bet A 1 1 1\n").exit_code == 0
    refused = run("--paytable", str(own), "--sevens-minimum", "1", typed="bet A 1 1 5\n").exception
    assert "maximum for super_sevens, 4.00" in str(refused)


def test_a_paytable_of_another_game_is_refused_by_its_game(tmp_path):
    own = tmp_path / "own.toml"
    text = super_sevens.BUNDLED.read_text("utf-8").replace('game = "super_sevens"', 'game = "craps"')
    own.write_text(text, "utf-8")
    refused = run("--paytable", str(own), typed="").exception
    assert "line 3: key game is 'craps', but this is about Super Sevens" in str(refused)


def test_wagers_shows_numbers_decisions_and_elections():
    played = session(shared_boxes=True)
    for line in ("sit Aroha 1", "bet Aroha 1 10 1", "bet Ben 1 20", "deal", "cards 1 2S 7S", "double Aroha 1 yes"):
        played.do(line)
    for line in ("split Aroha 1 no", "add Ben 1 20", "early Ben 1", "insure Aroha 1 5"):
        played.do(line)
    assert played.do("wagers") == [
        "W1 Aroha box 1 initial: stake 10.00",
        "W2 Aroha box 1 super_sevens: stake 1.00 · settled",
        "W3 Ben box 1 initial: stake 20.00",
        "W4 Ben box 1 additional: stake 20.00",
        "W5 Aroha box 1 insurance: stake 5.00",
        "Aroha takes the double for box 1.",
        "Aroha declines the split for box 1.",
        "Ben elects early payment on box 1.",
    ]
    assert played.sums().startswith(
        "On hands, which are not settled here: initial 30.00 · additional 20.00 · insurance 5.00\n"
    )


VERBS = "sit leave bet deal cards double split add insure early wagers next"
WORDS = f"{VERBS} A B 1 2 10 7S 7H 2D yes no x"


@settings(deadline=None)
@given(lines_of(WORDS))
def test_whatever_is_typed_is_answered_or_refused(lines):
    played = session()
    answered_or_refused(played, lines)
    assert "\nSuper Sevens: staked " in played.sums()
