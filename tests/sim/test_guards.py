"""The firmware and its guards: looked at at every start, and without them nothing is written."""

from tumbler.core import fields
from tumbler.hw import guards

from host_tools.sim.board import FLASH
from tests.sim.conftest import READY_MS
from tests.sim.flashfile import BLOCK, FIRST, disk, records

UNPROTECTED = f"F{fields.FAULTS.index('journal_unprotected') + 1}"
IDENTITY = slice((FIRST - 2) * BLOCK, FIRST * BLOCK)


def flash(sim):
    return (sim.board.state_dir / FLASH).read_bytes()


def change(sim, how):
    """Somebody changes the filesystem while the board has no power."""
    fs, context = disk(sim.board.state_dir)
    how(fs)
    fs.unmount()
    (sim.board.state_dir / FLASH).write_bytes(context.buffer)


def rewrite_a_guard(fs):
    with fs.open(guards.path(70), "r+b") as file:
        file.write(b"x")


def remove_a_guard(fs):
    fs.remove(guards.path(113))


def add_a_file(fs):
    with fs.open("notes.txt", "wb") as file:
        file.write(b"x" * 5000)


def start_again(sim):
    sim.rig.power_cut()
    return sim.rig.step(READY_MS)


def test_a_new_board_makes_its_identity_and_keeps_it(sim):
    first = flash(sim)[IDENTITY]
    assert first[:4] == b"TSI1" and first[:BLOCK] == first[BLOCK:]
    start_again(sim)
    assert flash(sim)[IDENTITY] == first  # looked at by its seal, not written again
    assert [record["boot"] for record in records(sim.board.state_dir)] == [1, 2]


def test_dev_txt_counts_at_the_first_start_only(sim):
    dev = sim.host.last_of("boot")["dev"]
    (sim.board.state_dir / "dev.txt").write_text("sim-0000000000b2-0001\n")
    start_again(sim)
    assert sim.host.last_of("boot")["dev"] == dev and sim.host.last_of("boot")["boot"] == 2


def test_files_of_others_come_and_the_guards_are_found_right_anew(sim):
    before = flash(sim)[IDENTITY]
    change(sim, add_a_file)
    assert start_again(sim)["lamp"] == "off"
    assert flash(sim)[IDENTITY] != before  # a new seal
    sim.dealer.play_round()


def test_without_its_guards_a_board_faults_and_writes_nothing(sim):
    sim.dealer.play_round()
    sim.rig.step(3000)
    for spoil in (rewrite_a_guard, remove_a_guard):
        whole = flash(sim)
        change(sim, spoil)
        spoiled = flash(sim)
        assert spoiled != whole
        assert start_again(sim)["display"].strip() == UNPROTECTED
        sim.rig.tap("spin")
        for number in ("1", "2", "3"):
            sim.answer(number)
        seen = sim.rig.step(3000)
        assert (seen["display"].strip(), seen["relay"]) == (UNPROTECTED, False)
        assert flash(sim) == spoiled
        (sim.board.state_dir / FLASH).write_bytes(whole)
    start_again(sim)
    assert sim.dealer.play_round()
