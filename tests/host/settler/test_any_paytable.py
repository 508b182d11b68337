"""Whatever stands in a paytable file of any game: it is good, or it is refused in one sentence that names the file."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.check import bundled_paths, check
from host_tools.settler.paytable_file import PaytableFile

TEXTS = [path.read_text(encoding="utf-8") for path in bundled_paths().values()]
LIMITS = '[limits]\nall = {min = "1.00", max = "5.00", increment = "1.00"}\n[odds]\n'
ODDS = ('"8:1"', '"1:999999"', '"0:1"', '""', "5", "-1", "1.5", "nan", "true")
LISTS = ("[]", "[1]", "[[]]", '["odd"]', '["odd", "odd"]', "[6, 8]", '["place"]')
OTHERS = ("{}", '{min = "2"}', "{min = 2}", '{max = "x"}', "{a = {b = 1}}", "2020-01-01", '"craps"', '"tai_sai"')
VALUES = st.sampled_from(ODDS + LISTS + OTHERS)


def checked(content):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "own.toml"
        path.write_bytes(content)
        try:
            found = check(PaytableFile(path))
        except UserError as error:
            said = str(error)
            assert said.startswith(f"Paytable {path}")
            assert "\n" not in said
            return said
    assert found.edges
    assert re.fullmatch("[0-9a-f]{64}", found.paytable.hash)
    assert all(row.edge <= 1 for row in found.edges)
    return None


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TEXTS), st.booleans(), st.lists(st.tuples(st.integers(0, 10**6), VALUES), max_size=3))
def test_other_values(text, limits, changes):
    lines = (text.replace("[odds]\n", LIMITS, 1) if limits else text).splitlines()
    places = [number for number, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    for place, value in changes:
        number = places[place % len(places)]
        lines[number] = f"{lines[number].split(' = ')[0]} = {value}"
    checked("\n".join(lines).encode())


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TEXTS), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=4))
def test_lines_left_out_and_doubled(text, moves):
    lines = text.splitlines()
    for take, put in moves:
        line = lines[take % len(lines)]
        if take % 2:
            del lines[take % len(lines)]
        lines.insert(put % (len(lines) + 1), line if put % 2 else "")
    checked("\n".join(lines).encode())


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TEXTS), st.integers(0, 10**6), st.binary(min_size=1, max_size=6))
def test_other_bytes(text, place, some):
    raw = text.encode()
    at = place % len(raw)
    checked(raw[:at] + some + raw[at + len(some) :])


def test_the_files_that_come_with_it_are_good_also_with_limits():
    for text in TEXTS:
        assert checked(text.encode()) is None
        assert checked(text.replace("[odds]\n", LIMITS, 1).encode()) is None
