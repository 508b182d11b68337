"""A file that is written as a whole takes the place of a file alone."""

import os
import stat

import pytest

from host_tools.whole_file import write_whole


def test_a_device_or_pipe_that_is_named_is_refused_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a file"):
        write_whole(pipe, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode) and list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_a_link_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "link").symlink_to("old")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "old").read_bytes() == b"new"
