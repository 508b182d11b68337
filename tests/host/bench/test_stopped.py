"""Ctrl-C before anything was played: one sentence, and nothing that would be in the way of the next bench."""

import json
import os
import signal
import sys

import pytest

from host_tools.bench import runner, targets
from host_tools.bench import soak as soak_room

NOTHING = "Ctrl-C or SIGTERM ended the bench before anything was played: nothing is kept.\n"


@pytest.fixture
def stopped_in(monkeypatch, tumbler, micropython, tmp_path):
    """stopped_in(module, name, *args): run a bench to which Ctrl-C comes in that function -> (exit code, stderr)."""

    def run(module, name, *args):
        def ctrl_c(*_, **__):
            os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(module, name, ctrl_c)
        code, _, err = tumbler("bench", "--target", "sim", "--out", str(tmp_path / "run"), *args)
        return code, err

    return run


@pytest.mark.parametrize(
    ("module", "name", "args"),
    [
        (runner, "open_for", ()),
        (targets, "open_sim", ()),
        (runner, "Table", ()),
        (pytest, "main", ()),
        (runner, "open_for", ("--soak", "3")),
        (targets, "open_sim", ("--soak", "3")),
        (soak_room, "Table", ("--soak", "3")),
    ],
    ids=lambda value: str(getattr(value, "__name__", value)),
)
def test_ctrl_c_before_anything_was_played_says_so_and_leaves_no_folder(stopped_in, tmp_path, module, name, args):
    assert stopped_in(module, name, *args) == (130, NOTHING)
    assert not (tmp_path / "run").exists()


def test_ctrl_c_in_a_soak_says_where_is_what_was_played(stopped_in, tmp_path):
    soak = tmp_path / "run" / "soak.json"
    assert stopped_in(soak_room, "_round", "--soak", "3") == (
        130,
        f"Ctrl-C or SIGTERM ended the soak before all was played; what was played until then is in {soak}.\n",
    )
    assert json.loads(soak.read_text())["cut short"] is True


def test_ctrl_c_while_tests_are_collected_is_no_slip_of_the_options(stopped_in, tmp_path):
    from host_tools.bench import plugin

    assert stopped_in(plugin, "_title") == (130, NOTHING)
    assert not (tmp_path / "run").exists()


def test_ctrl_c_that_python_swallows_ends_the_bench_all_the_same(monkeypatch, tumbler, micropython, tmp_path):
    """What a callback raises is lost, in a lock of an import as in a finalizer; it must not cost the end."""

    class Finalized:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)

    opened = targets.open_sim
    monkeypatch.setattr(targets, "open_sim", lambda *args, **options: (opened(*args, **options), Finalized())[0])
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    assert tumbler("bench", "--target", "sim", "--out", str(tmp_path / "run")) == (130, "", NOTHING)
    assert not (tmp_path / "run").exists()


def test_a_fault_that_ctrl_c_caused_in_a_library_is_no_problem_of_the_bench(monkeypatch, tumbler, tmp_path):
    """One in C makes an error of its own of it."""

    def no_space(*_, **__):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("LFS_ERR_NOSPC") from None

    monkeypatch.setattr(targets, "open_sim", no_space)
    assert tumbler("bench", "--target", "sim", "--out", str(tmp_path / "run")) == (130, "", NOTHING)
    assert not (tmp_path / "run").exists()
