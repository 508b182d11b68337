"""The rig's firmware, unchanged, on an emulated RP2040: its wires end at a peer that watches them and drives others."""

from itertools import pairwise

import pytest
from rig.core.desk import VERSION

from tests.emu.rig_peer import GPIO, Peer

BOOT_MS = 400
PLAYED = [name for name in GPIO if name in ("1", "6", "entry", "spin", "supervisor", "cover", "cover2", "estop", "run")]


@pytest.fixture(scope="module")
def peer(emulated, uf2) -> Peer:
    """One rig for all short tests; each leaves it let go."""
    peer = Peer(emulated, uf2)
    peer.board.step(BOOT_MS)
    assert peer.pulled() == []
    return peer


@pytest.fixture
def greeted(peer):
    peer.ask("hello")
    yield peer
    peer.ask("let_go")
    assert peer.pulled() == []
    assert peer.highs == []  # no line is ever driven high


def test_hello_tells_the_version_and_nonsense_is_answered(peer):
    assert peer.line(b"{{{\n")["ok"] is False
    assert peer.line(b"x" * 300 + b"\n")["ok"] is False
    assert peer.line(b'{"id":1,"do":"pull","line":"spin","low":true}\n')["ok"] is False  # before hello
    assert peer.pulled() == []
    hello = peer.ask("hello")
    assert (hello["version"], hello["micropython"]) == (VERSION, "1.25.0")
    assert peer.pulled() == ["relay_feedback"]  # the released relay's mirror contact
    peer.ask("let_go")
    assert peer.pulled() == []


def test_lines_go_low_and_float_and_never_high(greeted):
    for name in PLAYED:
        greeted.ask("pull", line=name, low=True)
        assert greeted.low(name), name
        greeted.ask("pull", line=name, low=False)
        assert not greeted.gpio[GPIO[name]].output_enable, name


def test_pulses_have_their_times_to_the_microsecond(greeted, figure):
    greeted.driven.clear()
    greeted.ask("pulses", count=40, period_us=400, low_us=150)
    greeted.board.step(20)
    times = [(us, low) for us, name, low in greeted.driven if name == "sensor"]
    assert [low for _, low in times] == [True, False] * 40
    lasts = [times[i + 1][0] - times[i][0] for i in range(len(times) - 1)]
    assert lasts[0::2] == pytest.approx([150] * 40, abs=1)
    assert lasts[1::2] == pytest.approx([250] * 39, abs=1)
    figure("rig: error of a pulse's times, 40 of 150 us in 400 us", max(abs(us - 150) for us in lasts[0::2]), "us", "1")


def test_relay_edges_are_seen_with_their_microseconds_and_the_relays_record_is_kept(greeted, figure):
    greeted.ask("pull", line="cover", low=True)
    greeted.look()
    greeted.trace.edges.clear()
    greeted.drive("relay", [(1000.25, 1), (1013.0, 0), (1100.5, 1), (9100.5, 0)])
    greeted.drive("buzzer", [(2000, 1), (2500, 0), (3000, 1), (3300, 0)])
    greeted.board.step(12)
    beeps = greeted.trace.beeps
    greeted.look()
    relay = [edge for edge in greeted.trace.edges if edge.what == "relay_coil"]
    assert [edge.level for edge in relay] == [1, 0, 1, 0]
    lasts = [relay[i + 1].t_us - relay[i].t_us for i in range(3)]
    assert lasts == pytest.approx([12.75, 87.5, 8000], abs=2)
    assert greeted.trace.longest_on_us == pytest.approx(8000, abs=2)
    assert greeted.trace.beeps == beeps + 2
    assert greeted.trace.on_while_open_us == 0
    assert greeted.trace.lost == 0
    figure("rig: error of an on-time of 8 ms as it sees it", abs(lasts[2] - 8000), "us", "2")


def test_on_time_while_the_cover_is_open_is_counted_from_the_opening(greeted):
    greeted.ask("pull", line="cover", low=True)
    greeted.drive("relay", [(0, 1)])
    greeted.board.step(2)
    greeted.look()
    before = greeted.trace.on_while_open_us
    greeted.driven.clear()
    greeted.ask("pull", line="cover", low=False)
    off_us = greeted.board.clock.nanos / 1000 + 3000
    greeted.drive("relay", [(3000, 0)])
    greeted.board.step(4)
    greeted.look()
    (opened_us,) = [us for us, name, low in greeted.driven if name == "cover" and not low]
    assert before == 0
    # When the CPU let go of the cover's line is known to some microseconds only, unlike what the peer drives.
    assert greeted.trace.on_while_open_us == pytest.approx(off_us - opened_us, abs=10)


@pytest.mark.parametrize(("text", "segments"), [("BETS", "7c79786d"), (" 136", "00064f7d")])
def test_a_picture_on_the_displays_wires_is_read(greeted, text, segments):
    greeted.board.step(greeted.show(bytes.fromhex(segments)) / 1000 + 1)
    greeted.look()
    assert greeted.trace.seen(True, False, False)["display"] == text
    assert greeted.trace.lost == 0


def test_the_mirror_contact_and_the_drum_follow_the_relay(greeted):
    greeted.ask("pull", line="cover", low=True)
    greeted.ask("pull", line="estop", low=True)
    assert greeted.low("relay_feedback")
    greeted.drive("relay", [(0, 1)])
    greeted.board.step(6)
    assert greeted.low("relay_feedback")
    greeted.board.step(10)
    assert not greeted.low("relay_feedback")
    greeted.drive("relay", [(0, 0)])
    greeted.board.step(14)
    assert greeted.low("relay_feedback")
    assert greeted.ask("read")["turns"]


def test_what_is_not_read_in_time_is_counted_as_lost_and_the_rest_is_whole(greeted):
    greeted.look()
    greeted.trace.edges.clear()
    changes, half_us = 4096 + 100, 5
    left = iter(range(1, changes + 1))

    def change():
        n = next(left, None)
        if n is not None:
            greeted.board.world.set_outside(GPIO["lamp"], n % 2)
            greeted.board.at(half_us, change)

    greeted.board.at(100, change)
    greeted.board.step((100 + changes * half_us) / 1000 + 1)
    greeted.look()
    edges = greeted.trace.edges
    assert greeted.trace.lost == 100
    assert [edge.level for edge in edges] == [1, 0] * 2048
    assert edges[-1].t_us - edges[0].t_us == pytest.approx(4095 * half_us, abs=2)


def test_ctrl_c_lets_every_line_go_and_leads_to_the_console(peer):
    peer.ask("hello")
    for name in ("spin", "cover", "estop"):
        peer.ask("pull", line=name, low=True)
    peer.ask("sensor", fault="low")
    peer.board.step(30)
    assert set(peer.pulled()) == {"spin", "cover", "estop", "sensor", "relay_feedback"}
    peer.said = b""
    peer.board.usb.send(b"\x03")
    peer.board.step(20)
    assert peer.pulled() == []
    assert b"KeyboardInterrupt" in peer.said
    assert peer.said.endswith(b">>> ")
    assert peer.highs == []


@pytest.fixture
def alone(emulated, uf2):
    """alone(files) -> a rig of its own with these files beside its firmware, greeted, with cover and SPIN pulled."""

    def start(files=None):
        peer = Peer(emulated, uf2, files)
        peer.board.step(BOOT_MS)
        peer.ask("hello")
        for name in ("spin", "cover", "estop"):
            peer.ask("pull", line=name, low=True)
        return peer

    return start


@pytest.mark.emu_full
def test_a_host_that_falls_silent_ends_everything_after_3_s_and_hello_begins_anew(alone):
    peer = alone()
    peer.board.step(2900)
    assert set(peer.pulled()) == {"spin", "cover", "estop", "relay_feedback"}
    peer.board.step(150)
    assert peer.pulled() == []
    assert peer.line(b'{"id":1,"do":"pull","line":"spin","low":true}\n')["ok"] is False
    peer.ask("hello")
    assert peer.pulled() == ["relay_feedback"]


@pytest.mark.emu_full
def test_an_exception_lets_every_line_go(alone):
    broken = (
        "from rig import app\nfrom rig.core.desk import Desk\n"
        "answer = Desk.answer\n"
        "def failing(self, line):\n    return answer(self, line) if b'motor' not in line else 1 // 0\n"
        "Desk.answer = failing\napp.main()\n"
    )
    peer = alone({"main.py": broken.encode()})
    peer.ask("sensor", fault="low")
    peer.board.step(50)
    assert set(peer.pulled()) == {"spin", "cover", "estop", "sensor", "relay_feedback"}
    peer.said = b""
    peer.board.usb.send(b'{"id":9,"do":"motor","fault":null}\n')
    peer.board.step(50)
    assert b"ZeroDivisionError" in peer.said
    assert peer.pulled() == []
    assert peer.highs == []


@pytest.mark.emu_full
def test_the_drum_spins_up_turns_coasts_and_rests_with_its_relay(alone, figure):
    peer = alone()
    peer.driven.clear()

    def near():
        return [us for us, name, low in peer.driven if name == "sensor" and low]

    def run(ms):
        for _ in range(ms // 500):
            peer.look()  # a host that is there
            peer.board.step(500)

    run(500)
    assert near() == []
    peer.drive("relay", [(0, 1)])
    run(3500)
    turning = near()
    assert len(turning) in (7, 8)  # 2.5 a second, after the spin-up
    lasts = [turning[i + 1] - turning[i] for i in range(3, len(turning) - 1)]
    assert lasts == pytest.approx([400_000] * len(lasts), rel=0.002)
    figure("rig: error of a turn of the drum", max(abs(us - 400_000) for us in lasts), "us", "800")
    peer.drive("relay", [(0, 0)])
    run(1500)
    assert len(near()) - len(turning) in (1, 2)
    assert not peer.ask("read")["turns"]
    rested = len(near())
    run(1000)
    assert len(near()) == rested


@pytest.mark.emu_full
def test_bounces_of_the_sensor_on_the_wire_are_too_short_to_count(alone):
    peer = alone()
    peer.ask("motor", fault="push")
    peer.ask("sensor", fault="bounce")
    peer.board.step(200)
    peer.driven.clear()
    peer.look()
    peer.board.step(1300)
    times = [us for us, name, _ in peer.driven if name == "sensor"]
    short = [late - soon for soon, late in pairwise(times) if late - soon < 1000]
    assert short
    assert all(3 < us < 10.5 for us in short)  # half of the terminal's filter time of 20 us
