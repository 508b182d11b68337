"""`tumbler wager`: taken into the open round alone, all of a file or nothing, listed, and taken back."""

import json
import unicodedata
from dataclasses import replace

import pytest

from host_tools.books import wagers
from host_tools.settler import paytable as paytables
from host_tools.settler.limits import Limit
from host_tools.store import Settler, staging
from tests.host.store.chain import DEV, HOIANA, Chain, at

FILE = "wager_id,player,kind,selection,stake\nW1,Aroha,small,,10.00\nW2,Ben,combination,6-1,2.50\n"


@pytest.fixture
def clock(monkeypatch):
    """Sets the moment at which a command takes wagers; at second 2 the board's last status is 0 s old."""

    def set_to(seconds):
        monkeypatch.setattr(wagers, "_now", lambda: at(seconds))
        monkeypatch.setattr(wagers, "_wait_for_status", lambda database, dev: None)

    set_to(2)
    return set_to


@pytest.fixture
def betting(board, clock, tmp_path):
    board.betting(batch=[])
    (tmp_path / "w.csv").write_text(FILE)


def stored(tumbler, *args):
    code, out, _ = tumbler("wager", "list", "--json", *args)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def test_a_file_is_taken_into_the_open_round_and_once_only(tumbler, betting):
    assert tumbler("wager", "import", "w.csv") == (0, f"2 wagers are taken in round 1 of board {DEV}.\n", "")
    again = f"Every wager of w.csv was taken in round 1 of board {DEV} before: no change.\n"
    assert tumbler("wager", "import", "w.csv", "--dev", DEV, "--round", "1") == (0, again, "")
    found = [(row["wager_id"], row["selection"], row["stake_cents"], row["outcome"]) for row in stored(tumbler)]
    assert found == [("W1", "", 1000, "open"), ("W2", "1-6", 250, "open")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FILE + "W3,Chen,odd,,5\n", "w.csv, row 4: paytable hoiana does not cover odd"),
        (FILE + "W1,Chen,big,,5\n", "w.csv, row 4: wager_id 'W1' is already taken by row 2"),
        (FILE + "W1,Chen,big,,5\nW3,Chen,odd,,5\n", "w.csv, row 5: paytable hoiana does not cover odd"),
        (FILE + "W3,Ch\0en,big,,5\n", "w.csv, row 4: there is a NUL byte"),
        (FILE + "W3,Ch\udcffen,big,,5\n", "w.csv, row 4: the text is not UTF-8"),
        (FILE + 100 * "W3,Chen,big,,5,\n" + "W4,Chen,big,,x,\n", "and 1 more rows"),
        (FILE.split("\n")[0] + "\n", "holds no wager"),
    ],
)
def test_of_a_file_with_one_bad_row_nothing_is_taken(tumbler, betting, tmp_path, text, why):
    (tmp_path / "w.csv").write_text(text, encoding="utf-8", errors="surrogateescape")
    code, out, err = tumbler("wager", "import", "w.csv")
    assert (code, out) == (2, "") and why in err
    assert stored(tumbler) == []


def test_an_id_that_another_file_took_refuses_the_whole_file(tumbler, betting, tmp_path):
    tumbler("wager", "import", "w.csv")
    (tmp_path / "w.csv").write_text(FILE.replace("W1", "W0").replace("2.50", "3.00"))
    code, _, err = tumbler("wager", "import", "w.csv")
    assert code == 2 and "wager_id 'W2' is already taken in this round and its wager differs" in err
    assert len(stored(tumbler)) == 2


def test_a_file_whose_wagers_were_taken_back_meanwhile_says_so_when_it_comes_again(tumbler, betting):
    tumbler("wager", "import", "w.csv")
    tumbler("wager", "withdraw", "W2", "--by", "anna")
    code, out, _ = tumbler("wager", "import", "w.csv")
    assert code == 0 and out == (
        f"Every wager of w.csv was taken in round 1 of board {DEV} before: no change; 1 of them was withdrawn and "
        "stays so, W2 by host:anna: a wager that is to stand needs an id of its own.\n"
    )
    tumbler("wager", "withdraw", "W1", "--by", "ben")
    _, out, _ = tumbler("wager", "import", "w.csv")
    assert "2 of them were withdrawn and stay so, W1 by host:ben first: a wager" in out


def test_a_file_is_read_first_and_the_lease_counts_from_the_status_that_comes_then(
    tumbler, betting, clock, store, monkeypatch
):
    """It needs no lock to read it: the run's next status is written meanwhile."""
    clock(9)
    status = lambda *_: store.update_live(DEV, 1, "BETTING", 1, None, at(8))  # noqa: E731
    monkeypatch.setattr(wagers, "_wait_for_status", status)
    assert tumbler("wager", "import", "w.csv")[0] == 0
    assert [row["accepted_at"][17:19] for row in stored(tumbler)] == ["09", "09"]


def test_a_file_that_cannot_be_taken_within_the_lease_is_to_be_split_and_nothing_of_it_is_taken(
    tumbler, betting, clock, store, monkeypatch
):
    monkeypatch.setattr(staging, "IN_ONE_STATEMENT", 1)
    moments = iter([at(2.5), at(3), at(3.6)])  # the board's last status is of second 2
    monkeypatch.setattr(wagers, "_now", lambda: next(moments))
    before = store.rounds()
    code, out, err = tumbler("wager", "import", "w.csv")
    assert (code, out) == (2, "") and "cable" not in err
    assert (
        "over 1.500 s, at 12:00:02 UTC; 2 of the 2 rows of w.csv took longer: split the file and import each part."
        in err
    )
    assert stored(tumbler) == [] and store.rounds() == before and next(moments, None) is None
    clock(3)
    assert tumbler("wager", "import", "w.csv")[1].startswith("2 wagers are taken")


@pytest.mark.parametrize(
    ("seconds", "args", "why"),
    [
        (
            3.6,
            (),
            "last said so 1.600 s ago, over 1.500 s, at 12:00:02 UTC; no run is on, or it does not hear the board: see "
            "that `tumbler run` is on, and check the board's cable.",
        ),
        (2, ("--round", "2"), "has not begun it"),
        (2, ("--paytable", "macau"), "was opened under paytable hoiana"),
        (2, ("--paytable", "none"), "There is no paytable 'none'"),
        (2, ("--dev", "sim-0000000000b2-0001"), "knows no board"),
    ],
)
def test_nothing_is_taken_unless_the_board_says_that_its_bets_are_open(tumbler, betting, clock, seconds, args, why):
    clock(seconds)
    code, out, err = tumbler("wager", "import", "w.csv", *args)
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1
    assert stored(tumbler) == []


def test_a_players_wagers_are_found_however_the_name_is_typed(tumbler, betting):
    assert tumbler("wager", "add", "--player", "Rene\u0301", "--kind", "big", "--stake", "5")[0] == 0
    assert tumbler("wager", "add", "--player", "Ren\u00e9", "--kind", "big", "--stake", "7")[0] == 0
    assert [row["stake_cents"] for row in stored(tumbler, "--player", "Rene\u0301")] == [500, 700]
    code, out, _ = tumbler("report", "--by", "player", "--format", "json")
    assert code == 0 and out.count("Ren") == 1


def test_a_file_that_was_saved_again_with_other_forms_of_its_letters_changes_nothing(tumbler, betting, tmp_path):
    """An id as one character, and as a letter with an accent behind it: what is lost is money placed twice."""
    text = "wager_id,player,kind,selection,stake\nD\u00e9,Ren\u00e9,small,,10.00\n"
    (tmp_path / "w.csv").write_text(text, "utf-8")
    assert tumbler("wager", "import", "w.csv")[0] == 0
    (tmp_path / "w.csv").write_text(unicodedata.normalize("NFD", text), "utf-8")
    again = f"Every wager of w.csv was taken in round 1 of board {DEV} before: no change.\n"
    assert tumbler("wager", "import", "w.csv") == (0, again, "")
    same = ("--id", "De\u0301", "--player", "Rene\u0301", "--kind", "small", "--stake", "10")
    assert "was taken before, no change" in tumbler("wager", "add", *same)[1]
    assert [row["stake_cents"] for row in stored(tumbler)] == [1000]


def test_a_file_with_one_id_in_two_forms_of_its_letters_is_refused(tumbler, betting, tmp_path):
    (tmp_path / "w.csv").write_text(FILE + "D\u00e9,Chen,big,,5\nDe\u0301,Chen,big,,5\n", "utf-8")
    code, _, err = tumbler("wager", "import", "w.csv")
    assert code == 2 and "w.csv, row 5: wager_id 'D\u00e9' is already taken by row 4" in err
    assert stored(tumbler) == []


def test_a_wager_is_taken_back_however_its_id_is_typed(tumbler, betting):
    tumbler("wager", "add", "--id", "De\u0301", "--player", "Ben", "--kind", "big", "--stake", "5")
    code, out, _ = tumbler("wager", "withdraw", "De\u0301", "--by", "anna")
    assert (code, out) == (0, f"Wager D\u00e9 in round 1 of board {DEV} is withdrawn by host:anna.\n")
    assert "before, no change" in tumbler("wager", "withdraw", "D\u00e9", "--by", "anna")[1]


def test_with_no_bets_open_it_says_what_the_board_said_last(tumbler, betting, store):
    store.update_live(DEV, 1, "CLOSED", 1, None, at(2))
    code, _, err = tumbler("wager", "import", "w.csv")
    assert code == 2 and f"Board {DEV} last said CLOSED in round 1, so no bets are open" in err


def test_of_two_boards_one_must_be_named(tumbler, betting, store):
    store.enrol("sim-0000000000b2-0001", "T2", at(0))
    code, _, err = tumbler("wager", "import", "w.csv")
    assert code == 2 and f"{DEV}, sim-0000000000b2-0001: --dev DEV" in err


def test_without_a_store_none_is_made(tumbler, tmp_path):
    code, _, err = tumbler("wager", "list", "--store", "sqlite:///none.db")
    assert code == 2 and "There is no store" in err and list(tmp_path.iterdir()) == []


def test_a_paytable_that_is_not_bundled_is_asked_for_and_its_limits_hold(tumbler, store, clock, tmp_path):
    text = (paytables.BUNDLED_DIR / "hoiana.toml").read_text().replace('"hoiana"', '"ours"')
    (tmp_path / "ours.toml").write_text(text + '\n[limits]\nall = {max = "5.00"}\n')
    (tmp_path / "w.csv").write_text(FILE)
    ours = paytables.load(str(tmp_path / "ours.toml"))
    board = Chain(store)
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, settler=Settler(ours))
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    code, _, err = tumbler("wager", "import", "w.csv")
    assert code == 2 and "was opened under paytable ours" in err and "--paytable FILE" in err
    code, _, err = tumbler("wager", "import", "w.csv", "--paytable", "ours.toml")
    assert code == 2 and "row 2: stake 10.00 is over the table's maximum for small, 5.00" in err
    add = ("wager", "add", "--player", "Ben", "--kind", "small", "--stake", "5", "--paytable", "ours.toml")
    assert tumbler(*add)[0] == 0
    assert len(stored(tumbler)) == 1
    assert ours == replace(ours, limits={"all": Limit(max_cents=500)})


def test_one_wager_is_added_and_its_id_is_told(tumbler, betting):
    code, out, _ = tumbler("wager", "add", "--player", "Aroha", "--kind", "total", "--selection", "4", "--stake", "1.5")
    (row,) = stored(tumbler)
    assert code == 0 and out == f"Wager {row['wager_id']} in round 1 of board {DEV} is taken.\n"
    assert (row["player"], row["kind"], row["selection"], row["stake_cents"]) == ("Aroha", "total", "4", 150)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"--kind": "red"}, "kind 'red' is not one of"),
        ({"--stake": "-1"}, "stake '-1' is not an amount like 10.00"),
        ({"--player": " "}, "player is empty"),
        ({"--id": ""}, "wager_id is empty"),  # drawing one would take a wager again that is sent again
        ({"--kind": "total", "--selection": "3"}, "total"),
    ],
)
def test_a_bad_wager_is_not_added(tumbler, betting, changed, why):
    options = {"--player": "Aroha", "--kind": "small", "--stake": "10"} | changed
    code, out, err = tumbler("wager", "add", *(part for pair in options.items() for part in pair))
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1
    assert stored(tumbler) == []


def test_a_wager_is_withdrawn_by_name_and_listed_so(tumbler, betting, board):
    tumbler("wager", "import", "w.csv")
    told = f"Wager W1 in round 1 of board {DEV} is withdrawn by host:anna.\n"
    assert tumbler("wager", "withdraw", "W1", "--by", "anna") == (0, told, "")
    code, out, _ = tumbler("wager", "withdraw", "W1", "--by", "ben")
    assert code == 0 and "was withdrawn before, no change" in out
    first, second = stored(tumbler)
    assert (first["outcome"], first["withdrawn_by"], second["outcome"]) == ("withdrawn", "host:anna", "open")
    code, _, err = tumbler("wager", "withdraw", "W9", "--by", "anna")
    assert code == 2 and "there is no such wager; see `tumbler wager list`" in err
    board.take("bets_closed", 1, "dealer", occurred_s=2.5)
    board.take("uncovered", 1)
    board.take("result", 1, (6, 1, 3), 4)
    assert [(row["outcome"], row["returned_cents"]) for row in stored(tumbler)] == [("void", 1000), ("win", 1500)]
    code, _, err = tumbler("wager", "withdraw", "W2", "--by", "anna", "--round", "1")
    assert code == 2 and "Wager 'W2' stays in round 1: its bets are not open" in err


def test_the_list_is_of_the_last_round_or_of_what_is_asked_for(tumbler, board):
    board.result()
    board.correct(1, (5, 5, 6))
    board.result(2)
    assert {row["round"] for row in stored(tumbler)} == {2}
    first = [(row["wager_id"], row["outcome"]) for row in stored(tumbler, "--round", "1")]
    assert first == [("W1", "lose"), ("W2", "win"), ("W3", "lose"), ("W4", "lose")]
    assert [(row["round"], row["wager_id"]) for row in stored(tumbler, "--player", "Ben")] == [(1, "W2"), (2, "W2")]
    code, out, _ = tumbler("wager", "list", "--round", "2", "--player", "Aroha")
    assert code == 0 and out == f"{DEV}  round 2  W1  Aroha  Small  10.00  win, returned 20.00\n"
    assert tumbler("wager", "list", "--player", "Nobody") == (0, "No such wager is stored.\n", "")


def test_a_paytable_of_the_round_is_found_by_its_name(tumbler, store, clock, tmp_path):
    korea = paytables.load("korea_daegu")
    board = Chain(store)
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, settler=Settler(korea))
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    assert ("odd", "") in korea.areas and ("odd", "") not in HOIANA.areas
    assert tumbler("wager", "add", "--player", "Ben", "--kind", "odd", "--stake", "5")[0] == 0


@pytest.mark.parametrize("args", [("list", "--player", "\udcff"), ("withdraw", "\udcff", "--by", "anna")])
def test_text_that_is_no_utf_8_is_refused_in_a_sentence(tumbler, betting, args):
    code, out, err = tumbler("wager", *args)
    assert (code, out) == (2, "") and "'\\udcff' is no text" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("import", 300 * "x"), "cannot be read (File name too long)"),
        (
            ("add", "--player", "Ben", "--kind", "big", "--stake", "5", "--paytable", 300 * "x"),
            "There is no paytable 'xxx",
        ),
    ],
)
def test_a_file_name_that_no_system_takes_is_refused_in_a_sentence(tumbler, betting, args, why):
    code, out, err = tumbler("wager", *args)
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1


def test_a_wager_that_was_taken_back_and_is_added_again_is_said_to_be_withdrawn(tumbler, betting):
    add = ("wager", "add", "--id", "W1", "--player", "Ben", "--kind", "big", "--stake", "5")
    assert tumbler(*add)[0] == 0
    again = tumbler(*add)
    assert again == (0, f"Wager W1 in round 1 of board {DEV} was taken before, no change.\n", "")
    assert tumbler("wager", "withdraw", "W1", "--by", "anna")[0] == 0
    code, out, err = tumbler(*add)
    assert (code, out) == (2, "") and err.startswith(
        "Wager W1 is not taken: it was withdrawn in this round by host:anna"
    )
