"""What verify calls each kind of damage, and which record it names: the first that is not as the board wrote it."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tumbler.core import mac

from host_tools.capture.names import captures
from host_tools.errors import UserError
from host_tools.verify.logs import audit_logs
from tests.host.link.fake_board import DEV, KEY
from tests.host.verify.recording import OTHER, Recording, recording


def plain(dev=DEV, dice=(1, 3, 6)):
    """Eight rounds, nothing sent again."""
    made = Recording(dev).start()
    for number in range(1, 9):
        made.play(number, dice)
    return made


WHOLE, PLAIN, OTHER_DICE, OTHER_DEV = recording(), plain(), plain(dice=(5, 5, 5)), plain(OTHER)
LAST = len(WHOLE.board.lines)


def audit(tmp_path, *logs, key=KEY):
    paths = []
    for number, log in enumerate(logs):
        paths.append(tmp_path / f"{number}.log")
        paths[-1].write_bytes(log if isinstance(log, bytes) else b"".join(log))
    made = audit_logs(captures(paths), lambda dev: key, lambda count: None)
    made.end()
    return made


def found(tmp_path, *logs, **kwargs):
    """(kind, seq, line) of the first damage; None when there is none."""
    damage = audit(tmp_path, *logs, **kwargs).first_damage()
    return damage and (damage.kind, damage.seq, damage.place.line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


def test_a_whole_log_with_two_starts_and_records_sent_again_is_whole(tmp_path):
    made = audit(tmp_path, WHOLE.lines)
    board = made.boards[DEV]
    assert made.first_damage() is None
    assert (board.records, board.first.seq, board.last_seq, board.boots) == (LAST, 1, LAST, {1, 2})
    assert (board.again, board.meters) == (12, 8)


seqs = st.integers(2, LAST - 1)


@settings(deadline=None)
@given(seqs, st.data())
def test_a_record_that_is_not_whole_any_more_is_edited(folder, seq, data):
    lines = list(WHOLE.lines)
    for index in [index for index, line in enumerate(lines) if line == WHOLE.board.lines[seq - 1]]:
        line = bytearray(lines[index])
        line[data.draw(st.integers(0, len(line) - 2))] ^= data.draw(st.integers(1, 255))
        assume(b"\n" not in line[:-1])
        lines[index] = bytes(line)
    assert found(folder, lines) == ("edited", seq, WHOLE.at(seq) + 1)


@settings(deadline=None)
@given(st.integers(2, LAST - 1))
def test_a_record_whose_crc_was_made_right_again_is_edited(folder, seq):
    lines = list(WHOLE.lines)
    for index in [index for index, line in enumerate(lines) if line == WHOLE.board.lines[seq - 1]]:
        old = b'"t":%d' % WHOLE.board.t_ms
        lines[index] = WHOLE.sealed_again(lines[index], old, b'"t":7')
    assert found(folder, lines) == ("edited", seq, WHOLE.at(seq) + 1)


@settings(deadline=None)
@given(seqs)
def test_a_record_that_is_nowhere_was_dropped(folder, seq):
    true = WHOLE.board.lines[seq - 1]
    lines = [line for line in WHOLE.lines if line != true]
    after = lines.index(WHOLE.board.lines[seq])
    assert found(folder, lines) == ("dropped", seq, after + 1)


@settings(deadline=None)
@given(st.integers(3, LAST - 2), st.integers(3, LAST - 2))
def test_a_record_that_stands_elsewhere_is_re_ordered(folder, seq, other):
    """Moved towards the end, the record behind it stands first in a wrong place; moved towards the start, it does."""
    made = PLAIN
    if abs(seq - other) < 1:
        return
    lines = list(made.lines)
    lines.insert(made.at(other), lines.pop(made.at(seq)))
    wrong = seq if other < seq else seq + 1
    assert found(folder, lines) == ("re-ordered", wrong, lines.index(made.board.lines[wrong - 1]) + 1)


@settings(deadline=None)
@given(st.integers(14, LAST - 1), st.data())
def test_a_record_that_a_board_cannot_send_again_is_replayed(folder, seq, data):
    """Behind 4 to 9 and 6 to 11, sent again, nothing below 6 comes any more until the board is asked."""
    made = PLAIN
    lines = list(made.lines)
    old = data.draw(st.integers(2, seq - 3))
    at = made.at(seq)
    lines[at:at] = made.board.lines[seq - 2 : seq - 1] + made.board.lines[old - 1 : old]
    assert found(folder, lines) == ("replayed", old, at + 2)


@settings(deadline=None)
@given(seqs, st.integers(2, LAST - 1))
def test_a_record_of_another_board_is_spliced_in(folder, seq, other_seq):
    lines = list(WHOLE.lines)
    lines[WHOLE.at(seq)] = OTHER_DEV.board.lines[other_seq - 1]
    damage = audit(folder, lines).first_damage()
    assert (damage.kind, damage.dev, damage.seq) == ("spliced", OTHER, other_seq)
    assert damage.place.line == WHOLE.at(seq) + 1


@settings(deadline=None)
@given(st.integers(8, LAST - 1))
def test_a_record_of_this_board_from_another_log_is_spliced_in(folder, seq):
    """Of a board that was set back and wrote something else under the same numbers."""
    lines = list(PLAIN.lines)
    lines.insert(PLAIN.at(seq), OTHER_DICE.board.lines[seq - 1])
    assert found(folder, lines) == ("spliced", seq, PLAIN.at(seq) + 1)


def test_a_log_that_goes_on_as_another_does_is_named_by_its_first_strange_record(tmp_path):
    cut, join = PLAIN.at(20), OTHER_DICE.at(20)
    assert found(tmp_path, PLAIN.lines[:cut] + OTHER_DICE.lines[join:]) == ("edited", 20, cut + 1)


def test_a_log_whose_older_part_is_appended_is_replayed(tmp_path):
    assert found(tmp_path, WHOLE.lines, WHOLE.lines)[0] == "replayed"


def test_a_hello_that_came_before_another_one_is_replayed(tmp_path):
    made = Recording().start()
    made.asked()
    made.asked()
    assert found(tmp_path, made.lines) is None
    assert found(tmp_path, [*made.lines, made.lines[2]]) == ("replayed", 1, 5)


def test_a_record_that_stands_in_its_place_and_before_it_too_is_re_ordered(tmp_path):
    lines = list(PLAIN.lines)
    at = PLAIN.at(20)
    lines.insert(at, PLAIN.board.lines[29])
    assert found(tmp_path, lines) == ("re-ordered", 30, at + 1)


def test_logs_of_one_board_in_their_order_are_one(tmp_path):
    cut = WHOLE.at(15)
    made = audit(tmp_path, WHOLE.lines[:cut], WHOLE.lines[cut:])
    assert made.first_damage() is None and made.boards[DEV].records == LAST


def test_a_tail_that_was_acked_and_is_not_there_is_cut(tmp_path):
    """The last hello tells that all was acked; the records before it were taken away."""
    lines = [line for line in WHOLE.lines if line not in WHOLE.board.lines[-3:]]
    assert found(tmp_path, lines) == ("cut", LAST - 2, len(lines))


def test_a_tail_that_the_host_acked_by_what_it_sent_is_cut(tmp_path):
    from tumbler.core import ledger

    made = Recording().start()
    made.play(1)
    made.play(2)
    host_key = mac.host_key(KEY)
    nonce = made.board.nonce
    sent = [
        ledger.encode_command("ack", nonce, n, (1, seq, made.board.macs[seq - 1].hex()), host_key)
        for n, seq in enumerate((3, 12), 1)
    ]
    (tmp_path / "0.sent").write_bytes(b"".join(sent))
    assert found(tmp_path, made.lines) is None
    assert found(tmp_path, made.lines[: made.at(9)]) == ("cut", 9, 2)
    forged = sent[0] + ledger.encode_command("ack", nonce, 2, (1, 500, "0" * 32), mac.host_key(bytes(32)))
    (tmp_path / "0.sent").write_bytes(forged)
    assert found(tmp_path, made.lines) is None


def test_a_log_that_begins_in_the_midst_of_what_is_sent_again_is_whole(tmp_path):
    made = recording()
    lines = made.board.lines[6:13] + made.board.lines[2:13] + made.lines[made.at(14) :]
    board = audit(tmp_path, lines).boards[DEV]
    assert board.damage is None and (board.first.seq, board.last_seq) == (3, LAST)


def test_a_second_log_may_begin_in_the_midst_of_what_is_sent_again(tmp_path):
    """A run was killed: what the board sent meanwhile is lost and comes again."""
    cut = PLAIN.at(15)
    second = PLAIN.board.lines[18:21] + PLAIN.board.lines[12:21] + PLAIN.lines[PLAIN.at(22) :]
    made = audit(tmp_path, PLAIN.lines[:cut], second)
    assert made.first_damage() is None and made.boards[DEV].last_seq == len(PLAIN.board.lines)


def test_where_a_second_log_begins_the_board_does_not_begin_anew(tmp_path):
    """It opens in the midst of what is sent again, and only then comes the oldest record."""
    cut = PLAIN.at(22)
    second = PLAIN.board.lines[18:21] + PLAIN.board.lines[12:21] + PLAIN.lines[cut:]
    assert found(tmp_path, PLAIN.lines[:cut], second) is None


def test_a_port_that_came_back_may_go_on_in_the_midst_of_what_is_sent_again(tmp_path):
    """The host asks at the first line, so a hello follows, before the record that is next."""
    made = Recording().start().play(1).play(2)
    lines = made.lines[: made.at(5)] + made.board.lines[7:9]
    made.asked()
    lines += [made.lines[-1], *made.board.lines[9:], *made.board.lines[4:]]
    assert found(tmp_path, lines) is None


def test_what_was_lost_on_the_line_and_sent_again_is_no_damage(tmp_path):
    made = recording()
    at = made.at(5)
    lines = list(made.lines)
    lines[at] = lines[at][:40] + b"\xff" + lines[at][41:]
    before = made.at(8)
    lines[before:before] = made.board.lines[3:7]
    read = audit(tmp_path, lines)
    assert read.first_damage() is None and read.bad_lines == 1


def test_noise_between_lines_is_counted_and_no_damage(tmp_path):
    lines = list(WHOLE.lines)
    lines[5:5] = [b"MicroPython v1.28.0\r\n", b"\x00\x01>>> \n"]
    made = audit(tmp_path, lines)
    assert made.first_damage() is None and made.noise_bytes > 20


def test_totals_that_disagree_are_named_with_the_meter(tmp_path):
    made = Recording().start()
    made.play(1)
    made.results += 1
    made.play(2)
    assert found(tmp_path, made.lines) == ("totals", 13, made.at(13) + 1)


def test_another_key_is_told_as_one_that_may_be_wrong(tmp_path):
    damage = audit(tmp_path, WHOLE.lines, key=bytes(32)).first_damage()
    assert damage.seq == 1 and "or the key is not this board's" in damage.why


def test_the_first_damage_of_several_is_named(tmp_path):
    lines = list(WHOLE.lines)
    for seq in (20, 33, 40):
        lines.remove(WHOLE.board.lines[seq - 1])
    assert found(tmp_path, lines)[:2] == ("dropped", 20)


@pytest.mark.parametrize("hello_first", [True, False])
def test_the_first_record_of_a_log_is_edited_when_its_line_is_not_whole(tmp_path, hello_first):
    lines = list(PLAIN.lines)
    where = PLAIN.at(1)
    lines[where] = lines[where].replace(b"power", b"pover")
    if hello_first:
        lines[where], lines[where + 1] = lines[where + 1], lines[where]
    assert found(tmp_path, lines) == ("edited", 1, where + 1 + hello_first)
    assert found(tmp_path, [*lines[:4], PLAIN.lines[where], *PLAIN.lines[2:4], *lines[4:]]) is None


def test_a_log_of_broken_lines_alone_cannot_be_judged(tmp_path):
    with pytest.raises(UserError, match="no ledger line that is whole"):
        audit(tmp_path, [line.replace(b'"crc":"', b'"crc":"X') for line in PLAIN.lines])
