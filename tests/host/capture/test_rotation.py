"""A capture in parts: full ones end with a line, no byte is lost or doubled, and the readers take them as one."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.capture import Capture, Rotation, Sync, sent_path, times_path
from host_tools.capture import files as room
from host_tools.capture.names import captures
from host_tools.capture.options import rotation
from host_tools.errors import UserError

OPENED = datetime(2026, 11, 30, 12, 0, 0, tzinfo=timezone.utc)
NAME = "20261130T120000Z"


PIECES = st.lists(st.binary(min_size=1, max_size=40) | st.just(b"line\n"), max_size=20)


def parts(folder):
    return sorted(folder.glob("*.log"))


def capture_of(folder, pieces, *policies):
    """Pieces that came a second apart."""
    with Capture(folder, OPENED, *policies) as capture:
        for number, piece in enumerate(pieces):
            capture.add(piece, OPENED + timedelta(seconds=number), number)
    return capture


@settings(deadline=None)
@given(PIECES, st.integers(1, 60))
def test_the_parts_in_the_order_of_their_names_are_what_came(no_waiting, tmp_path_factory, pieces, size):
    folder = tmp_path_factory.mktemp("capture")
    capture_of(folder, pieces, Rotation(size_bytes=size))
    logs = parts(folder)
    assert b"".join(log.read_bytes() for log in logs) == b"".join(pieces)
    assert all(log.read_bytes().endswith(b"\n") for log in logs[:-1]), "a part ends with a line"
    assert all(log.read_bytes() for log in logs[1:]), "no part is made before there is something for it"


@settings(deadline=None)
@given(PIECES, st.integers(1, 60))
def test_each_byte_of_each_part_has_the_time_of_its_read(no_waiting, tmp_path_factory, pieces, size):
    folder = tmp_path_factory.mktemp("capture")
    capture_of(folder, pieces, Rotation(size_bytes=size))
    seconds = []
    for log in parts(folder):
        rows = [row.split(",") for row in times_path(log).read_text().splitlines()[1:]]
        offsets = [int(offset) for offset, _ in rows] + [log.stat().st_size]
        assert offsets[0] == 0
        for (_, at), first, end in zip(rows, offsets[:-1], offsets[1:], strict=True):
            seconds += [(datetime.fromisoformat(at) - OPENED).seconds] * (end - first)
    assert seconds == [number for number, piece in enumerate(pieces) for _ in piece]


def test_a_full_part_goes_on_to_the_end_of_its_line_and_no_further(tmp_path):
    capture_of(tmp_path, [b"0123456789", b"abc", b"def\nghi\n", b"jkl\n"], Rotation(size_bytes=10))
    assert [log.read_bytes() for log in parts(tmp_path)] == [b"0123456789abcdef\n", b"ghi\njkl\n"]
    assert [log.name for log in parts(tmp_path)] == [f"{NAME}.00001.log", f"{NAME}.00002.log"]


def test_a_part_that_is_old_enough_is_followed_by_another(tmp_path):
    capture_of(tmp_path, [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"], Rotation(after_s=2))
    assert [log.read_bytes() for log in parts(tmp_path)] == [b"0\n1\n", b"2\n3\n", b"4\n"]


def test_noise_without_a_line_end_does_not_grow_a_part_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "LONGEST_TAIL", 100)
    capture_of(tmp_path, [b"\xff" * 30] * 10, Rotation(size_bytes=50))
    assert [log.stat().st_size for log in parts(tmp_path)] == [120, 120, 60]


def test_what_is_sent_lies_beside_the_part_that_was_open(tmp_path):
    with Capture(tmp_path, OPENED, Rotation(size_bytes=1)) as capture:
        capture.add(b"1\n", OPENED, 0)
        capture.sent(b"one")
        capture.add(b"2\n", OPENED, 1)
        capture.sent(b"two")
    assert [sent_path(log).read_bytes() for log in parts(tmp_path)] == [b"one", b"two"]


@pytest.mark.parametrize(
    ("policy", "synced"), [(Sync.READ, [3, 6, 9, 12]), (Sync.SECOND, [3, 3, 6, 9]), (Sync.CLOSE, [0, 0, 0, 3])]
)
def test_it_is_put_on_the_disk_when_the_policy_says_so(tmp_path, monkeypatch, policy, synced):
    calls, counts = [], []
    monkeypatch.setattr(room.os, "fsync", calls.append)
    capture = Capture(tmp_path, OPENED, sync=policy)
    for now in (0, 0.5, 1.0):
        capture.add(b"x", OPENED, now)
        counts.append(len(calls))
    capture.close()
    assert [*counts, len(calls)] == synced


def test_a_full_part_is_on_the_disk_before_the_next_is_begun(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(room.os, "fsync", calls.append)
    capture = Capture(tmp_path, OPENED, Rotation(size_bytes=1), Sync.CLOSE)
    capture.add(b"1\n", OPENED, 0)
    assert calls == []
    capture.add(b"2\n", OPENED, 1)
    assert len(calls) == 3
    capture.close()


def test_a_part_that_cannot_be_begun_is_told_and_what_came_before_is_whole(tmp_path):
    capture = Capture(tmp_path, OPENED, Rotation(size_bytes=1))
    (tmp_path / f"{NAME}.00002.log").mkdir()
    capture.add(b"1\n", OPENED, 0)
    with pytest.raises(UserError, match="No capture file can be made"):
        capture.add(b"2\n", OPENED, 1)
    capture.close()
    assert (tmp_path / f"{NAME}.00001.log").read_bytes() == b"1\n"


def test_a_capture_names_its_logs_for_the_command_line(tmp_path):
    assert capture_of(tmp_path / "one", [b"1\n"]).logs == str(tmp_path / "one" / f"{NAME}.00001.log")
    many = capture_of(tmp_path / "two", [b"1\n", b"2\n"], Rotation(size_bytes=1))
    assert many.logs == str(tmp_path / "two" / f"{NAME}.*.log")


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        (["a.00001.log", "a.00002.log"], [["a.00001.log", "a.00002.log"]]),
        (["a.00002.log", "a.00001.log"], [["a.00001.log", "a.00002.log"]]),
        (["a.00001.log", "a.00003.log"], [["a.00001.log"], ["a.00003.log"]]),
        (["b.00001.log", "a.00001.log", "b.00002.log"], [["b.00001.log", "b.00002.log"], ["a.00001.log"]]),
        (["x/a.00001.log", "y/a.00002.log"], [["x/a.00001.log"], ["y/a.00002.log"]]),
        (["b.log", "a.log", "b.log"], [["b.log"], ["a.log"], ["b.log"]]),
        (["a.99999.log", "a.100000.log"], [["a.99999.log", "a.100000.log"]]),
    ],
)
def test_parts_are_one_capture_while_none_between_them_is_missing(given_, found):
    assert captures([Path(name) for name in given_]) == [[Path(name) for name in group] for group in found]


def test_sizes_are_in_megabytes_and_times_in_hours():
    assert rotation(1.5, 0.5) == (1_500_000, 1800)
    assert rotation(None, None) == (None, None)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_rotation_at_nothing_is_refused(value):
    with pytest.raises(UserError, match=r"--rotate-size .* give a number above 0"):
        rotation(value, None)
    with pytest.raises(UserError, match=r"--rotate-time .* give a number above 0"):
        rotation(None, value)
