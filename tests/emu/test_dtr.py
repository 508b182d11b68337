"""A port that nobody has open, DTR off and no driver that takes bytes: lines are lost, the journal keeps all."""

import pytest

from host_tools.emu.board import EmuBoard
from host_tools.emu.usb import ROOM
from host_tools.link.events import Hello
from tests.emu.host import Host


@pytest.mark.emu_full
def test_with_dtr_off_the_journal_grows_and_all_of_it_comes_once_somebody_listens(uf2, emulated):
    board = emulated(EmuBoard("pico", uf2=uf2))
    board.usb.dtr(False)
    board.usb.room = 0
    board.step(1200)
    board.call("estop", {"on": True})
    board.step(600)
    host = Host(board)
    board.usb.room = ROOM
    board.usb.dtr(True)
    while len(host.records) < 2:
        board.step(50)
    assert [record["kind"] for record in host.records] == ["boot", "fault"]
    assert host.records[1]["code"] == "estop"
    assert host.of(Hello)[0].fields["unacked"] == 2
