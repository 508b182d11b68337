"""The capture keeps every byte, and what it cannot keep it says."""

import sys
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.capture import Capture, sent_path
from host_tools.capture import files as room
from host_tools.errors import UserError
from tests.host.unprivileged import folder_for_all, not_as_root

OPENED = datetime(2026, 11, 30, 12, 0, 0, tzinfo=timezone.utc)


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8))
def test_the_log_is_what_was_added_and_each_offset_is_where_it_began(no_waiting, tmp_path_factory, pieces):
    folder = tmp_path_factory.mktemp("capture")
    with Capture(folder, OPENED) as capture:
        for number, piece in enumerate(pieces):
            capture.add(piece, OPENED + timedelta(seconds=number), number)
    assert (folder / "20261130T120000Z.00001.log").read_bytes() == b"".join(pieces)
    rows = [line.split(",") for line in (folder / "20261130T120000Z.00001.times.csv").read_text().splitlines()[1:]]
    assert [int(offset) for offset, _ in rows] == [len(b"".join(pieces[:n])) for n in range(len(pieces))]
    assert [datetime.fromisoformat(at) for _, at in rows] == [OPENED + timedelta(seconds=n) for n in range(len(pieces))]


def test_what_was_added_can_be_read_by_others_at_once(tmp_path):
    with Capture(tmp_path, OPENED) as capture:
        capture.add(b"abc", OPENED, 0)
        assert capture.log_path.read_bytes() == b"abc"


def test_what_was_sent_stands_in_a_file_of_its_own(tmp_path):
    with Capture(tmp_path, OPENED) as capture:
        capture.add(b"from the board", OPENED, 0)
        capture.sent(b"to ")
        capture.sent(b"the board")
        assert sent_path(capture.log_path).read_bytes() == b"to the board"
        assert capture.log_path.read_bytes() == b"from the board"


def test_it_is_put_on_the_disk_once_a_second_and_at_the_end(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(room.os, "fsync", synced.append)
    capture = Capture(tmp_path, OPENED)
    counts = []
    for now in (0, 0.5, 0.9, 1.0, 1.5):
        capture.add(b"x", OPENED, now)
        counts.append(len(synced))
    assert counts == [3, 3, 3, 6, 6]
    capture.close()
    assert len(synced) == 9


def test_two_captures_of_one_second_do_not_share_a_file(tmp_path):
    with Capture(tmp_path, OPENED) as first, Capture(tmp_path, OPENED) as second:
        second.add(b"2", OPENED, 0)
        assert first.log_path != second.log_path
        assert first.log_path.read_bytes() == b""


@pytest.mark.parametrize("left", ["00001.times.csv", "00002.log"])
def test_a_name_of_which_anything_is_left_is_not_taken_again(tmp_path, left):
    """The clock was set back, and somebody took the first log away."""
    (tmp_path / f"20261130T120000Z.{left}").touch()
    with Capture(tmp_path, OPENED) as capture:
        assert capture.log_path.name == "20261130T120000Z_2.00001.log"


@pytest.mark.skipif(sys.platform == "win32", reason="users and modes of POSIX")
@pytest.mark.parametrize("mode", [0o444, 0o555, 0o000])
def test_a_folder_that_one_may_not_look_into_is_told(mode):
    with folder_for_all() as folder:
        (folder / "out").mkdir()
        (folder / "out").chmod(mode)
        with not_as_root(), pytest.raises(UserError, match=r"Permission denied.*choose another place with --out"):
            Capture(folder / "out", OPENED)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="choose another place with --out"):
        Capture(tmp_path / "file" / "out", OPENED)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_a_log_that_somebody_deletes_is_told_within_a_second(tmp_path):
    capture = Capture(tmp_path, OPENED)
    capture.add(b"a", OPENED, 0)
    capture.log_path.rename(tmp_path / "moved.log")  # it is still kept
    capture.add(b"b", OPENED, 1)
    (tmp_path / "moved.log").unlink()
    with pytest.raises(UserError, match="was deleted while it was written"):
        capture.add(b"c", OPENED, 2)
    with pytest.raises(UserError, match="was deleted"):
        capture.close()
    assert capture._log.closed and capture._times.closed and capture._sent.closed


def test_a_full_disk_is_told_and_ends_the_run(tmp_path):
    with Capture(tmp_path, OPENED) as capture, open("/dev/full", "wb", buffering=0) as full:
        capture._log, kept = full, capture._log
        with pytest.raises(UserError, match="No space left on device"):
            capture.add(b"x", OPENED, 0)
        capture._log = kept


def test_a_disk_that_fails_at_the_end_is_told_and_the_files_are_closed(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    capture = Capture(tmp_path, OPENED)
    monkeypatch.setattr(room.os, "fsync", full)
    with pytest.raises(UserError, match=r"cannot be written \(No space left on device\)"):
        capture.close()
    assert capture._log.closed and capture._times.closed and capture._sent.closed
