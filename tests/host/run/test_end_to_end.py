"""`tumbler run` as a process, with the firmware on MicroPython behind a pseudo terminal and a dealer at its keys."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tumbler.core import ledger

from host_tools.rig import CallRig
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer
from host_tools.store import Store

SPEED = "5"
WAGERS = """wager_id,player,kind,selection,stake
W1,Aroha,small,,10.00
W2,Ben,double,3,5.00
W3,Chen,any_triple,,2.00
W4,Dana,face,3,1.00
"""

pytestmark = pytest.mark.usefixtures("micropython")


@pytest.fixture
def start(tmp_path):
    """Starts `tumbler run`, on sim unless a target is given, in an empty folder -> the process, its output in pipes."""
    (tmp_path / "w.csv").write_text(WAGERS)
    made = []

    def run(*args):
        target = [] if "--target" in args else ["--target", "sim", "--speed", SPEED]
        command = [sys.executable, "-m", "host_tools", "run", *target, *args]
        root = Path(__file__).parents[3]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "firmware"))), "COLUMNS": "120"}
        made.append(
            subprocess.Popen(
                command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
            )
        )
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()


def serves_table(process):
    """Wait until the run has heard its board: on a busy computer it starts late, and a board goes on meanwhile."""
    assert any("serves table" in line for line in process.stdout)


def rows(tmp_path, query):
    with sqlite3.connect(tmp_path / "tumbler.db") as database:
        return database.execute(query).fetchall()


def captured(tmp_path):
    return b"".join(log.read_bytes() for log in sorted((tmp_path / "out").glob("*.log")))


def test_a_round_into_a_store_in_postgresql_which_verify_finds_whole(start, postgresql_url, tumbler):
    process = start("--rounds", "1", "--dice", "3,3,4", "--wagers", "w.csv", "--store", postgresql_url)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "") and "double 3, 4, total 10" in out
    store = Store.open(postgresql_url)
    dev = store.enrolments()[0].dev
    made = [entry.settlement for entry in store.settlements(dev, 1)]
    store.close()
    assert [(one.wager.wager_id, one.outcome, one.returned_cents) for one in made] == [
        ("W1", "win", 2000),
        ("W2", "win", 4500),
        ("W3", "lose", 0),
        ("W4", "win", 300),
    ]
    code, out, err = tumbler("verify", postgresql_url)
    assert (code, err) == (0, "") and "4 settlements" in out


@pytest.mark.clause("tai-sai 6.1", "tai-sai 6.3", "tai-sai 6.4(a)", "tai-sai 6.4(b)")
def test_two_rounds_from_the_spin_key_to_settled_wagers(start, tmp_path):
    process = start(
        "--rounds", "2", "--dice", "3,3,4", "--dice", "5,5,5", "--wagers", "w.csv", "--rotate-size", "0.002"
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    for text in ("double 3, 4, total 10", "triple 5, total 15", "NOT FOR PLAY", "rig.sock", "secondary source"):
        assert text in out
    # hoiana: small 1:1, double 8:1, any triple 24:1, one face 1:1, two faces 2:1
    assert rows(tmp_path, "select round, wager_id, outcome, returned_cents from settlements order by id") == [
        (1, "W1", "win", 2000),
        (1, "W2", "win", 4500),
        (1, "W3", "lose", 0),
        (1, "W4", "win", 300),
        (2, "W1", "lose", 0),
        (2, "W2", "lose", 0),
        (2, "W3", "win", 5000),
        (2, "W4", "lose", 0),
    ]
    lines = [line for (line,) in rows(tmp_path, "select line from records order by seq")]
    log = captured(tmp_path)
    assert all(line.encode() + b"\n" in log for line in lines)
    kinds = [json.loads(line)["kind"] for line in lines]
    one_round = ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
    assert kinds == ["boot", *one_round, *one_round]
    assert len(list((tmp_path / "out").glob("*.log"))) > 1
    assert f"Captured: {tmp_path}/out/2" in out and ".*.log" in out and "tumbler.db" in out


@pytest.mark.parametrize(("args", "code"), [(["--rounds", "50"], 130), ([], 0)])
def test_ctrl_c_ends_it_with_a_summary_and_whole_files(start, tmp_path, args, code):
    process = start("--wagers", "w.csv", *args)
    for line in process.stdout:
        if "wagers are placed" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (code, "")
    assert "0 rounds settled" in out and "Captured:" in out
    assert rows(tmp_path, "pragma integrity_check") == [("ok",)]
    assert len(rows(tmp_path, "select * from wagers")) == 4
    log = captured(tmp_path)
    for (line,) in rows(tmp_path, "select line from records"):
        assert line.encode() in log
        ledger.decode_device(line.encode())


def test_without_wagers_the_result_is_shown_all_the_same(start):
    process = start("--rounds", "1", "--dice", "6,1,6")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "1, double 6, total 13" in out
    assert "This store has no wager of this round" in out


def test_a_second_run_on_the_same_store_and_folder_goes_through(start, tmp_path):
    for _ in range(2):
        process = start("--rounds", "1", "--dice", "1,2,3", "--seed", "7", "--wagers", "w.csv")
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
    assert rows(tmp_path, "select count(*), count(distinct dev) from rounds") == [(2, 2)]


def test_killed_again_and_again_each_result_is_stored_and_settled_once(start, tmp_path):
    """kill -9 at moments of five rounds, and the board's mains cut once; the board plays on in between."""
    with SimBoard(tmp_path / "board", seed=3, speed=8) as board:
        dealer = Dealer(CallRig(board.call), betting_ms=8_000)
        args = ("--target", board.serial_path, "--wagers", "w.csv")
        process = start(*args)
        board.step(4_000)
        dice = []
        for number, killed_after_ms in enumerate((200, 3_000, 6_000, 9_000, 14_000)):
            kill = threading.Timer(killed_after_ms / 1000 / board.speed, process.kill)
            kill.start()
            dice.append(dealer.play_round())
            kill.join()
            process.wait()  # a run that is killed is gone, as under a shell
            if number == 2:
                board.power_cut(500)
                board.step(2_500)
            process = start(*args)
        serves_table(process)
        board.step(8_000)
        dice.append(dealer.play_round())
        board.step(8_000)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, ""), out
    stored = rows(tmp_path, "select dice from rounds order by round")
    assert stored == [("".join(map(str, faces)),) for faces in dice]
    doubled = "select round, wager_id from settlements group by round, wager_id having count(*) != 1"
    assert rows(tmp_path, doubled) == []
    assert rows(tmp_path, "select count(*) from wagers") == rows(tmp_path, "select count(*) from settlements")
    assert rows(tmp_path, "select count(*) from settlements where round = 6") == [(4,)]
    assert rows(tmp_path, "select * from alarms") == []
    seqs = [seq for (seq,) in rows(tmp_path, "select seq from records order by seq")]
    assert seqs == list(range(1, len(seqs) + 1))


def test_a_run_that_was_stopped_while_the_dice_came_to_light_takes_no_wagers(start, tmp_path):
    with SimBoard(tmp_path / "board", seed=3, speed=20) as board:
        dealer = Dealer(CallRig(board.call))
        process = start("--target", board.serial_path, "--wagers", "w.csv", "--rounds", "1")
        serves_table(process)
        board.step(2_500)
        process.send_signal(signal.SIGSTOP)
        dealer.open_bets()
        board.step(4_000)
        dealer.close_bets()
        dealer.enter_result()
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert "No wager of this batch is taken in round 1" in out
    assert rows(tmp_path, "select state from rounds") == [("result",)]
    assert rows(tmp_path, "select * from wagers") == []
