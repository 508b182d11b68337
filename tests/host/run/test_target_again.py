"""A board that went away and came back under another name, on real pseudo terminals; another one is refused."""

import os

import pytest

from host_tools.errors import UserError
from host_tools.link import ports
from host_tools.link.ports import PortInfo
from host_tools.run.target import DeviceTarget
from tests.host.link.fake_board import FakeBoard
from tests.host.run.table_bench import Wire, play, started

PICO = (0x2E8A, 0x0005)
OTHER = "sim-0000000000b2-0001"


@pytest.fixture
def listed(monkeypatch):
    """The ports of this machine, for the test to change."""
    found = []
    monkeypatch.setattr(ports, "list_all", lambda: list(found))
    return found


@pytest.mark.parametrize("target", ["auto", "0001"])
def test_a_board_is_found_by_its_serial_number_under_its_new_name(listed, target):
    before, after = Wire(), Wire()
    listed[:] = [PortInfo(before.device, "board", "0001", PICO)]
    source = DeviceTarget(target)
    source.open().close()
    before.cut()
    listed[:] = []
    assert source.open_again() is None
    listed[:] = [PortInfo(after.device, "board", "0001", PICO)]
    port = source.open_again()
    assert port is not None and port.device == after.device
    port.close()
    after.cut()


def test_a_link_by_id_is_opened_again_wherever_it_points_now(listed, tmp_path):
    before, after = Wire(), Wire()
    link = tmp_path / "usb-board"
    link.symlink_to(before.device)
    source = DeviceTarget(str(link))
    source.open().close()
    before.cut()
    link.unlink()
    assert source.open_again() is None
    link.symlink_to(after.device)
    port = source.open_again()
    assert port is not None
    port.write(b"x")
    assert os.read(after.master, 1) == b"x"
    port.close()
    after.cut()


def taken_over(names):
    """Targets that were open, by what names(device) gives, and the pseudo terminal of somebody else that got the number
    since. Other programs take numbers too, so it is tried until it comes so."""
    for _ in range(100):
        before = Wire()
        made = os.stat(before.device).st_ctime_ns
        sources = [DeviceTarget(name) for name in names(before.device)]
        for source in sources:
            source.open().close()
            again = source.open_again()
            assert again is not None, "it is the same one still"
            again.close()
        before.cut()
        after = Wire()
        if after.device == before.device and os.stat(after.device).st_ctime_ns != made:
            return sources, after
        after.cut()
    pytest.fail("No number of a pseudo terminal was given twice.")


def linked(link, device):
    link.unlink(missing_ok=True)
    link.symlink_to(device)
    return str(link)


def test_a_pseudo_terminal_whose_number_somebody_else_got_is_not_opened(listed, tmp_path):
    sources, after = taken_over(lambda device: [device, linked(tmp_path / "left", device)])
    for source in sources:
        with pytest.raises(UserError, match="is another pseudo terminal now"):
            source.open_again()
    after.cut()


def test_a_link_that_was_made_anew_is_opened_though_its_pseudo_terminal_has_the_old_number(listed, tmp_path):
    [source], after = taken_over(lambda device: [linked(tmp_path / "board", device)])
    linked(tmp_path / "board", after.device)
    port = source.open_again()
    assert port is not None
    port.close()
    after.cut()


def test_another_board_that_came_back_on_the_port_is_refused_and_settles_nothing(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    held = made.stored()
    made.wire.cut()
    made.port.close()
    other = FakeBoard(dev=OTHER)
    other.start()
    made.board, made.wire = other, Wire()
    made.port = made.open()
    made.sent = made.capture.log_path.stat().st_size
    made.run._session.port_changed()
    with pytest.raises(UserError, match=rf"Board {OTHER} speaks on the port of board .* was exchanged"):
        made.say(other.lines[0] + other.status())
    assert made.stored() == held and made.store.rounds(OTHER) == []
