"""The rig, near and far: what can be done at the table, and what is refused."""

import json
import socket
import stat

import pytest

from host_tools.errors import UserError
from host_tools.rig import CAPABILITIES, KEYS, MOTOR_FAULTS, SENSOR_FAULTS, CallRig, missing
from host_tools.rig.server import RigServer, connect

IDLE = "import time\nwhile True:\n    time.sleep_ms(2)\n"
SPIN_FOR_EVER = (
    "import time, tumbler_board as board\nfrom tumbler.hw.relay import Relay\nfrom tumbler.hw.counter import Counter\n"
    "relay = Relay(board)\ncounter = Counter(board)\nrelay.on()\n"
    "for n in range(1000):\n    time.sleep_ms(2)\n    relay.feed()\n"
    "print(counter.read())\nrelay.off()\n"
    "time.sleep_ms(2500)\nprint(counter.read())\n"
)


@pytest.fixture
def served(run_program, tmp_path):
    """A rig and its socket's path."""
    sim = run_program(IDLE)
    with RigServer(sim.board.call, tmp_path / "rig.sock") as server:
        yield sim.rig, server.path


def test_far_and_near_rig_work_the_same_board(served):
    near, path = served
    with connect(path) as far:
        far.tap("1")
        assert near.read()["t_ms"] == 150
        far.cover(True)
        assert far.step(10) == near.read()
        assert near.read()["cover_open"]
        assert far.dice() == near.dice()


def test_socket_is_the_owners_alone_and_goes_away(run_program, tmp_path):
    sim = run_program(IDLE)
    with RigServer(sim.board.call, tmp_path / "rig.sock") as server:
        assert stat.S_IMODE(server.path.stat().st_mode) == 0o600
    assert not server.path.exists()


def test_connecting_to_nobody_says_what_to_start(tmp_path):
    with pytest.raises(UserError, match="start tumbler sim"):
        connect(tmp_path / "rig.sock")


def test_a_rig_whose_board_stopped_says_so(served):
    near, path = served
    with connect(path) as far:
        far.read()
        near._send.__self__.stop()
        with pytest.raises(UserError, match="was stopped"):
            far.read()


@pytest.mark.parametrize(
    "line",
    [
        b"dice please",
        b"[1]",
        b"\xff\xfe",
        b'{"do":"read"}',
        b'{"do":"fly","args":{}}',
        b'{"do":"request","args":{"do":"state"}}',
        b'{"do":"press","args":{}}',
        b'{"do":"press","args":{"key":"9"}}',
        b'{"do":"step","args":{"ms":"x"}}',
        b'{"do":"step","args":{"ms":-5}}',
        b'{"do":"next_dice","args":{"dice":[1,2,7]}}',
    ],
)
def test_nonsense_on_the_socket_is_answered_with_a_sentence(served, line):
    near, path = served
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(path))
        raw.sendall(line + b"\n")
        answer = json.loads(raw.makefile().readline())
    assert answer["ok"] is False
    assert answer["error"].endswith(".")
    assert near.step(2)["t_ms"] == 2  # and the board lives


@pytest.mark.parametrize("call", [lambda rig: rig.press("7"), lambda rig: rig.next_dice(0, 1, 2)])
def test_what_is_not_at_the_table_is_refused(served, call):
    with pytest.raises(UserError):
        call(served[0])


@pytest.mark.parametrize("what", ["sensor", "motor"])
def test_an_unknown_fault_is_refused_with_the_known_ones(served, what):
    known = {"sensor": SENSOR_FAULTS, "motor": MOTOR_FAULTS}[what]
    with pytest.raises(UserError, match=", ".join(known)):
        getattr(served[0], what)("gremlins")
    for fault in (*known, None):
        getattr(served[0], what)(fault)


def test_every_key_reaches_its_pin_and_bounces(run_program):
    sim = run_program(
        "import time, machine, tumbler_board as b\n"
        "pins = [b.PIN_KEY1, b.PIN_KEY2, b.PIN_KEY3, b.PIN_KEY4, b.PIN_KEY5, b.PIN_KEY6, b.PIN_ENTRY, b.PIN_SPIN]\n"
        "pins = [machine.Pin(p, machine.Pin.IN, machine.Pin.PULL_UP) for p in pins + [b.PIN_NO_MORE]]\n"
        "last, changes = [1] * 9, [0] * 9\n"
        "while True:\n"
        "    time.sleep_us(100)\n"
        "    now = [p.value() for p in pins]\n"
        "    for n in range(9):\n"
        "        changes[n] += now[n] != last[n]\n"
        "    last = now\n"
        "    if time.ticks_ms() >= 3000:\n"
        "        print(now, changes)\n"
        "        break\n"
    )
    for key in KEYS:
        sim.rig.tap(key)
    sim.rig.press("entry")
    sim.rig.step(3000)
    levels, changes = sim.host.noise().strip("[]").split("] [")
    assert levels == "1, 1, 1, 1, 1, 1, 0, 1, 1"
    counts = [int(n) for n in changes.split(", ")]
    assert all(n >= 2 for n in counts)
    assert sum(counts) > 2 * len(KEYS) + 1  # more edges than movements


def test_dice_are_refused_while_covered_and_stay_until_the_drum_turns(run_program):
    sim = run_program(SPIN_FOR_EVER)
    sim.rig.next_dice(2, 2, 5)
    sim.rig.next_dice(6, 1, 1)
    with pytest.raises(UserError, match="covered"):
        sim.rig.dice()
    sim.rig.step(5000)
    sim.rig.cover(True)
    assert sim.rig.dice() == (2, 2, 5)
    sim.rig.cover(False)
    with pytest.raises(UserError, match="covered"):
        sim.rig.dice()
    sim.rig.cover(True)
    assert sim.rig.dice() == (2, 2, 5)
    sim.rig.cover(False)
    sim.rig.step(100)
    sim.rig.power_cut()
    sim.rig.step(5000)
    sim.rig.cover(True)
    assert sim.rig.dice() == (6, 1, 1)


@pytest.mark.parametrize(
    ("work", "pulses", "coasts"),
    [
        (lambda rig: None, range(4, 6), True),
        (lambda rig: rig.motor("stall"), range(1), False),
        (lambda rig: rig.motor("slip"), range(2), False),
        (lambda rig: rig.sensor("high"), range(1), False),
        (lambda rig: rig.sensor("low"), range(1), False),
        (lambda rig: rig.sensor("noise"), range(4, 6), True),
        (lambda rig: rig.sensor("bounce"), range(4, 6), True),
    ],
)
def test_drum_and_sensor_with_each_fault(run_program, work, pulses, coasts):
    sim = run_program(SPIN_FOR_EVER)
    work(sim.rig)
    sim.rig.step(2200)
    (running,) = sim.host.noise().split()
    assert int(running) in pulses
    sim.rig.step(3000)
    after = int(sim.host.noise().split()[1])
    assert (after > int(running)) is coasts
    assert not sim.rig.read()["drum_turns"]


def test_a_welded_contact_keeps_the_drum_turning(run_program):
    sim = run_program(SPIN_FOR_EVER)
    sim.rig.step(500)
    sim.rig.motor("weld")
    sim.rig.step(9500)
    seen = sim.rig.read()
    assert (seen["relay"], seen["drum_turns"]) == (False, True)
    sim.rig.motor(None)
    sim.rig.step(3000)
    assert not sim.rig.read()["drum_turns"]


@pytest.mark.parametrize("work", [lambda rig: rig.estop(True), lambda rig: rig.cover(True)])
def test_estop_and_cover_cut_the_coil_by_wire(run_program, work):
    """The relay is a plain output here, so that nothing but the wire can open it."""
    sim = run_program(
        "import time\nfrom machine import Pin\nPin(16, Pin.OUT, value=1)\nwhile True:\n    time.sleep_ms(9)\n"
    )
    sim.rig.step(1000)
    assert sim.rig.read()["drum_turns"]
    work(sim.rig)
    seen = sim.rig.step(1900)
    assert (seen["relay"], seen["drum_turns"]) == (True, False)


def test_dice_asked_for_while_the_drum_turns_under_an_open_cover_are_refused_in_a_sentence(sim):
    sim.rig.tap("spin")
    sim.rig.step(1000)
    sim.rig.cover(True)
    sim.rig.step(100)
    with pytest.raises(UserError, match="still turns"):
        sim.rig.dice()
    sim.rig.next_dice(2, 2, 5)  # not drawn before it rests
    sim.rig.step(9000)
    assert sim.rig.dice() == (2, 2, 5)


def test_where_the_supervisor_key_stands_is_seen_over_a_power_cut_too(sim):
    seen = [sim.rig.read()["supervisor_on"]]
    sim.rig.supervisor(True)
    seen.append(sim.rig.read()["supervisor_on"])
    sim.rig.power_cut(100)
    seen.append(sim.rig.read()["supervisor_on"])
    sim.rig.supervisor(False)
    seen.append(sim.rig.read()["supervisor_on"])
    assert seen == [False, True, True, False]


def test_let_go_stops_everything_and_ready_mends_it(run_program):
    """The relay is a plain output that stays on: E-stop and cover must open its circuit."""
    sim = run_program(
        "import time\nfrom machine import Pin\nPin(16, Pin.OUT, value=1)\n"
        "pins = [Pin(n, Pin.IN, Pin.PULL_UP) for n in (2, 11)]\nwhile True:\n"
        "    time.sleep_ms(500)\n    print([pin.value() for pin in pins])\n"
    )
    sim.rig.press("1")
    sim.rig.supervisor(True)
    sim.rig.motor("push")
    assert sim.rig.step(900)["drum_turns"]
    sim.rig.let_go()
    assert not sim.rig.step(3000)["drum_turns"]
    said = sim.host.noise().split("\n")
    assert (said[0].strip(), said[-2].strip()) == ("[0, 0]", "[1, 1]")
    sim.rig.ready()
    assert sim.rig.step(500)["drum_turns"]


def test_what_a_rig_cannot_do_is_a_reason_to_skip_and_refused_before_it_is_tried():
    sent = []
    rig = CallRig(lambda do, args: sent.append((do, args)), CAPABILITIES - {"power_cut", "motor.weld"})
    assert missing(rig, "press", "motor.push") == ""
    assert missing(rig, "power_cut", "press", "motor.weld") == "This rig cannot motor.weld, power_cut."
    with pytest.raises(UserError, match=r"cannot power_cut\."):
        rig.power_cut()
    with pytest.raises(UserError, match=r"cannot motor\.weld\."):
        rig.motor("weld")
    assert not sent
    rig.motor("push")
    assert sent == [("motor", {"fault": "push"})]
    with pytest.raises(UserError, match=r"No rig can motor\.wield"):
        missing(rig, "motor.wield")
