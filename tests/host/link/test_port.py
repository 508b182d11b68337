"""A real pseudo terminal, opened, cut and misused."""

import errno
import os
import termios
import tty

import pytest
import serial

from host_tools.errors import UserError
from host_tools.link.port import LinkLost, Port


@pytest.fixture
def pair():
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for end in (master, slave):
        try:
            os.close(end)
        except OSError:
            continue


def test_bytes_pass_unchanged_both_ways(pair):
    master, device = pair
    port = Port(device)
    every_byte = bytes(range(256))
    os.write(master, every_byte)
    got = port.read()
    while len(got) < 256:
        got += port.read()
    port.write(every_byte)
    assert got == every_byte
    assert os.read(master, 1000) == every_byte
    port.close()


def test_nothing_to_read_is_no_error(pair):
    port = Port(pair[1])
    assert port.read() == b""
    port.close()


def test_what_arrived_before_it_was_opened_is_read(pair):
    os.write(pair[0], b"early")
    port = Port(pair[1])
    got = port.read()
    while len(got) < 5:
        got += port.read()
    assert got == b"early"
    port.close()


def test_a_byte_that_came_before_the_port_died_is_not_lost(pair, monkeypatch):
    def die(*_):
        raise OSError(errno.EIO, "Input/output error")

    port = Port(pair[1])
    os.write(pair[0], b"x")
    monkeypatch.setattr(Port, "_rest", die)
    assert port.read() == b"x"
    port.close()


def test_a_port_that_is_open_elsewhere_is_busy(pair):
    port = Port(pair[1])
    with pytest.raises(UserError, match="is busy: close the other program"):
        Port(pair[1])
    port.close()


def test_a_missing_port_is_told_by_name():
    with pytest.raises(UserError, match="There is no port /dev/nothing-here"):
        Port("/dev/nothing-here")


def test_a_file_is_no_port(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(UserError, match="cannot be opened as a serial port"):
        Port(str(path))


def test_without_permission_the_group_is_named(monkeypatch):
    def refuse(*_, **__):
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr("host_tools.link.port._Serial", refuse)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(UserError, match="dialout"):
        Port("/dev/ttyACM0")


def test_reading_from_a_cut_line_is_link_lost(pair):
    port = Port(pair[1])
    os.close(pair[0])
    with pytest.raises(LinkLost):
        port.read()
    port.close()


def test_writing_to_a_cut_line_is_link_lost(pair):
    port = Port(pair[1])
    os.close(pair[0])
    with pytest.raises(LinkLost):
        port.write(b"x")
    port.close()


def test_reading_and_writing_after_close_is_link_lost(pair):
    port = Port(pair[1])
    port.close()
    for use in (port.read, lambda: port.write(b"x")):
        with pytest.raises(LinkLost):
            use()


def test_a_line_that_takes_no_bytes_is_link_lost(pair, monkeypatch):
    monkeypatch.setattr("host_tools.link.port.WRITE_TIMEOUT_S", 0.01)
    port = Port(pair[1])
    with pytest.raises(LinkLost):
        port.write(bytes(1_000_000))
    port.close()


@pytest.mark.parametrize(
    "death", [serial.SerialException("gone"), OSError(5, "gone"), termios.error(5, "gone"), TypeError("fileno")]
)
@pytest.mark.parametrize("dies", ["read", "in_waiting", "write", "close"])
def test_every_way_to_die_is_link_lost_and_closing_never_fails(pair, monkeypatch, death, dies):
    """pyserial 3.5 raises each of these somewhere when a device is pulled or its port is closed meanwhile."""
    port = Port(pair[1])
    os.write(pair[0], b"x")

    def die(*_):
        raise death

    monkeypatch.setattr(serial.Serial, dies, property(die) if dies == "in_waiting" else die)
    if dies == "close":
        port.close()
        return
    use = {"read": port.read, "in_waiting": port.waiting, "write": lambda: port.write(b"x")}[dies]
    with pytest.raises(LinkLost):
        use()
    monkeypatch.undo()
    port.close()
