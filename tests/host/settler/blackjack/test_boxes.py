"""Boxes: rules 13 (e)-(g), 13.4-13.6 and 14.1-14.3, each with what it allows and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.blackjack.boxes import DOUBLE, SPLIT, BoxRules, BoxWager, Table
from host_tools.settler.limits import Limit

LIMITS = {"initial": Limit(500, 50_000), "super_sevens": Limit(100, 100)}


def table(room_elsewhere=True, boxes=7, **rules):
    return Table(BoxRules(LIMITS, **rules), boxes, room_elsewhere)


@pytest.fixture
def shared():
    """Aroha sits at box 1, Ben wagers behind her; the cards are dealt."""
    shared = table(shared_boxes=True)
    shared.sit("Aroha", 1)
    shared.wager("Aroha", 1, 1000)
    shared.wager("Ben", 1, 2000)
    shared.deal()
    return shared


def refused(message, act, *arguments):
    with pytest.raises(UserError, match=message):
        act(*arguments)


@pytest.mark.clause("blackjack 13(e)")
@pytest.mark.parametrize("option", [DOUBLE, SPLIT])
def test_who_plays_behind_is_bound_when_the_seated_player_declines(shared, option):
    refused("Aroha has not decided for box 1 yet", shared.add, "Ben", 1, 2000)
    shared.decide("Aroha", 1, option, False)
    before = list(shared.wagers)
    refused(f"Aroha declined to {option} on box 1: Ben is bound by that", shared.add, "Ben", 1, 2000)
    refused("Ben is bound", shared.add, "Ben", 1, 1)
    assert shared.wagers == before


@pytest.mark.clause("blackjack 13(e)")
def test_who_plays_behind_may_add_once_for_each_option_that_the_seated_player_takes(shared):
    shared.decide("Aroha", 1, SPLIT, True)
    shared.add("Ben", 1, 2000)
    refused("Ben has added to box 1 already", shared.add, "Ben", 1, 2000)
    shared.add("Aroha", 1, 1000)
    shared.decide("Aroha", 1, DOUBLE, True)
    shared.add("Ben", 1, 2000)
    refused("Ben has added to box 1 already", shared.add, "Ben", 1, 2000)
    assert [wager for wager in shared.wagers if wager.kind == "additional"] == [
        BoxWager(1, "Ben", "additional", 2000),
        BoxWager(1, "Aroha", "additional", 1000),
        BoxWager(1, "Ben", "additional", 2000),
    ]


@pytest.mark.clause("blackjack 13(f)")
def test_each_player_on_a_box_insures_for_himself(shared):
    shared.insure("Ben", 1, 1000)
    assert [wager for wager in shared.wagers if wager.kind == "insurance"] == [BoxWager(1, "Ben", "insurance", 1000)]
    refused("Ben has insured on box 1 already", shared.insure, "Ben", 1, 1000)
    shared.decide("Aroha", 1, DOUBLE, False)
    shared.insure("Aroha", 1, 500)
    refused("Caro has no wager on box 1", shared.insure, "Caro", 1, 500)
    refused("no stake over 0", table_with_one().insure, "Aroha", 1, 0)


def table_with_one():
    one = table()
    one.wager("Aroha", 1, 1000)
    one.deal()
    return one


@pytest.mark.clause("blackjack 13(g)")
def test_each_player_on_a_box_elects_early_payment_for_himself(shared):
    shared.elect_early_payment("Ben", 1)
    assert shared.early_payment == {(1, "Ben")}
    refused("Caro has no wager on box 1", shared.elect_early_payment, "Caro", 1)


@pytest.mark.clause("blackjack 13.4")
def test_a_player_has_as_many_boxes_as_the_operator_permits_and_while_there_is_room():
    several = table(boxes_per_player=2)
    several.wager("Aroha", 1, 1000)
    several.wager("Aroha", 2, 1000)
    refused("Aroha wagers on 2 of at most 2 boxes: leave out box 3", several.wager, "Aroha", 3, 1000)
    full = table(room_elsewhere=False, boxes_per_player=2)
    full.wager("Aroha", 1, 1000)
    refused("on 1 of at most 1 boxes while other tables have no room", full.wager, "Aroha", 2, 1000)
    for one in (table(), table(boxes_per_player=0)):
        one.wager("Aroha", 4, 1000)
        refused("at most 1 boxes", one.wager, "Aroha", 5, 1000)


@pytest.mark.clause("blackjack 13.5")
def test_in_full_patronage_a_player_decides_only_where_he_is_seated():
    full = table(room_elsewhere=False, boxes=2, boxes_per_player=2, shared_boxes=True)
    full.sit("Aroha", 1)
    full.sit("Ben", 2)
    full.wager("Aroha", 1, 1000)
    full.wager("Aroha", 2, 1000)
    full.wager("Ben", 2, 1000)
    full.deal()
    refused("Ben decides for box 2: Aroha abides by that", full.decide, "Aroha", 2, DOUBLE, True)
    full.decide("Aroha", 1, DOUBLE, True)
    full.decide("Ben", 2, DOUBLE, True)
    full.add("Aroha", 2, 1000)
    assert (full.decider(1), full.decider(2)) == ("Aroha", "Ben")


@pytest.mark.clause("blackjack 13(e)")
@pytest.mark.parametrize("shared_boxes", [False, True])
def test_nobody_takes_over_a_hand_by_sitting_down_after_the_deal(shared_boxes):
    played = table(shared_boxes=shared_boxes)
    played.wager("Ben", 2, 1000)
    played.deal()
    refused("The cards of this round are dealt: Aroha may sit at box 2 in the next", played.sit, "Aroha", 2)
    refused("Ben decides for box 2", played.decide, "Aroha", 2, DOUBLE, False)
    played.decide("Ben", 2, DOUBLE, True)
    played.add("Ben", 2, 1000)


def test_nobody_sits_at_a_box_where_another_wagered_unless_boxes_are_shared():
    alone = table()
    alone.wager("Ben", 2, 1000)
    refused("Box 2 is another player's", alone.sit, "Aroha", 2)
    alone.sit("Ben", 2)
    shared = table(shared_boxes=True)
    shared.wager("Ben", 2, 1000)
    shared.sit("Aroha", 2)


@pytest.mark.clause("blackjack 13(e)")
def test_who_is_seated_and_has_no_wager_on_the_box_decides_nothing():
    played = table(shared_boxes=True)
    played.sit("Aroha", 2)
    played.wager("Ben", 2, 1000)
    played.deal()
    refused("Ben decides for box 2: Aroha abides by that", played.decide, "Aroha", 2, DOUBLE, False)
    played.decide("Ben", 2, DOUBLE, True)


@pytest.mark.clause("blackjack 13.5")
def test_at_a_box_of_several_players_none_of_whom_is_seated_there_nobody_decides():
    full = table(room_elsewhere=False, boxes_per_player=2, shared_boxes=True)
    full.sit("Aroha", 1)
    full.wager("Aroha", 1, 1000)
    full.wager("Aroha", 2, 1000)
    full.wager("Ben", 2, 1000)
    full.deal()
    for player in ("Aroha", "Ben"):
        refused("Nobody who wagers on box 2 may decide for it", full.decide, player, 2, DOUBLE, False)
    refused("Nobody who wagers on box 2 may decide for it", full.add, "Ben", 2, 1000)


@pytest.mark.clause("blackjack 13.5")
def test_in_full_patronage_a_player_alone_on_a_box_decides_there_unless_he_sits_at_another():
    for room_elsewhere in (True, False):
        played = table(room_elsewhere, boxes_per_player=2, shared_boxes=True)
        played.sit("Aroha", 1)
        played.wager("Aroha", 1, 1000)
        played.wager("Aroha", 2, 1000)
        played.wager("Ben", 3, 1000)
        assert played.undecided_boxes() == ([] if room_elsewhere else [2])
        assert (played.decider(1), played.decider(3)) == ("Aroha", "Ben")
        if room_elsewhere:
            assert played.decider(2) == "Aroha"
    refused("Nobody has wagered on box 4", played.decider, 4)


@pytest.mark.clause("blackjack 13.5")
def test_in_full_patronage_only_a_seated_player_wagers_on_several_boxes():
    full = table(room_elsewhere=False, boxes_per_player=2, shared_boxes=True)
    full.wager("Ben", 1, 1000)
    refused("Ben has no seat: .* leave out box 2, or sit down", full.wager, "Ben", 2, 1000)
    full.sit("Ben", 1)
    full.wager("Ben", 2, 1000)


@pytest.mark.clause("blackjack 13(e)")
def test_each_option_is_decided_once_and_additional_wagers_end(shared):
    shared.decide("Aroha", 1, DOUBLE, True)
    shared.add("Ben", 1, 2000)
    for again in (True, False):
        refused("Aroha has decided to double on box 1 already", shared.decide, "Aroha", 1, DOUBLE, again)
    refused("Ben has added to box 1 already", shared.add, "Ben", 1, 2000)
    shared.decide("Aroha", 1, SPLIT, False)
    refused("Ben has added to box 1 already", shared.add, "Ben", 1, 2000)
    shared.add("Aroha", 1, 1000)
    assert shared.choices == {(1, DOUBLE): True, (1, SPLIT): False}


@pytest.mark.clause("blackjack 13.6")
def test_the_minimum_is_wagered_on_each_box():
    several = table(boxes_per_player=2)
    several.wager("Aroha", 1, 50_000)
    refused("stake 4.99 is under the table's minimum for initial, 5.00", several.wager, "Aroha", 2, 499)
    several.wager("Aroha", 2, 500)
    refused("over the table's maximum for initial, 500.00", several.wager, "Ben", 3, 50_001)


@pytest.mark.clause("blackjack 14.1")
def test_super_sevens_is_taken_only_where_it_is_offered():
    refused("Super Sevens is not offered", table().wager, "Aroha", 1, 1000, 100)
    offering = table(super_sevens=True)
    offering.wager("Aroha", 1, 1000, 100)
    assert offering.wagers == [BoxWager(1, "Aroha", "initial", 1000), BoxWager(1, "Aroha", "super_sevens", 100)]


@pytest.mark.clause("blackjack 14.2")
def test_super_sevens_is_placed_with_the_initial_wager_on_the_same_box_or_not_at_all():
    offering = table(super_sevens=True, boxes_per_player=2)
    offering.wager("Aroha", 1, 1000)
    refused("Aroha has wagered on box 1 already", offering.wager, "Aroha", 1, 1000, 100)
    offering.wager("Aroha", 2, 1000, 100)
    offering.deal()
    refused("The cards of this round are dealt", offering.wager, "Ben", 3, 1000, 100)
    assert [wager.box for wager in offering.wagers if wager.kind == "super_sevens"] == [2]


@pytest.mark.clause("blackjack 14.3")
@pytest.mark.parametrize("cents", [99, 101, 0, -100])
def test_the_amount_of_super_sevens_is_that_of_the_sign_and_else_neither_wager_is_taken(cents):
    offering = table(super_sevens=True)
    refused("wager on box 1 is not taken: .* for super_sevens, 1.00", offering.wager, "Aroha", 1, 1000, cents)
    assert offering.wagers == []


def test_boxes_are_not_shared_unless_the_operator_approved_it():
    alone = table()
    alone.sit("Aroha", 1)
    refused("Box 1 is another player's", alone.wager, "Ben", 1, 1000)
    alone.wager("Ben", 2, 1000)
    refused("Box 2 is another player's", alone.wager, "Caro", 2, 1000)


def test_a_box_has_one_seat_and_a_player_one():
    seats = table()
    seats.sit("Aroha", 1)
    refused("Box 1 is taken by Aroha", seats.sit, "Ben", 1)
    refused("Aroha has a seat at this table already", seats.sit, "Aroha", 2)
    for box in (0, 8):
        refused(f"There is no box {box}: this table has 1 to 7", seats.sit, "Ben", box)


def test_nothing_is_decided_or_insured_before_the_deal():
    early = table()
    early.wager("Aroha", 1, 1000)
    refused("are not dealt yet", early.decide, "Aroha", 1, DOUBLE, True)
    refused("are not dealt yet", early.insure, "Aroha", 1, 500)


PLAYERS = st.sampled_from(["Aroha", "Ben", "Caro"])
BOXES = st.integers(0, 4)
CENTS = st.integers(-100, 2000)
ACTS = st.one_of(
    st.tuples(st.just("sit"), PLAYERS, BOXES),
    st.tuples(st.just("wager"), PLAYERS, BOXES, CENTS),
    st.tuples(st.just("wager"), PLAYERS, BOXES, CENTS, st.just(100)),
    st.tuples(st.just("deal")),
    st.tuples(st.just("decide"), PLAYERS, BOXES, st.sampled_from([DOUBLE, SPLIT]), st.booleans()),
    st.tuples(st.just("add"), PLAYERS, BOXES, CENTS),
    st.tuples(st.just("insure"), PLAYERS, BOXES, CENTS),
    st.tuples(st.just("elect_early_payment"), PLAYERS, BOXES),
)


@settings(deadline=None)
@given(st.lists(ACTS, max_size=30), st.booleans(), st.booleans())
def test_whatever_is_tried_the_rules_hold_for_every_wager_taken(acts, room_elsewhere, shared_boxes):
    played = table(room_elsewhere, 3, boxes_per_player=2, shared_boxes=shared_boxes, super_sevens=True)
    for name, *arguments in acts:
        before = list(played.wagers)
        try:
            getattr(played, name)(*arguments)
        except UserError:
            assert played.wagers == before
    initial = [(wager.box, wager.player) for wager in played.wagers if wager.kind == "initial"]
    assert len(set(initial)) == len(initial)
    for wager in played.wagers:
        assert (wager.box, wager.player) in initial
        assert wager.kind != "initial" or 500 <= wager.stake_cents <= 50_000
        assert wager.stake_cents > 0
    for player in ("Aroha", "Ben", "Caro"):
        boxes = {box for box, wagerer in initial if wagerer == player}
        assert len(boxes) <= (2 if room_elsewhere or shared_boxes else 1)
    if not shared_boxes:
        assert len({box for box, _ in initial}) == len(initial)
