"""Whatever stands in a board file, the answer is a valid board or a UserError, never another exception."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.boards import board_module, load_board, wiring_markdown
from host_tools.errors import UserError
from tests.host.boards.conftest import GOOD

LINES = GOOD.splitlines()
KEYS = sorted({line.partition(" = ")[0] for line in LINES if " = " in line})
VALUES = st.one_of(
    st.integers(-2, 70).map(str),
    st.integers().map(str),
    st.integers(0, 2**70).map(hex),
    st.floats().map(str),
    st.sampled_from(
        ["true", "[]", "{}", "[[1]]", '["0-29"]', '["29-0"]', "{ a = 1 }", "2024-01-01", "1e400", "nan", '""']
    ),
    st.sampled_from(["high", "low", "up", "down", "none", "gnd", "3v3", "level", "pulse"]).map(
        lambda word: f'"{word}"'
    ),
    st.text().map(lambda text: '"' + text.replace("\\", "").replace('"', "") + '"'),
    st.text(max_size=8),
)
AT = st.integers(0, len(LINES) - 1)
NEW_LINES = st.one_of(
    st.tuples(st.sampled_from(KEYS), VALUES).map(" = ".join),
    st.sampled_from([line for line in LINES if line.startswith("[")]),
    st.text(max_size=20),
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("value"), AT, VALUES),
        st.tuples(st.just("delete"), AT, st.just("")),
        st.tuples(st.just("insert"), AT, NEW_LINES),
    ),
    min_size=1,
    max_size=3,
)


def edited(edits: list[tuple[str, int, str]]) -> str:
    lines = list(LINES)
    for what, at, text in edits:
        if what == "value":
            lines[at] = lines[at].partition(" = ")[0] + " = " + text
        else:
            lines[at] = "" if what == "delete" else lines[at] + "\n" + text
    return "\n".join(lines)


def load(raw: bytes) -> None:
    """Loads the bytes as bench7.toml and proves the answer to be one of the two."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench7.toml"
        path.write_bytes(raw)
        try:
            board = load_board(path)
        except UserError as error:
            for line in str(error).split("\n"):
                assert line.startswith(str(path)) and line.endswith(".")
                assert re.search("; (give|write|add|mend|choose|take|remove|fit|raise|shorten|rename)", line), line
            return
        pins = [int(gpio) for gpio in re.findall(r"PIN_\w+ = (\d+)", board_module(board))]
        assert len(set(pins)) == len(pins) >= 18
        assert set(pins) <= set(board.gpios) - set(board.reserved)
        assert board.spin.required >= 3
        assert board.cover.closed_when == board.estop.healthy_when == "low"
        assert (board.relay.active, board.relay.external_pull) in {
            ("low", "up"),
            ("high", "down"),
            ("high", "none"),
        }
        assert "relay" in wiring_markdown(board)


@settings(max_examples=400, deadline=None)
@given(EDITS)
def test_an_edited_file_gives_a_valid_board_or_a_user_error(edits: list[tuple[str, int, str]]) -> None:
    load(edited(edits).encode())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, 40), st.binary(max_size=20))
def test_damaged_bytes_give_a_valid_board_or_a_user_error(at: int, cut: int, put: bytes) -> None:
    raw = GOOD.encode()
    load(raw[:at] + put + raw[at + cut :])
