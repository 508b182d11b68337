"""The file of tokens: hashes alone, its owner's alone, and known at once when it changes."""

import hashlib
import multiprocessing
import os
import stat
import sys

import pytest

from host_tools.errors import UserError
from host_tools.view import tokens
from host_tools.view.tokens import Holder, Tokens


@pytest.fixture
def path(tmp_path):
    return tmp_path / "config" / "view.tokens"


def test_a_token_is_kept_as_its_hash_in_a_file_of_its_owner_alone(path):
    token = tokens.make(path, "desk-1", "wager")
    assert len(token) >= 43  # 256 bits
    text = path.read_text()
    assert token not in text
    assert text == f"desk-1 wager {hashlib.sha256(token.encode()).hexdigest()}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_every_holder_is_known_by_the_own_token_alone(path):
    made = {name: tokens.make(path, name, role) for name, role in (("a", "wager"), ("b", "supervisor"))}
    known = Tokens(path)
    assert known.holder(made["a"]) == Holder("a", "wager")
    assert known.holder(made["b"]) == Holder("b", "supervisor")
    for wrong in ("", made["a"][:-1], made["a"] + "x", made["a"].swapcase(), path.read_text().split()[2]):
        assert known.holder(wrong) is None
    assert tokens.holders(path) == [Holder("a", "wager"), Holder("b", "supervisor")]


def test_a_view_that_is_on_knows_new_tokens_and_those_that_were_taken_back(path):
    known = Tokens(path)
    assert known.holder("x") is None
    token = tokens.make(path, "a", "wager")
    assert known.holder(token) is not None
    tokens.revoke(path, "a")
    assert known.holder(token) is None
    again = tokens.make(path, "a", "supervisor")
    assert (known.holder(token), known.holder(again)) == (None, Holder("a", "supervisor"))


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_a_file_that_others_can_read_is_refused_also_while_a_view_is_on(path):
    token = tokens.make(path, "a", "wager")
    known = Tokens(path)
    path.chmod(0o640)
    for refused in (lambda: known.holder(token), lambda: Tokens(path), lambda: tokens.holders(path)):
        with pytest.raises(UserError, match="chmod 600"):
            refused()


@pytest.mark.parametrize("name", ["", "a.b", "a b", "x" * 20, "../a", "ä", "a\n"])
def test_a_bad_name_is_refused_and_writes_nothing(path, name):
    with pytest.raises(UserError, match="no name for a token"):
        tokens.make(path, name, "wager")
    assert not path.exists()


def test_a_name_has_one_token(path):
    token = tokens.make(path, "a", "wager")
    with pytest.raises(UserError, match="has a token already"):
        tokens.make(path, "a", "supervisor")
    assert Tokens(path).holder(token) == Holder("a", "wager")
    with pytest.raises(UserError, match="No token of the name 'b'"):
        tokens.revoke(path, "b")


def test_a_damaged_file_is_refused_by_its_line_without_what_stands_there(path):
    tokens.make(path, "a", "wager")
    with path.open("a") as file:
        file.write("secret-that-slipped-in\n")
    with pytest.raises(UserError, match="line 2") as refused:
        Tokens(path)
    assert "slipped" not in str(refused.value)


MANY = 20


def make_all(path, together):
    together.wait()
    for number in range(MANY):
        tokens.make(path, f"new-{number}", "wager")


def revoke_all(path, together):
    together.wait()
    for number in range(MANY):
        tokens.revoke(path, f"old-{number}")


@pytest.mark.skipif(sys.platform == "win32", reason="the lock is POSIX's")
def test_a_token_that_was_taken_back_stays_so_while_another_process_makes_some(path):
    for number in range(MANY):
        tokens.make(path, f"old-{number}", "supervisor")
    processes = multiprocessing.get_context("spawn")
    together = processes.Barrier(2)
    both = [processes.Process(target=each, args=(path, together), daemon=True) for each in (make_all, revoke_all)]
    for each in both:
        each.start()
    for each in both:
        each.join(60)
    assert [each.exitcode for each in both] == [0, 0]
    assert tokens.holders(path) == [Holder(f"new-{number}", "wager") for number in range(MANY)]
    assert [each.name for each in path.parent.iterdir()] == ["view.tokens"]


def test_taking_back_a_token_where_there_never_was_one_leaves_nothing_behind(path):
    with pytest.raises(UserError, match="No token of the name 'a'"):
        tokens.revoke(path, "a")
    assert not path.exists()
