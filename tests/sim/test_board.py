"""The simulated board as a process: repeatable, never held up by its line, and gone with its owner."""

import os
import subprocess
import sys
import time

import pytest

from host_tools.errors import UserError
from host_tools.sim import SimBoard
from host_tools.sim.board import FLASH, REPOSITORY
from tests.sim.simhost import Sim


def play(sim: Sim) -> bytes:
    """A script with a round, a refused ENTRY, a void by the cover, a power cut and another round -> all bytes sent."""
    sim.rig.step(1500)
    sim.dealer.play_round()
    sim.rig.tap("entry")
    sim.dealer.open_bets()
    sim.rig.cover(True)
    sim.rig.step(500)
    sim.rig.power_cut()
    sim.rig.step(1500)
    sim.dealer.play_round()
    sim.rig.step(1000)
    return bytes(sim.host.raw)


@pytest.mark.parametrize("acks", [True, False])
def test_a_seed_and_a_script_give_the_same_bytes(start_sim, acks):
    first, second = play(start_sim(acks, seed=5)), play(start_sim(acks, seed=5))
    assert first == second
    assert first.count(b'"kind":"result"') >= 2


def test_another_seed_gives_other_dice_and_times(start_sim):
    assert play(start_sim(seed=5)) != play(start_sim(seed=6))


def test_flash_outlives_the_board(start_sim, tmp_path):
    sim = start_sim(state_dir=tmp_path / "kept")
    sim.rig.step(1500)
    sim.dealer.play_round()
    sim.board.stop()
    again = start_sim(state_dir=tmp_path / "kept", acks=False)
    again.rig.step(100)
    boots = [record["boot"] for record in again.host.records] or [said["boot"] for said in again.host.said]
    assert boots[-1] == 2


def test_a_line_that_nobody_reads_does_not_hold_the_board_up(start_sim):
    sim = start_sim(acks=False)
    sim.board.after_step = None  # nobody reads
    sim.rig.step(1500)
    sim.dealer.play(5)  # unread records are sent again and again
    sim.rig.step(30_000)
    sim.host.pump()
    assert len(sim.host.raw) < 100_000  # a host that reads would have had more: the line was full
    assert sim.board.resets == []
    sim.board.after_step = sim.host.pump
    sim.rig.step(5000)
    assert sim.host.kinds().count("result") == 5


@pytest.mark.usefixtures("start_sim")
@pytest.mark.parametrize("clock", ["real", "virtual"])
def test_the_process_ends_when_its_owner_is_killed(tmp_path, clock):
    (tmp_path / "boot.py").write_text("")
    (tmp_path / "main.py").write_text(  # firmware that no exception ends
        "import time\nwhile True:\n    try:\n        time.sleep_ms(2)\n    except BaseException:\n        pass\n"
    )
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\nfrom pathlib import Path\nfrom host_tools.sim import SimBoard\n"
            "board = SimBoard(sys.argv[1] + '/flash', clock=sys.argv[2], firmware=Path(sys.argv[1]))\n"
            "board.request('read')\nprint(board._process.pid, flush=True)\ntime.sleep(60)\n",
            str(tmp_path),
            clock,
        ],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'firmware'}"},
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert gone(pid)


def gone(pid: int) -> bool:
    """Has the process ended within 5 s? A zombie that nobody collects counts as ended."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_a_simulator_that_ends_by_itself_says_why(run_program):
    sim = run_program("import os\nos.system('echo dead battery >&2; kill -9 $PPID')\n")
    with pytest.raises(UserError, match="dead battery"):
        sim.rig.step(100)


def test_firmware_that_never_looks_at_the_clock_is_reported(run_program, monkeypatch):
    sim = run_program("while True:\n    pass\n")
    monkeypatch.setattr("host_tools.sim.board.ANSWER_LIMIT_S", 0.3)
    with pytest.raises(UserError, match="hangs"):
        sim.rig.step(10)


def test_a_flash_directory_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"name another directory\.$"):
        SimBoard(tmp_path / "file" / "flash")


def test_a_board_file_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(UserError, match="atlantis"):
        SimBoard(tmp_path, "atlantis")


def test_a_real_time_board_plays_a_round_and_survives_a_power_cut(start_sim):
    sim = start_sim(clock="real", speed=20)
    sim.rig.step(2000)
    sim.dealer.play_round()
    sim.rig.power_cut()
    sim.rig.step(2000)
    sim.dealer.play_round()
    sim.host.pump()
    assert sim.board.resets == ["power"]
    assert sim.host.kinds().count("result") == 2
    assert [record["boot"] for record in sim.host.records if record["kind"] == "boot"] == [1, 2]


def new_flash_file(state_dir):
    SimBoard(state_dir, clock="virtual").stop()
    return state_dir / FLASH


@pytest.mark.usefixtures("start_sim")
@pytest.mark.parametrize("part", [0, 240 / 352, 1 - 1e-6, 2])
def test_a_flash_of_a_wrong_size_is_refused_and_stays_as_it_is(tmp_path, part):
    flash = new_flash_file(tmp_path / "state")
    size = int(flash.stat().st_size * part)
    os.truncate(flash, size)
    with pytest.raises(UserError, match=rf"flash.bin has {size} bytes and not 1441792: remove its folder, or name"):
        SimBoard(tmp_path / "state")
    assert flash.stat().st_size == size


@pytest.mark.usefixtures("start_sim")
def test_a_start_that_dies_while_it_makes_the_flash_leaves_none(tmp_path, monkeypatch):
    def die(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("host_tools.whole_file.os.fsync", die)
        with pytest.raises(KeyboardInterrupt):
            SimBoard(tmp_path / "state")
    assert not (tmp_path / "state" / FLASH).exists()
    assert new_flash_file(tmp_path / "state").stat().st_size == 352 * 4096


@pytest.mark.parametrize("clock", ["real", "virtual"])
def test_a_board_that_only_resets_is_reported(start_sim, clock):
    sim = start_sim(clock=clock, acks=False)
    sim.rig.step(1500)
    os.truncate(sim.board.state_dir / FLASH, 0)
    sim.rig.power_cut()
    with pytest.raises(UserError, match=r"resets over and over.* remove the folder .* --state"):
        for _ in range(3):
            sim.rig.step(100)
    sim.host.pump()
    assert "The flash has 0 blocks, too few for a journal of 112 sectors" in sim.host.noise()


def test_a_flash_that_a_board_has_is_refused_until_it_stops(start_sim, tmp_path):
    sim = start_sim(state_dir=tmp_path / "state")
    with pytest.raises(UserError, match=r"runs with the flash in .*state already: stop that one, or name another"):
        SimBoard(tmp_path / "state", clock="virtual")
    sim.rig.step(1500)
    sim.dealer.play_round()  # and it was not disturbed
    sim.board.stop()
    new_flash_file(tmp_path / "state")
