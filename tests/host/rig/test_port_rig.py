"""A rig at a serial port, seen from the bench: what it is asked, what it refuses, and how it goes away."""

import json
import os
import shutil
import sys
from base64 import b64encode

import pytest
from rig.core.desk import VERSION

from host_tools.bench.targets import PumpedRig
from host_tools.boards import load_board
from host_tools.errors import UserError
from host_tools.rig import missing, port_rig, wiring
from host_tools.rig.port_rig import PortRig
from host_tools.rig.wiring import RIGS_DIR, load_rig
from tests.host.rig.pty_rig import TABLE, PtyRig
from tests.host.rig.test_trace import RELAY, words

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo terminals")
PICO = load_board("pico")
ABOUT = {"table": TABLE, "micropython": "1.25.0"}


@pytest.fixture
def start():
    """start(about) -> a rig at a pty."""
    rigs: list[PtyRig] = []

    def begin(about=ABOUT):
        rigs.append(PtyRig(about))
        return rigs[-1]

    yield begin
    for rig in rigs:
        rig.unplug()


@pytest.fixture
def far(start):
    return start()


@pytest.fixture
def rig(far):
    with PortRig(far.path, load_rig("pico"), PICO) as rig:
        yield rig


def saying(value):
    """What answers every request with this value."""

    def answer(line):
        return json.dumps({"id": json.loads(line)["id"], "ok": True, "value": value}).encode() + b"\n" if line else b""

    return answer


@pytest.mark.parametrize(
    "value", [None, {}, {"t_us": 1, "words": "abc", "turns": False, "more": False, "lost": 0}, [1]]
)
def test_a_rig_that_answers_without_what_was_asked_for_is_one_sentence(far, rig, monkeypatch, value):
    monkeypatch.setattr(far._desk, "answer", saying(value))
    with pytest.raises(UserError, match="is no rig of this version: put its firmware on"):
        for _ in range(2):  # the first may still have been answered by the thread that keeps it awake
            rig.read()


def test_a_hello_without_its_fields_is_one_sentence(far, monkeypatch):
    monkeypatch.setattr(far._desk, "answer", saying(None))
    with pytest.raises(UserError, match="has version None, not"):
        PortRig(far.path, load_rig("pico"), PICO)


def test_what_a_host_that_was_killed_pulled_is_let_go_by_the_next_one(far):
    """It comes within the 3 s that the rig waits, and holds the rig awake from then on."""
    killed = PortRig(far.path, load_rig("pico"), PICO)
    killed.press("spin")
    killed.motor("push")
    killed._stopped.set()
    killed._port.close()
    with PortRig(far.path, load_rig("pico"), PICO) as rig:
        rig.ready()
        assert far.low == {"cover", "estop", "relay_feedback"} and far.machine.drum.motor_fault is None


def test_ready_and_let_go_pull_what_they_should(far, rig):
    assert far.low == {"relay_feedback"}  # the mirror contact of the released relay
    rig.ready()
    assert far.low == {"cover", "estop", "relay_feedback"}
    rig.press("spin")
    rig.supervisor(True)
    assert rig.read()["supervisor_on"]
    rig.let_go()
    assert not rig.read()["supervisor_on"]
    assert far.low == {"cover2", "relay_feedback"}  # the cover's opposite contact is closed when it is open
    PumpedRig(rig).ready()  # as the bench has it
    assert far.low == {"cover", "estop", "relay_feedback"}


def test_keys_and_switches_move_their_lines(far, rig):
    rig.ready()
    rest = {"cover", "estop", "relay_feedback"}
    for do, low in (
        (lambda: rig.press("spin"), rest | {"spin"}),
        (lambda: rig.release("spin"), rest),
        (lambda: rig.supervisor(True), rest | {"supervisor"}),
        (lambda: rig.supervisor(False), rest),
        (lambda: rig.estop(True), rest - {"estop"}),
        (lambda: rig.estop(False), rest),
        (lambda: rig.cover(True), rest - {"cover"} | {"cover2"}),
        (lambda: rig.cover(False), rest),
        (lambda: rig.cover_wire(True), rest - {"cover"}),
        (lambda: rig.cover_wire(False), rest),
    ):
        do()
        assert far.low == low
    far.history.clear()
    rig.tap("1", hold_ms=1)
    assert far.history == [("1", True), ("1", False)]


def test_a_broken_cover_wire_stays_open_while_the_cover_moves(far, rig):
    rig.ready()
    rig.cover_wire(True)
    rig.cover(True)
    rig.cover(False)
    assert "cover" not in far.low
    rig.cover_wire(False)
    assert "cover" in far.low


def test_what_no_wire_can_do_is_a_reason_to_skip(far, rig, tmp_path):
    assert missing(rig, "press", "motor.weld", "sensor.noise", "cover_wire") == ""
    assert missing(rig, "stall", "power_cut") == "This rig cannot power_cut, stall."
    with pytest.raises(UserError, match="cannot stall"):
        rig.stall(5)
    assert "power" not in far.low


def test_power_is_cut_and_given_back_where_it_is_wired(start, tmp_path, monkeypatch):
    path = tmp_path / "pico.toml"
    path.write_text((RIGS_DIR / "pico.toml").read_text(encoding="utf-8").replace("# power = 27", "power = 27"))
    wires = load_rig(path)
    far = start(ABOUT | {"table": port_rig.table_id(wires, PICO)})
    with PortRig(far.path, wires, PICO) as rig:
        rig.ready()
        far.history.clear()
        rig.power_cut(off_ms=2)
        assert far.history == [("power", True), ("power", False)]
        rig.reset_terminal()
        assert far.history[2:] == [("run", True), ("run", False)]


def test_what_the_words_say_is_seen(far, rig):
    far.words = [b64encode(words((10, RELAY))).decode(), b64encode(words((20, 0), (40, RELAY))).decode()]
    assert rig.read()["relay"] is True
    assert [edge.t_us for edge in rig.edges() if edge.what == "relay_coil"] == [10, 20, 40]


def test_dice_are_invented_once_the_drum_has_turned_and_the_cover_is_open(far, rig):
    rig.ready()
    rig.next_dice(1, 3, 6)
    rig.next_dice(5, 5, 5)
    with pytest.raises(UserError, match="covered"):
        rig.dice()
    rig.cover(True)
    assert rig.dice() == (1, 3, 6)
    rig.cover(False)
    with pytest.raises(UserError, match="covered"):
        rig.dice()
    rig.cover(True)
    assert rig.dice() == (1, 3, 6)  # nothing has turned since
    rig.motor("push")
    rig.step_until(lambda seen: seen["drum_turns"], 2000)
    with pytest.raises(UserError, match="still turns"):
        rig.dice()


def test_it_is_read_also_while_nobody_asks(start, monkeypatch):
    monkeypatch.setattr(port_rig, "ALIVE_S", 0.005)
    far = start()
    with PortRig(far.path, load_rig("pico"), PICO):
        assert far.read_often.wait(10)


def test_closing_lets_every_line_go_and_frees_the_port(far):
    for _ in range(2):
        with PortRig(far.path, load_rig("pico"), PICO) as rig:
            rig.ready()
            rig.press("spin")
            assert "spin" in far.low
        assert far.low == set()
        rig.close()


def test_a_rig_that_is_unplugged_is_a_problem_of_the_bench(far, rig):
    rig.ready()
    far.unplug()
    with pytest.raises(UserError, match="The rig is gone"):
        rig.press("spin")
    with pytest.raises(UserError, match="The rig is gone"):  # and stays one
        rig.read()


def test_a_rig_that_falls_silent_is_named(far, rig, monkeypatch):
    monkeypatch.setattr(port_rig, "ANSWER_LIMIT_S", 0.1)
    far.mute = True
    with pytest.raises(UserError, match="No rig answers at"):
        rig.press("spin")


def test_a_rig_with_another_firmware_is_told_to_flash_it(start, monkeypatch, tmp_path):
    """Also one that speaks the same version of the protocol."""
    copied = tmp_path / "firmware"
    shutil.copytree(wiring.FIRMWARE / "rig", copied / "rig")
    with (copied / "rig" / "hw" / "hands.py").open("a") as file:
        file.write("# changed\n")
    far = start()
    monkeypatch.setattr(wiring, "FIRMWARE", copied)
    with pytest.raises(UserError, match="tumbler rig flash"):
        PortRig(far.path, load_rig("pico"), PICO)


def test_garbage_of_any_depth_is_no_answer(far, monkeypatch):
    monkeypatch.setattr(port_rig, "ANSWER_LIMIT_S", 1.0)
    os.write(far.master, b"[" * 3000 + b"\n")
    with PortRig(far.path, load_rig("pico"), PICO) as rig:
        assert "press" in rig.capabilities


def test_another_program_at_the_port_is_no_rig(start, monkeypatch):
    monkeypatch.setattr(port_rig, "ANSWER_LIMIT_S", 0.1)
    far = start()
    far.mute = True
    os.write(far.master, b'{"id":7}\n[]\n\xff{\nhello world\n' * 300)
    with pytest.raises(UserError, match="No rig answers at"):
        PortRig(far.path, load_rig("pico"), PICO)


@pytest.mark.parametrize(
    ("about", "says"),
    [
        (ABOUT | {"version": VERSION + 1}, f"has version {VERSION + 1}"),
        (ABOUT | {"table": "0"}, "the table of other wires"),
    ],
)
def test_a_rig_with_another_firmware_or_table_is_refused(start, about, says):
    far = start(about)
    with pytest.raises(UserError, match=f"{says}.*tumbler rig flash"):
        PortRig(far.path, load_rig("pico"), PICO)


def test_a_port_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="There is no port"):
        PortRig(str(tmp_path / "ttyACM9"), load_rig("pico"), PICO)
