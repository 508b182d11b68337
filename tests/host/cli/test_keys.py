"""Where keys are kept, which are refused, and that none is ever shown."""

import os
import stat
from pathlib import Path

import pytest

from host_tools import keys
from host_tools.errors import UserError

DEV = "e6614c31d3b8a52f-9c1e"
SECRET = bytes(range(100, 132))


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


def key_file(tmp_path, text, mode=0o600):
    path = tmp_path / "given.key"
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("dev", ["sim-0000000000a1-9c1e", "emu-0000000000a1-9c1e"])
def test_boards_that_are_not_for_play_use_the_published_key(dev):
    assert keys.board_key(dev) == bytes.fromhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")


def test_an_installed_key_is_found_private_and_whole(tmp_path, config):
    path = keys.install_key(DEV, key_file(tmp_path, SECRET.hex() + "\n"))
    assert path == config / "tumbler" / "keys" / f"{DEV}.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert keys.board_key(DEV) == SECRET
    assert os.listdir(path.parent) == [f"{DEV}.key"]


@pytest.mark.skipif(os.name != "posix", reason="folders are put on the disk on POSIX")
def test_a_key_that_is_kept_is_on_the_disk_with_its_name(config, monkeypatch):
    """Before a board has it: a power cut of the host must not leave a board whose key nobody has."""
    done = []
    replace, fsync = os.replace, os.fsync
    monkeypatch.setattr(os, "replace", lambda *paths: (replace(*paths), done.append("named")))
    monkeypatch.setattr(os, "fsync", lambda handle: (fsync(handle), done.append(os.fstat(handle).st_ino)))
    path = keys.keep_new_key(DEV, SECRET)
    assert done == [path.stat().st_ino, "named", path.parent.stat().st_ino]


def test_without_xdg_it_is_below_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys.key_path(DEV) == tmp_path / ".config" / "tumbler" / "keys" / f"{DEV}.key"


def test_a_board_without_a_key_is_told_how_to_get_one():
    with pytest.raises(UserError, match=f"tumbler enrol {DEV} --table NAME --key FILE"):
        keys.board_key(DEV)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o666])
def test_a_key_that_others_may_read_is_refused(tmp_path, mode):
    with pytest.raises(UserError, match="chmod 600"):
        keys.install_key(DEV, key_file(tmp_path, SECRET.hex(), mode))


@pytest.mark.parametrize("text", ["", SECRET.hex()[:-2], SECRET.hex() + "00", "zz" * 32, SECRET.hex() + "\n\nx"])
def test_what_is_no_key_is_refused_without_showing_it(tmp_path, text):
    with pytest.raises(UserError) as error:
        keys.install_key(DEV, key_file(tmp_path, text))
    assert "64 hex digits" in str(error.value)
    assert not text or text not in str(error.value)
    assert not keys.key_path(DEV).exists()


def test_another_key_for_the_same_board_is_refused_and_the_first_stays(tmp_path):
    keys.install_key(DEV, key_file(tmp_path, SECRET.hex()))
    keys.install_key(DEV, key_file(tmp_path, SECRET.hex().upper()))
    with pytest.raises(UserError, match="another key"):
        keys.install_key(DEV, key_file(tmp_path, bytes(32).hex()))
    assert keys.board_key(DEV) == SECRET


def test_a_key_for_a_board_that_is_not_for_play_is_refused(tmp_path):
    with pytest.raises(UserError, match="published test key"):
        keys.install_key("sim-0000000000a1-9c1e", key_file(tmp_path, SECRET.hex()))


@pytest.mark.parametrize("dev", ["", "../../etc/passwd", "UPPER-CASE", "short", "x" * 22, "e6614c31d3b8a52f-9c1e\n"])
def test_a_dev_that_is_none_never_becomes_a_file_name(dev):
    with pytest.raises(UserError, match="is not the dev of a board"):
        keys.board_key(dev)


@pytest.mark.parametrize("source", ["/dev/zero", "pipe", "."])
def test_what_is_no_file_is_not_read_nor_waited_for(tmp_path, config, source):
    os.mkfifo(tmp_path / "pipe", 0o600)
    given = tmp_path / source  # an absolute one stays itself
    with pytest.raises(UserError, match="is not a file"):
        keys.install_key(DEV, given)
    keys.key_path(DEV).parent.mkdir(parents=True)
    keys.key_path(DEV).symlink_to(given)
    with pytest.raises(UserError, match="is not a file"):
        keys.board_key(DEV)


def test_no_more_of_a_file_is_read_than_a_key_has(tmp_path):
    large = key_file(tmp_path, SECRET.hex())
    os.truncate(large, 1 << 40)  # holds nothing, and no memory takes it
    with pytest.raises(UserError, match="is larger than a key"):
        keys.install_key(DEV, large)


def test_a_folder_of_keys_that_may_not_be_looked_into_is_told(monkeypatch):
    def refused(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refused)  # root may look everywhere
    with pytest.raises(UserError, match=r"cannot be read \(Permission denied\)"):
        keys.board_key(DEV)


def test_without_any_home_folder_it_is_told(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(UserError, match="set HOME"):
        keys.board_key(DEV)


def test_a_folder_that_takes_no_file_is_told(tmp_path, config):
    config.write_text("not a folder")
    with pytest.raises(UserError, match="cannot be written"):
        keys.install_key(DEV, key_file(tmp_path, SECRET.hex()))
