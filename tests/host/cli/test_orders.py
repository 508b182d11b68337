"""`tumbler order`, `adjust`, `rounds`, `overpaid`, `store accept-restore`: bad input changes nothing and says why."""

import sqlite3

import pytest

from host_tools.store import Store
from tests.host.store.chain import DEV, Chain, at

OTHER = "sim-0000000000b2-0001"
ORDER = ("--dev", DEV, "--round", "1", "--in-force", "1:5", "--by", "anna")


@pytest.fixture
def played(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/tumbler.db")
    store.enrol(DEV, "T1", at(0))
    board = Chain(store)
    board.result()
    board.correct(1, (3, 3, 6))
    board.take("spin", 2, 3)
    board.take("fault", 2, "SPINNING", "stall")
    store.close()


def orders(tmp_path):
    with sqlite3.connect(tmp_path / "tumbler.db") as database:
        return (
            database.execute("select * from commands").fetchall()
            + database.execute("select * from adjustments").fetchall()
        )


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("order", "void", *ORDER, "--reason", "fault"), "reason"),
        (("order", "void", *ORDER[:-1], "two words", "--reason", "other"), "--by NAME"),
        (("order", "void", *ORDER[:-1], "n" * 20, "--reason", "other"), "1 to 19 letters"),
        (("order", "void", *ORDER[:4], "--in-force", "15", "--by", "anna", "--reason", "other"), "BOOT:SEQ"),
        (("order", "void", *ORDER[:4], "--in-force", "a1", "--by", "anna", "--reason", "other"), "BOOT:SEQ"),
        (
            ("order", "clear", *ORDER[:4], "--in-force", "99999999:1", "--by", "anna"),
            "ref_boot must be a whole number from 0 to 9999999",
        ),
        (("order", "correct", *ORDER, "--reason", "other", "--dice", "1,3,7"), "1,3,7"),
        (("order", "maintenance", "--dev", "sim-0000000000b2-0001", "--by", "anna"), "serves no table here"),
        (("order", "maintenance", "--dev", "no dev", "--by", "anna"), "is not the dev of a board"),
        (("order", "void", *ORDER), "Missing option '--reason'"),
        (("adjust", *ORDER, "--reason", "other"), "either --dice 1,3,6 or --void"),
        (("adjust", *ORDER, "--reason", "other", "--void", "--dice", "1,3,6"), "either --dice 1,3,6 or --void"),
        (("adjust", *ORDER, "--reason", "other", "--void"), "1:6 is in force, not 1:5"),
        (("adjust", *ORDER[:4], "--in-force", "b7", "--by", "anna", "--reason", "other", "--void"), "names no record"),
        (("adjust", *ORDER[:4], "--in-force", "1:6", "--by", "anna", "--reason", "bored", "--void"), "is no reason"),
        (("store", "accept-restore", "--dev", DEV, "--by", "anna"), "No alarm store_behind is open"),
        (("rounds", "--last", "0"), "--last"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_queued_or_adjusted(tumbler, played, tmp_path, args, why):
    code, out, err = tumbler(*args)
    assert (code, out) == (2, "")
    assert why in err and len(err.splitlines()) == 1
    assert orders(tmp_path) == []


@pytest.mark.parametrize(
    "args",
    [
        ("order", "list"),
        ("order", "void", *ORDER, "--reason", "other"),
        ("rounds",),
        ("overpaid",),
        ("adjust", *ORDER, "--reason", "other", "--void"),
        ("store", "accept-restore", "--dev", DEV, "--by", "anna"),
    ],
)
def test_none_of_them_makes_a_store(tumbler, tmp_path, args):
    code, _, err = tumbler(*args)
    assert code == 2 and "There is no store" in err
    assert list(tmp_path.iterdir()) == []


def test_rounds_says_what_is_in_force_by_whom_why_and_which_fault_waits(tumbler, played):
    code, out, err = tumbler("rounds")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (f"{DEV}  round 1  in force 1:6  correction double 3, 6, total 12 by supervisor (wrong_entry)")
    assert lines[1] == "    staked 40.00, returned 85.00"
    assert lines[2] == f"    OVERPAID 50.00: see `tumbler overpaid --dev {DEV}`"
    assert lines[3] == f"{DEV}  round 2  in force 1:7  spin"
    assert lines[-1] == f"{DEV}  FAULT stall in SPINNING, in force 1:8, --round 2"


def test_an_enrolled_board_without_a_round_or_an_order_is_known(tumbler, played, tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/tumbler.db")
    store.enrol(OTHER, "T2", at(0))
    store.close()
    assert tumbler("rounds", "--dev", OTHER) == (0, "No round is stored yet.\n", "")
    assert tumbler("overpaid", "--dev", OTHER) == (0, "Nobody was overpaid.\n", "")
    assert tumbler("order", "list", "--dev", OTHER) == (0, "No order was given yet.\n", "")


@pytest.mark.parametrize(
    ("dev", "why"),
    [
        ("no dev", "'no dev' is not the dev of a board: give it as"),
        ("", "'' is not the dev of a board: give it as"),
        ("nonsense", "This store knows no board nonsense: see `tumbler enrol list`"),
        (OTHER, f"This store knows no board {OTHER}: see `tumbler enrol list`"),
    ],
)
@pytest.mark.parametrize("args", [("rounds",), ("overpaid",), ("order", "list")])
def test_a_dev_that_is_none_or_that_the_store_does_not_know_is_named(tumbler, played, args, dev, why):
    code, out, err = tumbler(*args, "--dev", dev)
    assert (code, out) == (2, "") and why in " ".join(err.split())


def test_overpaid_says_who_how_much_since_which_record_and_why(tumbler, played):
    code, out, _ = tumbler("overpaid")
    assert code == 0 and out.splitlines() == [
        f"OVERPAID 20.00: Aroha, wager W1 in round 1 of board {DEV}, since correction 1:6 by supervisor (wrong_entry); "
        "the wager gives 0.00 now",
        f"OVERPAID 30.00: Chen, wager W3 in round 1 of board {DEV}, since correction 1:6 by supervisor (wrong_entry); "
        "the wager gives 0.00 now",
    ]
    assert tumbler("overpaid", "--round", "2")[1] == "Nobody was overpaid.\n"


def test_an_adjustment_is_shown_as_the_hosts_in_every_listing(tumbler, played):
    given = ("adjust", *ORDER[:4], "--in-force", "1:6", "--by", "anna", "--reason", "dispute")
    code, out, err = tumbler(*given, "--dice", "1,3,6")
    assert (code, err) == (0, "")
    assert "in force a1" in out and "OVERPAID 40.00: Dana" not in out and "OVERPAID 45.00: Dana, wager W4" in out
    said = ": 1, 3, 6, total 10 by host:anna (dispute)"
    assert said in tumbler("rounds")[1] and "above record 1:6" in tumbler("rounds")[1]
    assert said in tumbler("overpaid")[1]
    code, out, _ = tumbler("adjust", *ORDER[:4], "--in-force", "a1", "--by", "ben", "--reason", "other", "--void")
    assert code == 0 and "a1 above record 1:6" in out and "stands no more" in out
    assert "a2 above record 1:6" in out and ": void by host:ben (other)" in out
    assert "in force a2  void, adjusted by host:ben (other)\n" in out


@pytest.mark.parametrize(
    "args",
    [
        ("overpaid",),
        ("adjust", "--dev", DEV, "--in-force", "1:5", "--by", "anna", "--reason", "other", "--void"),
    ],
)
def test_a_round_that_no_board_counts_to_is_bad_input(tumbler, played, args):
    code, out, err = tumbler(*args, "--round", str(10**20))
    assert (code, out) == (2, "") and "--round" in err and "Traceback" not in err
