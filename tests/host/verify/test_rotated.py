"""A capture in several files is audited as the one stream that it was."""

import pytest
from tumbler.core import ledger, mac
from typer.testing import CliRunner

from host_tools.commands import app
from tests.host.capture.parts import in_parts
from tests.host.link.fake_board import KEY
from tests.host.verify.recording import OTHER, Recording, recording


def verify(*args):
    done = CliRunner().invoke(app, ["verify", *(str(arg) for arg in args)])
    return done.exit_code, done.output


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "whole.log").write_bytes(recording().log)
    return in_parts(tmp_path / "whole.log", tmp_path / "out", 2000)


def test_the_parts_of_a_log_are_whole_in_whatever_order_they_are_named(parts):
    assert len(parts) > 4
    for given in (parts, parts[::-1]):
        code, said = verify(*given)
        assert code == 0
        assert "50 records, seq 1 to 50, 2 starts, 12 sent again, 8 meters compared: whole" in said


def test_a_part_that_is_left_out_is_found(parts):
    code, said = verify(*parts[:2], *parts[3:])
    assert code == 1 and "is dropped" in said


def test_a_part_without_a_whole_line_is_no_fault_of_its_capture(parts):
    last = parts[-1]
    (last.parent / last.name.replace(f"{len(parts):05d}", f"{len(parts) + 1:05d}")).write_bytes(b">>> \xff")
    code, said = verify(*sorted(last.parent.glob("*.log")))
    assert code == 0 and "50 records" in said


def test_a_line_that_was_split_between_two_parts_is_read_whole(tmp_path):
    log = Recording().start().play(1).log
    (tmp_path / "a.00001.log").write_bytes(log[:500])
    (tmp_path / "a.00002.log").write_bytes(log[500:])
    code, said = verify(tmp_path / "a.00001.log", tmp_path / "a.00002.log")
    assert code == 0 and "7 records" in said and "broken" not in said


def test_of_the_damage_of_two_boards_that_in_the_earlier_part_is_named(tmp_path):
    """It stands further down in its file than the other in the next."""
    one, other = Recording().start().play(1), Recording(OTHER).start().play(1)
    start, at = one.at(3), other.at(3)
    for made in (one, other):
        made.lines[at] = made.sealed_again(made.lines[at], b'"t":1000', b'"t":1001')
    parts = [tmp_path / "a.00001.log", tmp_path / "a.00002.log"]
    parts[0].write_bytes(b"".join(one.lines[:start] + other.lines))
    parts[1].write_bytes(b"".join(one.lines[start:]))
    code, said = verify(*parts)
    assert code == 1
    assert f"{parts[0]}:{start + at + 1}: record 1:3 of board {OTHER} is edited" in said


def test_a_tail_that_was_acked_by_what_was_sent_in_the_last_part_is_cut(tmp_path):
    made = Recording().start().play(1).play(2)
    (tmp_path / "whole.log").write_bytes(made.log[: made.log.index(made.board.lines[-2])])
    last = (1, made.board.next_seq - 1, made.board.macs[-1].hex())
    mid = (1, 3, made.board.macs[2].hex())
    acks = [
        ledger.encode_command("ack", made.board.nonce, n, ack, mac.host_key(KEY)) for n, ack in enumerate((mid, last))
    ]
    (tmp_path / "whole.sent").write_bytes(b"".join(acks))
    parts = in_parts(tmp_path / "whole.log", tmp_path / "out", 900)
    assert len(parts) > 2
    code, said = verify(*parts)
    assert code == 1 and "record 12 of board" in said and "is cut" in said
