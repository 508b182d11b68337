"""`tumbler report` against sums made by hand, and against the balance of every round."""

import csv
import io
import json
import random
import re
import sqlite3
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from host_tools import cli
from host_tools.books.days import Days
from host_tools.settler.settle import Wager
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, Chain, at

OTHER = "sim-0000000000b2-0001"
AMOUNTS = ("staked", "void", "unsettled", "paid", "returned", "kept", "house")


@pytest.fixture
def played(store, board):
    """Wagers of 10 on small (Aroha), 20 on big (Ben), 5 on 1-6 (Chen) and 5 on double 3 (Dana) in each round:

    1: 6, 1, 3 corrected to 3, 3, 6 · 2: Aroha withdraws, triple 2 · 3, 13 hours later: void · 4: bets are open.
    """
    board.result()
    board.correct(1, (3, 3, 6))
    board.betting(2)
    store.withdraw_wager(DEV, 2, "W1", "host:anna", lambda: at(board.seq))
    board.take("bets_closed", 2, "dealer", occurred_s=board.seq + 0.5)
    board.take("uncovered", 2)
    board.take("result", 2, (2, 2, 2), 4)
    board.take("spin", 3, 3, received_s=13 * 3600)
    board.take("bets_open", 3, 3)
    store.update_live(DEV, 1, "BETTING", 3, None, at(board.seq))
    store.place_wagers(DEV, 3, BATCH, HOIANA, lambda: at(board.seq))
    board.void(3, "opened_early")
    board.take("spin", 4, 3, received_s=13 * 3600 + 60)
    board.take("bets_open", 4, 3)
    store.update_live(DEV, 1, "BETTING", 4, None, at(board.seq))
    store.place_wagers(DEV, 4, BATCH, HOIANA, lambda: at(board.seq))


def report(tumbler, *args):
    """{what names a line: (rounds, wagers, the AMOUNTS in cents, hold, corrections)}"""
    code, out, err = tumbler("report", "--format", "json", *args)
    assert (code, err) == (0, "")
    found = {}
    for line in map(json.loads, out.splitlines()):
        name = "all" if line["row"] == "total" else line[line["row"]]
        amounts = (line[f"{amount}_cents"] for amount in AMOUNTS)
        found[name] = (line["rounds"], line["wagers"], *amounts, line["hold_percent"], line["corrections"])
        assert line["decided_cents"] == line["staked_cents"] - line["void_cents"] - line["unsettled_cents"]
    return found


# double 3 pays 8 to 1, so round 1 pays 20.00 + 40.00 and keeps 10.00 + 5.00; round 2 keeps 20.00 + 5.00 + 5.00.
FIRST = (1, 4, 4000, 0, 0, 6000, 8500, 1500, -4500, "-112.50", 4)
SECOND = (1, 4, 4000, 1000, 0, 0, 1000, 3000, 3000, "100.00", 0)
THIRD = (1, 4, 4000, 4000, 0, 0, 4000, 0, 0, None, 0)
FOURTH = (1, 4, 4000, 0, 4000, 0, 0, 0, 0, None, 0)
ALL = (4, 16, 16000, 5000, 4000, 6000, 13500, 4500, -1500, "-21.43", 4)


def test_by_round_as_added_up_by_hand(tumbler, played):
    assert report(tumbler, "--by", "round") == {1: FIRST, 2: SECOND, 3: THIRD, 4: FOURTH, "all": ALL}


def test_by_kind_as_added_up_by_hand(tumbler, played):
    assert report(tumbler, "--by", "kind") == {
        "big": (4, 4, 8000, 2000, 2000, 2000, 6000, 2000, 0, "0.00", 1),
        "combination": (4, 4, 2000, 500, 500, 0, 500, 1000, 1000, "100.00", 1),
        "double": (4, 4, 2000, 500, 500, 4000, 5000, 500, -3500, "-350.00", 1),
        "small": (4, 4, 4000, 2000, 1000, 0, 2000, 1000, 1000, "100.00", 1),
        "all": ALL,
    }


def test_by_player_as_added_up_by_hand(tumbler, played):
    found = report(tumbler, "--by", "player")
    assert list(found) == ["Aroha", "Ben", "Chen", "Dana", "all"]
    assert found["Ben"] == (4, 4, 8000, 2000, 2000, 2000, 6000, 2000, 0, "0.00", 1) and found["all"] == ALL


def both(one, two, hold):
    return (*(a + b for a, b in zip(one[:9], two[:9], strict=True)), hold, one[10] + two[10])


@pytest.mark.parametrize(
    ("args", "days"),
    [
        ((), {"2026-03-01": both(FIRST, SECOND, "-21.43"), "2026-03-02": both(THIRD, FOURTH, None)}),
        (("--timezone", "Pacific/Auckland"), {"2026-03-02": ALL}),
        (
            ("--timezone", "Pacific/Auckland", "--day-starts", "6"),
            {"2026-03-01": both(FIRST, SECOND, "-21.43"), "2026-03-02": both(THIRD, FOURTH, None)},
        ),
    ],
)
def test_a_gaming_day_is_of_its_time_zone_and_begins_at_its_hour(tumbler, played, args, days):
    assert report(tumbler, *args) == {**days, "all": ALL}


def test_a_clock_that_is_set_back_over_the_hour_at_which_days_begin_gives_no_round_to_an_ended_day():
    """On the Chatham Islands 3:45 was followed by 2:45 on 2026-04-05, at 14:00 UTC on the 4th."""
    days = Days(ZoneInfo("Pacific/Chatham"), 3)
    begin = days.begin(date(2026, 4, 5))
    assert begin == datetime(2026, 4, 4, 13, 15, tzinfo=timezone.utc)
    found = [days.of(begin + timedelta(minutes=minutes)).day for minutes in (-1, 0, 44, 45, 59, 60, 120)]
    assert found == [4, 5, 5, 5, 5, 5, 5]


@pytest.mark.parametrize(
    ("args", "rounds"),
    [
        (("--from", "2026-03-02"), [3, 4]),
        (("--to", "2026-03-01"), [1, 2]),
        (("--from", "2026-03-02", "--to", "2026-03-02", "--timezone", "Pacific/Auckland"), [1, 2, 3, 4]),
        (("--to", "2026-03-01", "--timezone", "Pacific/Auckland", "--day-starts", "6"), [1, 2]),
        (("--from", "2027-01-01"), []),
        (("--dev", DEV), [1, 2, 3, 4]),
    ],
)
def test_only_the_days_that_were_asked_for(tumbler, played, args, rounds):
    assert list(report(tumbler, "--by", "round", *args)) == [*rounds, "all"]


def test_a_round_is_of_the_table_that_its_board_served_when_it_began(tumbler, played, store):
    store.enrol(OTHER, "T2", at(0))
    Chain(store, OTHER).take("spin", 9, 3, received_s=5)
    store.enrol(DEV, "T3", at(13 * 3600))
    assert list(report(tumbler, "--by", "round", "--table", "T1")) == [1, 2, "all"]
    assert list(report(tumbler, "--by", "round", "--table", "T2")) == [9, "all"]
    assert list(report(tumbler, "--by", "round", "--table", "T3")) == [3, 4, "all"]


@pytest.mark.parametrize("seed", range(3))
def test_every_sum_agrees_with_the_balances_of_the_rounds(tumbler, store, board, seed):
    draw = random.Random(seed)
    areas = sorted(HOIANA.areas)
    for number in range(1, 9):
        batch = [
            Wager(f"W{index}", draw.choice("ABC"), *draw.choice(areas), draw.randrange(1, 9999)) for index in range(12)
        ]
        board.result(number, tuple(draw.randrange(1, 7) for _ in range(3)), batch)
        for _ in range(draw.randrange(3)):
            board.correct(number, tuple(draw.randrange(1, 7) for _ in range(3)))
    store.settle_due(DEV, SETTLER, at(99))
    balances = [store.balance(DEV, number) for number in range(1, 9)]
    for by in ("round", "day", "kind", "player"):
        *lines, total = report(tumbler, "--by", by).values()
        for index, amount in ((2, "staked"), (4, "unsettled"), (5, "paid"), (6, "returned"), (7, "kept")):
            due = sum(getattr(balance, f"{amount}_cents") for balance in balances)
            assert total[index] == due == sum(line[index] for line in lines), (by, amount)
        assert total[2] + total[5] == total[6] + total[7] + total[4]
    shown = report(tumbler, "--by", "round")
    assert [shown[number][2:8] for number in range(1, 9)] == [
        (one.staked_cents, 0, one.unsettled_cents, one.paid_cents, one.returned_cents, one.kept_cents)
        for one in balances
    ]


def test_csv_opens_in_a_spreadsheet_and_no_name_becomes_a_formula(tumbler, board, tmp_path):
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "Māui", 'say "x", y', "＝1"]
    board.result(1, batch=[Wager(f"W{i}", name, "small", "", 100) for i, name in enumerate(names)])
    code, out, _ = tumbler("report", "--by", "player", "--format", "csv", "--out", "r.csv")
    assert (code, out) == (0, "")
    raw = (tmp_path / "r.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert sorted(row["player"] for row in rows) == sorted(
        ["", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "Māui", 'say "x", y', "'＝1"]
    )
    assert rows[-1]["row"] == "total" and rows[-1]["house_cents"] == "-700"


def test_the_table_shows_amounts_and_sums(tumbler, played):
    code, out, _ = tumbler("report", "--by", "kind")
    assert code == 0
    (total,) = [line.replace("│", " ").split() for line in out.splitlines() if "Total" in line]
    assert total == [
        "Total",
        "4",
        "16",
        "160.00",
        "50.00",
        "40.00",
        "60.00",
        "135.00",
        "45.00",
        "-15.00",
        "-21.43",
        "4",
    ]


def test_a_table_of_too_many_lines_is_refused_and_points_to_csv(tumbler, played, monkeypatch):
    monkeypatch.setattr("host_tools.books.report_shown.TABLE_LINES", 3)
    code, out, err = tumbler("report", "--by", "round")
    assert (code, out) == (2, "") and "more than 3 lines" in err and "--format csv" in err


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--from", "1.3.2026"), "--from '1.3.2026' is no day: write it like 2026-03-01"),
        (("--to", "2026-02-30"), "--to '2026-02-30' is no day"),
        (("--to", "9999-12-31"), "leave --to out"),
        (("--from", "0001-01-01", "--timezone", "Pacific/Auckland"), "out of every calendar"),
        (("--from", "2026-03-02", "--to", "2026-03-01"), "--to 2026-03-01 is before --from 2026-03-02"),
        (("--timezone", "Mars/Olympus"), "There is no time zone 'Mars/Olympus' here"),
        (("--timezone", "../etc/passwd"), "There is no time zone"),
        (("--day-starts", "24"), "--day-starts"),
        (("--table", "T9"), "This store knows no table 'T9'"),
        (("--by", "moon"), "--by"),
        (("--out", "no/such/file"), "Report no/such/file cannot be written (No such file or directory)"),
    ],
)
def test_bad_input_is_one_sentence_and_no_file_is_left(tumbler, played, tmp_path, args, why):
    before = sorted(tmp_path.iterdir())
    code, out, err = tumbler("report", *args)
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_report_of_no_rounds_is_a_line_of_nothing(tumbler, store):
    assert report(tumbler) == {"all": (0, 0, 0, 0, 0, 0, 0, 0, 0, None, 0)}


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_damaged_store_is_named_and_not_the_file_that_the_report_was_to_be_written_into(
    tumbler, played, tmp_path, url
):
    with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
        database.execute("update rounds set began_at = 'long ago' where round = 4")
    code, out, err = tumbler("report", "--by", "round", "--format", "csv", "--out", "r.csv")
    assert (code, out) == (2, "") and "is damaged" in err
    assert not (tmp_path / "r.csv").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_a_terminal(monkeypatch, url, *args):
    """The lines that a report leaves on a terminal of 60 columns, without what only steers it."""
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setenv("TERM", "xterm")
        patched.setenv("COLUMNS", "60")
        patched.setattr(sys, "stdout", terminal)
        patched.setattr(sys, "stderr", terminal)
        patched.setattr(sys, "argv", ["tumbler", "report", "--store", url, *args])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert not ended.value.code
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", terminal.getvalue()).replace("\r", "\n").split("\n")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("format", ["csv", "json"])
def test_on_a_terminal_every_line_for_programs_is_whole(tumbler, played, monkeypatch, url, format):
    args = ("--by", "kind", "--format", format)
    _, piped, _ = tumbler("report", *args)
    shown = on_a_terminal(monkeypatch, url, *args)
    assert [line for line in shown if line in piped.splitlines() and line] == piped.splitlines()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_on_a_narrow_terminal_no_figure_of_the_table_is_cut(played, monkeypatch, url):
    found = "\n".join(on_a_terminal(monkeypatch, url, "--by", "kind"))
    assert "…" not in found
    assert all(each in found for each in ("combination", "Total", "160.00", "-350.00", "Returned"))
