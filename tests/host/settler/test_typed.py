"""Lines from a file, a pipe or the keyboard: what is taken back, what is kept, what an interruption does."""

import io
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from host_tools.errors import UserError
from host_tools.settler import typed
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.boxes import BoxRules
from host_tools.settler.blackjack.command import blackjack
from host_tools.settler.blackjack.session import Session as Blackjack
from host_tools.settler.craps import wagers as craps
from host_tools.settler.craps.session import Session as Craps
from host_tools.settler.craps.table import CrapsTable
from host_tools.settler.typed import Record

app = typer.Typer()
app.command()(blackjack)

TUMBLER = Path(sys.executable).with_name("tumbler")


def run(*arguments, lines=None):
    return CliRunner().invoke(app, list(arguments), input=lines)


def record():
    return Record(lambda: Blackjack(BoxRules({}, super_sevens=True), 7, False, super_sevens.load()))


def do_all(played, *lines):
    return [answer for line in lines for answer in played.do(line)]


def test_a_mistyped_line_is_taken_back_and_named_in_the_sums():
    played = record()
    do_all(played, "bet A 1 5 1", "deal", "cards 1 7S 7S 7S")
    assert "won 5,000.00" in played.sums()
    assert played.do("wagers")[1].endswith("settled")
    assert played.do("undo") == ["Taken back: cards 1 7S 7S 7S"]
    assert "won 0.00 · returned 0.00" in played.sums() and "undecided 1.00" in played.sums()
    assert played.sums().endswith("\nTaken back, 1 line: cards 1 7S 7S 7S")
    assert played.do("cards 1 7S 8S") == ["W2 A super_sevens: win 3:1 · won 3.00 · returned 4.00"]


def test_undo_goes_back_to_the_line_that_began_the_round_and_no_further():
    played = record()
    do_all(played, "bet A 1 5", "deal", "next", "bet A 1 6")
    assert do_all(played, "undo", "undo") == ["Taken back: bet A 1 6", "Taken back: next"]
    with pytest.raises(UserError, match="Nothing of this round is left to be taken back"):
        played.do("undo")
    assert played.do("wagers") == ["W1 A box 1 initial: stake 5.00"]
    assert played.do("next") == ["A new round: place your bets."]


def test_a_mistyped_roll_of_craps_is_taken_back():
    played = Record(lambda: Craps(CrapsTable(craps.load(), ["A", "B"])))
    do_all(played, "bet A pass 10", "accept A 1 2", "roll 3,3", "roll 3,4")
    assert "stakes lost 10.00" in played.sums()
    assert played.do("undo") == ["Taken back: roll 3,4"]
    assert "still standing 10.00" in played.sums()
    assert "W1 A pass: win 1:1 · won 10.00 · returned 20.00" in played.do("roll 4,2")


def test_a_file_of_nothing_but_what_is_taken_back_is_ended(monkeypatch):
    monkeypatch.setattr(typed, "MOST_REPLAYED_LINES", 2)
    played = record()
    do_all(played, "bet A 1 5", *["bet B 2 5", "undo"] * 2, "bet B 2 5")
    with pytest.raises(UserError, match="Too much was taken back"):
        played.do("undo")
    assert played.do("wagers")[1:] == ["W2 B box 2 initial: stake 5.00"]


@pytest.mark.parametrize("name", ["A\x1b[2J", "A\0", "A\u202eB", "A\x07"])
def test_a_name_with_a_character_that_steers_a_terminal_is_refused(name):
    with pytest.raises(UserError, match="has a character that cannot be shown") as caught:
        record().do(f"sit {name} 1")
    assert str(caught.value).isprintable()


def test_a_name_has_at_most_64_characters_and_a_line_500():
    played = record()
    do_all(played, f"sit {'A' * 64} 1")
    for line in (f"sit {'B' * 65} 2", f"bet {'B' * 65} 2 5"):
        with pytest.raises(UserError, match="is no name of at most 64 printable characters"):
            played.do(line)
    with pytest.raises(UserError, match="more than 500 characters"):
        played.do(f"sit {'A' * 500} 1")


@pytest.mark.parametrize("ending", ["\f", "\u2028", "\x85", "\x1c"])
def test_what_ends_a_line_is_the_same_in_a_file_and_in_a_pipe(tmp_path, ending):
    lines = f"bet A 1 5{ending}deal\n".encode()
    (tmp_path / "story.txt").write_bytes(lines)
    for shown in (run(str(tmp_path / "story.txt")), run(lines=lines)):
        assert "line 1: 'bet A 1 5\\" in str(shown.exception)


def test_a_byte_order_mark_and_either_line_end_are_taken_from_a_file_and_from_a_pipe(tmp_path):
    lines = b"\xef\xbb\xbfbet A 1 5\r\ndeal\rwagers\n"
    (tmp_path / "story.txt").write_bytes(lines)
    for shown in (run(str(tmp_path / "story.txt")), run(lines=lines)):
        assert shown.exit_code == 0 and shown.stdout.splitlines()[2] == "W1 A box 1 initial: stake 5.00"


def test_an_endless_line_on_standard_input_is_ended_in_little_memory():
    limited = f"ulimit -v 1500000; exec {TUMBLER} blackjack </dev/zero"
    shown = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=60)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == "Standard input is larger than 1 MB: split it.\n"


def test_without_a_standard_input_a_sentence_says_so():
    shown = subprocess.run(["bash", "-c", f"exec {TUMBLER} blackjack <&-"], capture_output=True, text=True, timeout=60)
    assert (shown.returncode, shown.stderr) == (2, "Standard input is closed: give a file of lines, or open it.\n")


class Keyboard(io.StringIO):
    """Typed lines, and at their end what `ends` raises."""

    def __init__(self, lines, ends=None):
        super().__init__(lines)
        self.ends = ends

    def isatty(self):
        return True

    def readline(self, size=-1):
        line = super().readline(size)
        if not line and self.ends:
            raise self.ends
        return line


def keyboard(monkeypatch, capsys, lines, *, kept=None, ends=None):
    monkeypatch.setattr(sys, "stdin", Keyboard(lines, ends))
    try:
        typed.keep(lambda: Blackjack(BoxRules({}, super_sevens=True), 7, False, super_sevens.load()), None, "x", kept)
    finally:
        said = capsys.readouterr().out.splitlines()
    return said


def test_a_line_too_long_is_refused_at_the_keyboard_as_one_line(monkeypatch, capsys):
    said = keyboard(monkeypatch, capsys, f"sit {'A' * 5000} 1\nbet A 1 5\n")
    assert said[0] == "A line has more than 500 characters: write one thing that happened."
    assert said[1] == "W1 A box 1 initial: stake 5.00 is taken."


def test_typed_lines_are_kept_and_the_evening_goes_on_from_them(monkeypatch, capsys, tmp_path):
    kept = tmp_path / "evening.txt"
    keyboard(monkeypatch, capsys, "bet A 1 5\njump\nbet B 2 7\nundo\nbet B 2 8\n", kept=kept)
    assert kept.read_text() == "bet A 1 5\nbet B 2 7\nundo\nbet B 2 8\n"
    said = keyboard(monkeypatch, capsys, "deal\n", kept=kept)
    assert said[:3] == [
        f"All of {kept} is done again:",
        "W1 A box 1 initial: stake 5.00",
        "W2 B box 2 initial: stake 8.00",
    ]
    assert "initial 13.00" in said[4] and said[-1] == "Taken back, 1 line: bet B 2 7"
    assert kept.read_text().endswith("bet B 2 8\ndeal\n")
    assert run(str(kept)).stdout.splitlines()[-4:] == said[-4:]


def test_a_kept_file_that_cannot_be_gone_on_with_is_refused(monkeypatch, capsys, tmp_path):
    torn = tmp_path / "torn.txt"
    torn.write_text("bet A 1 5\nbet B 2 2")
    with pytest.raises(UserError, match="ends within a line: finish or delete its last line"):
        keyboard(monkeypatch, capsys, "", kept=torn)
    with pytest.raises(UserError, match="is not a file"):
        keyboard(monkeypatch, capsys, "", kept=tmp_path)
    with pytest.raises(UserError, match="cannot be written"):
        keyboard(monkeypatch, capsys, "", kept=tmp_path / "no" / "evening.txt")
    assert "is for what is typed at the keyboard" in str(run("--keep", str(tmp_path / "new"), lines="").exception)
    assert not (tmp_path / "new").exists()


def test_an_interruption_shows_what_is_open_and_the_sums(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Keyboard("bet A 1 5 1\n", KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        blackjack()
    said = capsys.readouterr().out.splitlines()
    assert said[2:7] == [
        "",
        "Interrupted. Open:",
        "W1 A box 1 initial: stake 5.00",
        "W2 A box 1 super_sevens: stake 1.00 · waits for cards",
        "On hands, which are not settled here: initial 5.00 · additional 0.00 · insurance 0.00",
    ]


@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_a_real_keyboard_shows_the_sums_and_exits_130(tmp_path, ends):
    ours, theirs = pty.openpty()
    kept = tmp_path / "evening.txt"
    process = subprocess.Popen([TUMBLER, "blackjack", "--keep", kept], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    guard = threading.Timer(60, process.kill)
    guard.start()
    said = b""
    try:
        os.write(ours, b"bet A 1 5\n")
        while b"is taken" not in said:
            said += os.read(ours, 1000)
        process.send_signal(ends)
        while b"initial 5.00" not in said:
            said += os.read(ours, 1000)
        assert process.wait() == 130
    finally:
        guard.cancel()
        process.kill()
        process.wait()
        os.close(ours)
    assert b"Interrupted. Open:" in said and b"Traceback" not in said
    assert kept.read_text() == "bet A 1 5\n"
