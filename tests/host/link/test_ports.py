"""Which port is taken, and what is said when it is not clear."""

import pytest

from host_tools.errors import UserError
from host_tools.link.ports import PortInfo, find, find_again

PICO = (0x2E8A, 0x0005)
BOARD = PortInfo("/dev/ttyACM0", "Board in FS mode", "e6614c31d3b8a52f", PICO)
OTHER_BOARD = PortInfo("/dev/ttyACM1", "Board in FS mode", "e6614c31d3b8a530", PICO)
MODEM = PortInfo("/dev/ttyUSB0", "CP2102 USB to UART", "0001", (0x10C4, 0xEA60))
BARE = PortInfo("/dev/ttyS0", "", None, (None, None))


def test_auto_takes_the_only_board():
    assert find("auto", [BARE, BOARD, MODEM]) == BOARD


def test_auto_with_two_boards_lists_both_and_says_how_to_choose():
    with pytest.raises(UserError) as error:
        find("auto", [BARE, BOARD, MODEM, OTHER_BOARD])
    text = str(error.value)
    for part in (
        "/dev/ttyACM0",
        "/dev/ttyACM1",
        "Board in FS mode",
        "e6614c31d3b8a52f",
        "e6614c31d3b8a530",
        "--target",
    ):
        assert part in text
    assert "ttyUSB0" not in text


def test_auto_without_a_board_lists_what_there_is():
    with pytest.raises(UserError, match=r"/dev/ttyUSB0  CP2102 USB to UART  serial number 0001"):
        find("auto", [MODEM, BARE])


def test_auto_without_any_port_says_to_plug_it_in():
    with pytest.raises(UserError, match="plug the board in"):
        find("auto", [])


def test_a_serial_number_chooses_among_boards_and_other_devices():
    assert find("e6614c31d3b8a530", [BOARD, OTHER_BOARD]) == OTHER_BOARD
    assert find("0001", [BOARD, MODEM]) == MODEM


def test_a_serial_number_that_two_devices_have_is_refused():
    with pytest.raises(UserError, match="2 ports with the serial number 0001"):
        find("0001", [MODEM, MODEM._replace(device="/dev/ttyUSB1")])


def test_a_name_is_taken_listed_or_not():
    assert find("/dev/ttyUSB0", [BOARD, MODEM]) == MODEM
    assert find("/dev/pts/7", [BOARD]).device == "/dev/pts/7"


def test_the_same_device_is_found_under_its_new_name():
    moved = BOARD._replace(device="/dev/ttyACM3")
    assert find_again(BOARD, [OTHER_BOARD, moved]) == moved


def test_another_board_under_the_old_name_is_not_taken_for_it_by_serial_number():
    moved = BOARD._replace(device="/dev/ttyACM1")
    assert find_again(BOARD, [OTHER_BOARD._replace(device="/dev/ttyACM0"), moved]) == moved


def test_a_device_without_a_serial_number_is_looked_for_under_its_name():
    assert find_again(BARE, [BARE._replace(device="/dev/ttyS1")]) == BARE


def test_while_a_device_is_away_what_took_its_name_is_not_opened():
    assert find_again(BOARD, [OTHER_BOARD._replace(device=BOARD.device)]) is None


def test_a_device_without_a_serial_number_that_moved_is_the_only_one_of_its_make():
    before = BOARD._replace(serial_number=None)
    moved = before._replace(device="/dev/ttyACM3")
    assert find_again(before, [MODEM, BARE, moved]) == moved
    assert find_again(before, [moved, before]) == before
    assert find_again(before, [moved, moved._replace(device="/dev/ttyACM4")]) is None
    assert find_again(before, [OTHER_BOARD]) is None
