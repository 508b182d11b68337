"""The wager file: what is taken, what is refused and in which words, and that nothing else ever comes out."""

import os
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.paytable import BUNDLED_DIR, load
from host_tools.settler.settle import Wager
from host_tools.settler.taisai import KINDS
from host_tools.settler.wagerfile import parse_wager, parse_wagers, read_wagers
from tests.host.unprivileged import folder_for_all, not_as_root

HOIANA = load("hoiana")
KOREA = load("korea_daegu")
HEADER = "wager_id,player,kind,selection,stake"
LAST = "No wager is taken: mend what is named above and give the file again."


def read(tmp_path, content, table=HOIANA):
    path = tmp_path / "w.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_wagers(path, table)


def problems(tmp_path, content, table=HOIANA):
    """The message about each bad row, without the path."""
    with pytest.raises(UserError) as caught:
        read(tmp_path, content, table)
    *rows, last = str(caught.value).split("\n")
    assert last == LAST
    return [row.replace(f"{tmp_path}{os.sep}", "") for row in rows]


def refusal(tmp_path, content):
    """The one sentence about a file that is no wager file at all."""
    with pytest.raises(UserError) as caught:
        read(tmp_path, content)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{tmp_path}{os.sep}", "")


def one(cells):
    return f"{HEADER}\n{cells}\n"


def test_wagers_come_in_file_order_with_stakes_in_cents(tmp_path):
    text = f"{HEADER}\nb,Ann,small,,10.00\na,Ann,combination,6-1,0.5\nc,Bo,total,17,7\nd,Bo,face,2,0.01\n"
    assert read(tmp_path, text) == [
        Wager("b", "Ann", "small", "", 1000),
        Wager("a", "Ann", "combination", "1-6", 50),
        Wager("c", "Bo", "total", "17", 700),
        Wager("d", "Bo", "face", "2", 1),
    ]


def test_every_kind_is_taken_when_the_paytable_covers_it(tmp_path):
    rows = [
        "a,p,three_dice,6-1-3,1",
        "b,p,three_dice,4-3-3,1",
        "c,p,four_numbers,3-4-5-6,1",
        "d,p,odd,,1",
        "e,p,even,,1",
    ]
    assert [(w.kind, w.selection) for w in read(tmp_path, "\n".join([HEADER, *rows]), KOREA)] == [
        ("three_dice", "1-3-6"),
        ("three_dice", "3-3-4"),
        ("four_numbers", "6-5-4-3"),
        ("odd", ""),
        ("even", ""),
    ]


@pytest.mark.parametrize(
    "content",
    [
        f"\ufeff{HEADER}\nw,p,small,,10.00\n",
        f"{HEADER}\r\nw,p,small,,10.00\r\n",
        f"{HEADER}\nw,p,small,,10.00",
        f"{HEADER}\n\nw,p,small,,10.00\n\n,,,,\n",
        f"\n{HEADER}\nw,p,small,,10.00\n",
        f'{HEADER}\n"w","p","small","","10.00"\n',
        f"{HEADER}\n w , p ,small, ,10.00 \n",
        "stake,note,selection,kind,player,wager_id,note\n10.00,x,,small,p,w,y\n",
        "wager_id,player,kind,selection,stake,\nw,p,small,,10.00,\n",
        'wager_id,player,kind,selection,stake,note\nw,p,small,,10.00,"two\nlines, and a ""quote"""\n',
    ],
    ids=[
        "bom",
        "crlf",
        "no last newline",
        "blank lines",
        "blank first",
        "quoted",
        "spaces",
        "order",
        "nameless",
        "note",
    ],
)
def test_forms_of_the_same_file(tmp_path, content):
    assert read(tmp_path, content) == [Wager("w", "p", "small", "", 1000)]


def test_a_name_is_the_same_player_however_its_letters_were_put_together(tmp_path):
    """é as one character, and as an e with an accent behind it, as macOS writes file names."""
    wagers = read(tmp_path, f"{HEADER}\na,Ren\u00e9,small,,10\nb,Rene\u0301,small,,10\n")
    assert [wager.player for wager in wagers] == ["Ren\u00e9", "Ren\u00e9"]
    assert parse_wager(("c", "Rene\u0301", "small", "", "10"), HOIANA).player == "Ren\u00e9"


@pytest.mark.parametrize("name", ["\u3164", "\u115f\u1160", "\u0301\u0301"], ids=ascii)
def test_a_name_of_which_a_slip_shows_nothing_is_refused(tmp_path, name):
    assert "shows nothing on a slip" in problems(tmp_path, f"{HEADER}\na,{name},small,,10\n")[0]
    assert read(tmp_path, f"{HEADER}\na,\u91d1{name},small,,10\n")[0].player.startswith("\u91d1")


def test_an_id_is_the_same_wager_however_its_letters_were_put_together(tmp_path):
    """Else one bet is taken twice, and a file that was saved again elsewhere once more."""
    text = f"{HEADER}\nD\u00e9,p,small,,10\nDe\u0301,p,small,,10\n"
    assert problems(tmp_path, text) == ["w.csv, row 3: wager_id 'D\u00e9' is already taken by row 2"]
    assert parse_wager(("De\u0301", "p", "small", "", "10"), HOIANA).wager_id == "D\u00e9"


def test_a_header_alone_is_a_round_without_wagers(tmp_path):
    assert read(tmp_path, HEADER + "\n") == []


NO_AMOUNTS = (
    *("", "0", "0.00", "-1", "+5", "1e3", "nan", "inf", "1.234", "10.", ".50", "1_000", "0x10", "1 000", "ten", "$5"),
    *("10,00", "10000000.01", "9" * 30, "9" * 5000, "1" + "0" * 12, "0" * 100_000 + "x"),
    *("\u0661\u0660", "\uff11\uff10", "\u00bd", "10.\u0660\u0660"),
)


@pytest.mark.parametrize("stake", NO_AMOUNTS, ids=lambda stake: ascii(stake[:12]))
def test_a_stake_that_is_no_amount_is_refused(tmp_path, stake):
    (row,) = problems(tmp_path, one(f'w,p,small,,"{stake}"'))
    assert row.startswith("w.csv, row 2: stake ")
    assert len(row) < 120


@pytest.mark.parametrize(
    ("stake", "cents"), [("10000000.00", 1_000_000_000), ("0" * 30 + "10.10", 1010), ("0.07", 7), ("2.9", 290)]
)
def test_a_stake_is_kept_to_the_cent(tmp_path, stake, cents):
    assert read(tmp_path, one(f"w,p,small,,{stake}"))[0].stake_cents == cents


def test_a_comma_in_a_stake_never_becomes_a_smaller_stake(tmp_path):
    assert problems(tmp_path, one("w,p,small,,1,000.00")) == ["w.csv, row 2: has 6 cells where the header has 5"]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (",p,small,,1", "wager_id is empty"),
        ("w,,small,,1", "player is empty"),
        (f"{'x' * 65},p,small,,1", f"wager_id '{'x' * 40}…' is not one line of at most 64 printable characters"),
        ('"a\nb",p,small,,1', r"wager_id 'a\nb' is not one line of at most 64 printable characters"),
        ("w,\x1b[31mp,small,,1", r"player '\x1b[31mp' is not one line of at most 64 printable characters"),
        ("w,p\u202eq,small,,1", r"player 'p\u202eq' is not one line of at most 64 printable characters"),
        ("w,p,,,1", f"kind '' is not one of {', '.join(KINDS)}"),
        ("w,p,Small,,1", f"kind 'Small' is not one of {', '.join(KINDS)}"),
        ("w,p,small,5,1", "selection '5' does not fit: small takes no selection: leave it empty"),
        ("w,p,total,3,1", "selection '3' does not fit: total takes a total from 4 to 17"),
        ("w,p,double,,1", "selection '' does not fit: double takes one number from 1 to 6"),
        (
            "w,p,combination,1-Feb,1",
            "selection '1-Feb' does not fit: combination takes two different numbers, like 1-2",
        ),
        ("w,p,odd,,1", "paytable hoiana does not cover odd"),
        ("w,p,three_dice,1-3-6,1", "paytable hoiana does not cover three_dice 1-3-6"),
        ("w,p,small,,x", "stake 'x' is not an amount like 10.00"),
        ("w,p,small,,0", "stake '0' is not over 0"),
        ("w,p,small,,10000001", "stake '10000001' is over 10000000.00"),
        ("w,p,small", "has 3 cells where the header has 5"),
        ("w", "has 1 cells where the header has 5"),
        ('w,p,"small"x,,1', "is not CSV (',' expected after '\"'); check its quotation marks"),
        ('w,p,"small,,1', "is not CSV (unexpected end of data); check its quotation marks"),
        (
            f"w,p,{'s' * 200_000},,1",
            "is not CSV (field larger than field limit (131072)); check its quotation marks",
        ),
    ],
)
def test_a_bad_row_is_told_by_file_row_and_reason(tmp_path, cells, reason):
    assert problems(tmp_path, one(cells)) == [f"w.csv, row 2: {reason}"]


def test_all_bad_rows_and_all_reasons_in_each_are_told(tmp_path):
    text = f"{HEADER}\na,p,small,,1\na,p,big,,0\nb,p,even,,1\nc,p,face,7,x\nd,p,small,,1\n,p,small,,1\n"
    assert problems(tmp_path, text) == [
        "w.csv, row 3: stake '0' is not over 0; wager_id 'a' is already taken by row 2",
        "w.csv, row 4: paytable hoiana does not cover even",
        "w.csv, row 5: selection '7' does not fit: face takes one number from 1 to 6; "
        "stake 'x' is not an amount like 10.00",
        "w.csv, row 7: wager_id is empty",
    ]


def test_rows_are_counted_as_an_editor_counts_lines(tmp_path):
    text = f'{HEADER},note\r\n\r\na,p,small,,1,"x\r\ny"\r\n\r\nb,p,odd,,1,"x\r\ny"\r\nc,p,odd,,1,\r\n'
    assert [row.split(":")[0] for row in problems(tmp_path, text)] == ["w.csv, row 6", "w.csv, row 8"]


def test_a_row_that_is_not_csv_does_not_hide_the_bad_rows_before_it(tmp_path):
    text = f'{HEADER}\na,p,odd,,1\nb,p,"small,,1\nc,p,small,,1\n'
    assert problems(tmp_path, text) == [
        "w.csv, row 2: paytable hoiana does not cover odd",
        "w.csv, row 3: is not CSV (unexpected end of data); check its quotation marks",
    ]


def test_ids_that_a_spreadsheet_would_run_are_only_text(tmp_path):
    assert read(tmp_path, one("=cmd|' /C calc'!A0,@SUM(1),small,,1"))[0][:2] == ("=cmd|' /C calc'!A0", "@SUM(1)")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f"Wager file w.csv is empty: begin it with the header {HEADER}."),
        (b"\xef\xbb\xbf\r\n\r\n", f"Wager file w.csv is empty: begin it with the header {HEADER}."),
        (
            b"w,p,small,,1\n",
            f"w.csv, row 1: the header lacks wager_id, player, kind, selection, stake; write {HEADER}.",
        ),
        (b"\nwager_id,kind,stake\n", f"w.csv, row 2: the header lacks player, selection; write {HEADER}."),
        (b"Wager_ID,player,kind,selection,stake\n", f"w.csv, row 1: the header lacks wager_id; write {HEADER}."),
        (
            HEADER.replace(",", ";").encode(),
            "w.csv, row 1: the header lacks wager_id, player, kind, selection, stake; separate the columns by commas.",
        ),
        (
            HEADER.encode() + b",stake,kind\n",
            "w.csv, row 1: the header has kind, stake more than once; keep one of each.",
        ),
        (b'"wager_id', "w.csv, row 1: is not CSV (unexpected end of data); check its quotation marks."),
        (HEADER.encode() + b"\nw,\xe9,small,,1\n", "w.csv, row 2: the text is not UTF-8; save the file as CSV UTF-8."),
        (HEADER.encode("utf-16"), "w.csv, row 1: the text is not UTF-8; save the file as CSV UTF-8."),
        (HEADER.encode() + b"\n\nw\0,p,small,,1\n", "w.csv, row 3: there is a NUL byte; save the file as CSV UTF-8."),
    ],
)
def test_what_is_no_wager_file_is_refused_in_one_sentence(tmp_path, content, message):
    assert refusal(tmp_path, content) == message


def test_a_path_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"none\.csv cannot be read \(No such file"):
        read_wagers(tmp_path / "none.csv", HOIANA)
    with pytest.raises(UserError, match="is not a file: give the path of a readable CSV file"):
        read_wagers(tmp_path, HOIANA)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
def test_a_file_without_permission_is_refused():
    with folder_for_all() as folder:
        path = folder / "w.csv"
        path.touch(mode=0)
        with not_as_root(), pytest.raises(UserError, match=r"w\.csv cannot be read \(Permission denied"):
            read_wagers(path, HOIANA)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
def test_an_endless_file_and_a_pipe_are_refused_without_being_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(UserError, match="is not a file"):
            read_wagers(path, HOIANA)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(64_000_001)  # takes no room on the disk
    with pytest.raises(UserError, match=r"large\.csv is larger than 64 MB: split it"):
        read_wagers(path, HOIANA)


def check_right_or_user_error(text):
    """Whatever the text, it is refused in words or every wager of it is one that may be settled."""
    try:
        wagers = parse_wagers(text, "f.csv", HOIANA)
    except UserError as error:
        assert str(error)
        return
    assert len({wager.wager_id for wager in wagers}) == len(wagers)
    for wager in wagers:
        assert (wager.kind, wager.selection) in HOIANA.areas
        assert type(wager.stake_cents) is int
        assert 1 <= wager.stake_cents <= 1_000_000_000
        assert wager.wager_id.isprintable() and 1 <= len(wager.wager_id) <= 64
        assert wager.player.isprintable() and 1 <= len(wager.player) <= 64


SCRAPS = st.sampled_from(
    [
        "w",
        "1",
        "small",
        "face",
        "odd",
        "5",
        "1-2",
        "10.00",
        "0",
        '"',
        ",",
        "\n",
        "\r",
        "\r\n",
        ";",
        "\t",
        " ",
        "\0",
        "\ufeff",
    ]
)


@given(st.text(), st.booleans())
def test_any_text_is_refused_or_right(text, with_header):
    check_right_or_user_error(f"{HEADER}\n{text}" if with_header else text)


@given(st.lists(st.one_of(SCRAPS, st.text(max_size=3)), max_size=60))
def test_scraps_of_a_wager_file_are_refused_or_right(scraps):
    check_right_or_user_error(f"{HEADER}\n{''.join(scraps)}")


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_refused_or_read(tmp_path_factory, raw, with_header):
    path = tmp_path_factory.getbasetemp() / "bytes.csv"
    path.write_bytes((HEADER.encode() + b"\n" if with_header else b"") + raw)
    try:
        assert isinstance(read_wagers(path, HOIANA), list)
    except UserError as error:
        assert "bytes.csv" in str(error)


CHARS = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
# The first is a letter or sign that can be seen: a mark stands on it, and four letters of Hangul are blank.
SEEN = st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"], exclude_characters="\u115f\u1160\u3164\uffa0")
NAMES = st.builds(str.__add__, SEEN, st.text(CHARS, max_size=19))
ROWS = st.lists(
    st.tuples(NAMES, NAMES, st.sampled_from(sorted(HOIANA.areas)), st.integers(1, 1_000_000_000)),
    max_size=20,
    unique_by=lambda row: normalize("NFC", row[0]),
)


@given(ROWS, st.sampled_from(["\n", "\r\n"]))
def test_whatever_is_written_properly_is_read_back_whole(rows, line_end):
    def quoted(cell):
        return '"' + cell.replace('"', '""') + '"'

    lines = [HEADER]
    for wager_id, player, (kind, selection), cents in rows:
        lines.append(f"{quoted(wager_id)},{quoted(player)},{kind},{selection},{cents // 100}.{cents % 100:02}")
    expected = [Wager(normalize("NFC", id_), normalize("NFC", name), *area, cents) for id_, name, area, cents in rows]
    assert parse_wagers(line_end.join(lines), "f.csv", HOIANA) == expected


def test_the_demo_file_has_every_kind_that_hoiana_covers():
    wagers = read_wagers(BUNDLED_DIR.parent / "demo_wagers.csv", HOIANA)
    covered = {"small", "big", "triple", "double", "any_triple", "total", "combination", "face"}
    assert {wager.kind for wager in wagers} == covered
    assert len({wager.player for wager in wagers}) > 3
