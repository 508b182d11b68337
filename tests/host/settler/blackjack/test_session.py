"""`tumbler blackjack`: what is typed, what is answered, what Super Sevens pays, and what cannot be."""

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.boxes import BoxRules
from host_tools.settler.blackjack.command import blackjack
from host_tools.settler.blackjack.session import Session

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
Aroha box 1 initial: stake 20.00
Super Sevens: staked 3.00 · won 50.00 · returned 51.00 · stakes lost 2.00 · house -48.00 · undecided 0.00 · \
on hands, which are not settled here: 75.00
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
        ("jump", "'jump' is not understood: begin with one of sit, bet, deal, cards"),
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


def test_a_seat_is_kept_for_the_next_round():
    played = session()
    for line in ("sit Aroha 1", "bet Ben 2 10", "deal", "next"):
        played.do(line)
    with pytest.raises(UserError, match="Box 1 is taken by Aroha"):
        played.do("sit Ben 1")


VERBS = "sit bet deal cards double split add insure early wagers next"
WORDS = st.sampled_from(f"{VERBS} A B 1 2 10 7S 7H 2D yes no x".split())


@settings(deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=30))
def test_whatever_is_typed_is_answered_or_refused(lines):
    played = session()
    for line in lines:
        try:
            answers = played.do(line)
        except UserError as error:
            answers = [str(error)]
        assert all(answer and "\n" not in answer for answer in answers)
    assert played.sums().startswith("Super Sevens: staked ")
