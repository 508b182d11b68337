"""Paytables: what the bundled ones claim, and that one which is not whole and right is refused by file and key."""

import re

import pytest

from host_tools.errors import UserError
from host_tools.settler.paytable import DEFAULT, bundled_names, load

GOOD = """
name = "mine"
title = "My table"
source = "house rules"
status = "published"
partial = true
not_covered = ["odd", "even", "triple", "double", "any_triple", "combination", "face", "three_dice", "four_numbers"]

[odds]
small = "1:1"
big = "19:20"

[odds.total]
""" + "".join(f'{total} = "6:1"\n' for total in range(4, 18))


BASE_KINDS = ("small", "big", "odd", "even", "triple", "double", "any_triple", "total", "combination", "face")


def write(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_the_default_is_hoiana_and_comes_first():
    assert DEFAULT == "hoiana"
    assert bundled_names()[0] == "hoiana"


def test_bundled_names_are_their_file_names_and_their_hashes_differ():
    tables = {name: load(name) for name in bundled_names()}
    assert all(table.name == name for name, table in tables.items())
    assert len({table.hash for table in tables.values()}) == len(tables)


def test_only_the_2001_gazette_additions_are_official_and_nz_base_odds_are_nowhere():
    official = [name for name in bundled_names() if load(name).status == "official"]
    assert official == ["nz_2001_additions"]
    nz = load("nz_2001_additions")
    assert {kind for kind, _ in nz.areas} == {"three_dice", "four_numbers"}
    others = [load(name) for name in bundled_names() if name != "nz_2001_additions"]
    assert not [table.name for table in others if "zealand" in (table.title + table.source + table.name).lower()]


@pytest.mark.parametrize(
    ("name", "not_covered"),
    [
        ("hoiana", ["odd", "even", "three_dice", "four_numbers"]),
        ("korea_daegu", ["face"]),
        (
            "nz_2001_additions",
            [*BASE_KINDS, "four_numbers 5-4-3-2", "four_numbers 4-3-2-1"],
        ),
    ],
)
def test_a_partial_table_names_what_it_does_not_cover(name, not_covered):
    table = load(name)
    assert table.partial is True
    assert list(table.not_covered) == not_covered


def test_a_table_of_ones_own_is_read_from_its_path(tmp_path):
    table = load(write(tmp_path, GOOD))
    assert (table.name, table.status) == ("mine", "published")
    assert table.winning_areas((1, 2, 4)) == {("small", ""): (1, 1), ("total", "7"): (6, 1)}
    assert str(table.winning_areas((6, 5, 4))["big", ""]) == "19:20"


def test_a_whole_table_is_not_partial(tmp_path):
    text = GOOD.replace("partial = true", "partial = false")
    more = 'odd = "1:1"\neven = "1:1"\ntriple = "180:1"\ndouble = "10:1"\nany_triple = "30:1"\ncombination = "6:1"'
    text = re.sub(r"not_covered = .*\n", "", text).replace("[odds]", f"[odds]\n{more}")
    text += '[odds.face]\n1 = "1:1"\n2 = "2:1"\n3 = "12:1"\n[odds.three_dice]\nall_different = "30:1"\n'
    text += 'double_and_other = "60:1"\n[odds.four_numbers]\n'
    text += "".join(f'{four} = "7:1"\n' for four in ("6-5-4-3", "6-5-3-2", "5-4-3-2", "4-3-2-1"))
    table = load(write(tmp_path, text))
    assert table.partial is False
    assert len(table.areas) == 106
    with pytest.raises(UserError, match="key partial is true although everything is covered"):
        load(write(tmp_path, text.replace("partial = false", "partial = true")))


@pytest.mark.parametrize("known", ['1 = "1:1"', '1 = "1:1"\n2 = "2:1"', '2 = "2:1"\n3 = "3:1"'])
def test_a_face_with_odds_for_some_counts_only_can_not_be_settled_even_when_the_table_admits_it(tmp_path, known):
    missing = [f'"face {count}"' for count in (1, 2, 3) if f"{count} =" not in known]
    text = GOOD.replace('"face"', ", ".join(missing)) + f"[odds.face]\n{known}\n"
    with pytest.raises(UserError, match=r"key odds\.face\.[123] is missing: face needs odds for 1, 2 and 3 dice"):
        load(write(tmp_path, text))


def test_hash_changes_with_one_odds_and_not_with_comments_order_or_layout(tmp_path):
    first = load(write(tmp_path, GOOD)).hash
    same = load(
        write(tmp_path, "# a note\r\n" + GOOD.replace('small = "1:1"\nbig = "19:20"', 'big="19:20"\nsmall="1:1"'))
    ).hash
    assert same == first
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    for other in (
        GOOD.replace('7 = "6:1"', '7 = "6:2"', 1),
        GOOD.replace("published", "official"),
        GOOD.replace("house rules", "house rule"),
    ):
        assert load(write(tmp_path, other)).hash != first


def test_a_byte_order_mark_is_no_fault(tmp_path):
    assert load(write(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())).name == "mine"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('name = "mine"', "", "name"),
        ('name = "mine"', 'name = "My Table"', "name"),
        ('title = "My table"', "title = 3", "title"),
        ('source = "house rules"', 'source = "  "', "source"),
        ('source = "house rules"', r'source = "a\u001b[2J"', "source"),
        ('"published"', '"oficial"', "status"),
        ("partial = true", "", "partial"),
        ("partial = true", 'partial = "yes"', "partial"),
        ("partial = true", "partial = false", "odds.odd"),
        ("partial = true", "partail = true", "'partail'"),
        ("[odds]", "", "'small'"),
        ("[odds]", "[oods]", "'oods'"),
        ("[odds]", '[odds]\nsmal = "1:1"', "odds.'smal'"),
        ("[odds]", '[odds]\ncombination = "5:1"', "not_covered"),
        ("[odds]", '[odds]\nface = "1:1"', "odds.face"),
        ("[odds]", '[odds]\nface = {1 = "1:1", 2 = "2:1"}', "odds.face.3"),
        ("[odds]", "[odds]\nface = {}", "odds.face"),
        ('7 = "6:1"\n', "", "odds.total.7"),
        ('17 = "6:1"\n', '17 = "6:1"\n18 = "180:1"\n', "odds.total.'18'"),
        ('small = "1:1"', "small = 1", "odds.small"),
        ('small = "1:1"', "small = 1.5", "odds.small"),
        ('small = "1:1"', "small = [1, 1]", "odds.small"),
        ('small = "1:1"', 'small = {"1" = "1:1"}', "odds.small"),
        ('small = "1:1"', 'small = "1"', "odds.small"),
        ('small = "1:1"', 'small = "1:0"', "odds.small"),
        ('small = "1:1"', 'small = "0:1"', "odds.small"),
        ('small = "1:1"', 'small = "-1:1"', "odds.small"),
        ('small = "1:1"', 'small = "1.5:1"', "odds.small"),
        ('small = "1:1"', 'small = "1:1 "', "odds.small"),
        ('small = "1:1"', 'small = "\u0661:1"', "odds.small"),
        ('small = "1:1"', f'small = "{"9" * 5000}:1"', "odds.small"),
        ('"odd", ', '"odd", "total 7", ', "not_covered"),
        ('"odd", ', "", "odds.odd"),
        ("not_covered = [", 'not_covered = [1, "x"] #', "not_covered"),
        ("not_covered = [", 'not_covered = "odd" #', "not_covered"),
    ],
)
def test_a_bad_table_is_refused_by_file_and_key(tmp_path, old, new, key):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        load(path)
    assert re.sub(r", line \d+: ", ": ", str(caught.value)).startswith(f"Paytable {path}: key {key} ")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00n",
        b"name = ",
        b"x = " + b"[" * 5000,
        b"x = " + b"9" * 5000,
        b"a = 1\na = 2",
        b"x = 2020-13-45",
        b"\x00",
    ],
)
def test_what_is_not_toml_is_refused_by_file(tmp_path, content):
    path = write(tmp_path, content)
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value).startswith(f"Paytable {path} is not valid TOML: ")


def test_an_empty_file_lacks_its_name(tmp_path):
    with pytest.raises(UserError, match="key name is missing"):
        load(write(tmp_path, ""))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UserError, match=r"no paytable 'hoina': take one of hoiana, atlantic_city, .*nz_2001_additions"):
        load("hoina")


def test_a_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"t\.toml cannot be read \(No such file"):
        load(str(tmp_path / "t.toml"))
    (tmp_path / "t.toml").mkdir()
    with pytest.raises(UserError, match=r"t\.toml is not a file: give the path of a readable TOML file"):
        load(str(tmp_path / "t.toml"))


def test_a_huge_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="larger than 100000 bytes"):
        load(write(tmp_path, "#" * 100_001))
