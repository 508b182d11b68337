"""`tumbler doctor`: what boards say when they are only listened to, and what is wrong with what is here."""

import json
import os
import subprocess
import sys
import tty
from importlib import metadata

import pytest

from host_tools.doctor import holders, installed, ports
from host_tools.link.ports import PortInfo
from tests.host.flash.standin import BANNER, StandIn, new_flash
from tests.host.rig.pty_rig import TABLE, PtyRig

PICO = (0x2E8A, 0x0005)


@pytest.fixture
def board(micropython, tmp_path, monkeypatch):
    """A board that was never used: MicroPython's prompt."""
    monkeypatch.setattr(ports, "LISTEN_S", 0.6)
    boards = []

    def plug(files=None, **settings):
        boards.append(StandIn(new_flash(tmp_path / "flash.bin", files), **settings))
        return boards[-1]

    yield plug
    for one in boards:
        one.stop()


@pytest.fixture
def hears():
    """A pty that says nothing by itself, and what was sent to it."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


def sent(master):
    try:
        return os.read(master, 4096)
    except BlockingIOError:
        return b""


def at(path, asked=True):
    return ports.look_at(PortInfo(path, "Board in FS mode", "e6614c31d3b8a52f", PICO), asked)


def test_a_board_that_plays_is_told_by_its_lines_and_nothing_is_sent_to_it(hears, monkeypatch):
    monkeypatch.setattr(ports, "HELLO_S", 0.1)
    master, path = hears
    os.write(
        master,
        b'noise\r\n{"sb":1,"dev":"sim-0000000000a1-9c1e","boot":12,"t":81234000,"kind":"hello","fw":"0123456789abcdef",'
        b'"mpy":"1.28.0","board":"pico","mode":"production","nonce":"e5b9a8676dd097b3","next":3493,"unacked":12,'
        b'"free_rounds":20,"crc":"10CF00D9"}\n',
    )
    found = at(path)
    assert "plays: dev sim-0000000000a1-9c1e, boot 12, fw 0123456789abcdef, mpy 1.28.0, board pico" in found.says
    assert "mode production" in found.says and found.wrong == "" and sent(master) == b""


def test_a_board_of_which_only_a_status_is_heard_is_left_in_peace_too(hears, monkeypatch):
    monkeypatch.setattr(ports, "HELLO_S", 0.1)
    master, path = hears
    os.write(
        master,
        b'{"sb":1,"dev":"sim-0000000000a1-9c1e","boot":12,"t":81234000,"kind":"status","next":3484,"state":"BETTING",'
        b'"round":1,"crc":"E74E4CB5"}\n',
    )
    found = at(path)
    assert "state BETTING" in found.says and "at its next start" in found.says and sent(master) == b""


def test_a_rig_is_known_and_not_called_wrong(monkeypatch):
    monkeypatch.setattr(ports, "LISTEN_S", 0.1)
    monkeypatch.setattr(ports, "PROMPT_S", 0.3)
    rig = PtyRig({"table": TABLE, "micropython": "1.25.0"})
    try:
        found = at(rig.path)
    finally:
        rig.unplug()
    assert "a rig" in found.says and found.wrong == "" and rig.history == []


def test_a_silent_one_is_asked_for_its_banner_alone(hears, monkeypatch):
    monkeypatch.setattr(ports, "LISTEN_S", 0.1)
    monkeypatch.setattr(ports, "PROMPT_S", 0.1)
    master, path = hears
    found = at(path)
    assert sent(master) == b"\x02\n"  # no Ctrl-C
    assert found.says.endswith("silent") and "maintenance jumper" in found.wrong and "BOOTSEL" in found.wrong


def test_a_new_board_says_its_micropython_at_the_prompt(board):
    found = at(board().path)
    assert "at the prompt: MicroPython 1.25.0, Raspberry Pi Pico with RP2040" in found.says and found.wrong == ""


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [(b"v1.25.0", b"v1.24.1", "1.24 is too old"), (b"Raspberry Pi Pico", b"Tiny 2040", "No board file")],
)
def test_a_micropython_that_does_not_fit_is_wrong(old, new, wrong, hears, monkeypatch):
    monkeypatch.setattr(ports, "LISTEN_S", 0.0)
    os.write(hears[0], BANNER.replace(old, new))
    found = at(hears[1])
    assert wrong in found.wrong


def test_a_banner_cannot_steer_the_terminal_that_shows_it(hears, monkeypatch, tumbler):
    monkeypatch.setattr(ports, "LISTEN_S", 0.0)
    monkeypatch.setattr("host_tools.link.ports.list_ports.comports", list)
    os.write(hears[0], BANNER.replace(b"Raspberry Pi Pico", b"\x1b[2J\x1b]0;title\x07"))
    _, out, err = tumbler("doctor", "--port", hears[1])
    assert r"\x1b[2J\x1b]0;title\x07" in out and r"\x1b[2J" in err and "\x1b" not in out + err


def test_other_ports_are_listed_and_not_opened(hears):
    other = PortInfo(hears[1], "CP2102 USB to UART", "0001", (0x10C4, 0xEA60))
    found = ports.look_at(other, asked=False)
    assert found.says == "USB 10c4:ea60, serial number 0001, CP2102 USB to UART" and found.wrong == ""
    assert sent(hears[0]) == b""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_whoever_has_a_port_open_is_named_and_the_port_left_alone(hears):
    code = "import sys, time\nf = open(sys.argv[1])\nprint('open', flush=True)\nsys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", code, hears[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "open\n"
    named = holders.holders(hears[1])
    found = at(hears[1])
    other.communicate("")
    assert len(named) == 1 and named[0].startswith(f"process {other.pid} (")
    assert f"in use by process {other.pid}" in found.says and sent(hears[0]) == b""


def test_whoever_has_a_port_open_is_named_without_a_password(tmp_path):
    """A database's URL may hold one, and what the doctor says is put into letters."""
    (tmp_path / "4711" / "fd").mkdir(parents=True)
    (tmp_path / "4711" / "fd" / "3").symlink_to(tmp_path / "tty")
    command = "/opt/venv/bin/python\0/opt/venv/bin/tumbler\0run\0--store\0postgresql://sicbo:p@ss@db/t\0"
    (tmp_path / "4711" / "cmdline").write_text(command)
    (named,) = holders.holders(str(tmp_path / "tty"), tmp_path)
    assert named == "process 4711 (tumbler run --store postgresql://…@db/t)"


def test_a_port_that_one_may_not_open_comes_with_the_udev_rule(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("host_tools.link.port._Serial", refuse)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(ports.os, "access", lambda *_: False)
    (tmp_path / "tty").touch()
    found = at(str(tmp_path / "tty"))
    assert "dialout" in found.wrong and "/etc/udev/rules.d/60-tumbler.rules" in found.wrong
    assert 'ATTRS{idVendor}=="2e8a", ATTRS{idProduct}=="0005", TAG+="uaccess"' in found.wrong


def test_a_board_in_bootsel_mode_is_found_by_its_usb_id(tmp_path):
    for name, vendor, product in (
        ("1-1", "2e8a\n", "0003\n"),
        ("1-2", "2e8a\n", "0005\n"),
        ("usb1", "1d6b\n", "0002\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "idVendor").write_text(vendor)
        (tmp_path / name / "idProduct").write_text(product)
    (found,) = ports.bootsel(tmp_path)
    assert found.what == "USB 1-1" and "RPI-RP2" in found.says
    assert ports.bootsel(tmp_path / "none") == []


def test_packages_are_held_against_their_pins():
    def version(name):
        if name.startswith("gone"):
            raise metadata.PackageNotFoundError
        return "1.0"

    pins = ["fine==1.0", "other==2.0", "gone==1.0", 'gone-here==1.0; sys_platform == "plan9"', 'x==1; extra == "dev"']
    wrong = {finding.what: finding.wrong for finding in installed.packages(pins, version)}
    assert wrong == {
        "fine": "",
        "other": "other is 1.0, and 2.0 is what was tested: run `make setup`.",
        "gone": "gone 1.0 is missing: run `make setup`.",
        "gone-here": "",
    }
    assert installed.python((3, 9)).wrong and not installed.python((3, 10)).wrong


def test_the_command_ends_with_2_where_something_is_wrong_and_0_where_nothing_is(tumbler, monkeypatch, hears):
    monkeypatch.setattr(ports, "LISTEN_S", 0.1)
    monkeypatch.setattr(ports, "PROMPT_S", 0.1)
    monkeypatch.setattr("host_tools.link.ports.list_ports.comports", list)
    code, out, _ = tumbler("doctor")
    assert code == 0 and "ports: none" in out and out.endswith("Nothing is wrong.\n")
    code, out, err = tumbler("doctor", "--port", hears[1])
    assert code == 2 and hears[1] in out and "Wrong: " in err and "jumper" in err
    code, out, _ = tumbler("doctor", "--json", "--port", hears[1])
    assert code == 2 and [row["what"] for row in json.loads(out) if row["wrong"]] == [hears[1]]
