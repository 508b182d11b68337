"""The soak: rounds are counted, and so is what goes wrong in them."""

import json

import pytest

from host_tools.bench.soak import Counters, soak
from host_tools.bench.targets import open_sim
from host_tools.errors import UserError
from tests.host.bench.seeded import FAULTS, seed


def test_rounds_are_played_and_counted(tumbler, micropython, tmp_path):
    out = tmp_path / "run"
    code, shown, _ = tumbler("bench", "--target", "sim", "--seed", "3", "--soak", "3", "--out", str(out))
    kept = json.loads((out / "soak.json").read_text())
    assert code == 0
    assert kept["rounds"] == 3
    assert [kept[name] for name in ("ghosts", "losses", "resends", "resets", "usb_drops")] == [0] * 5
    assert len(kept["entry_ms"]) == 3
    assert kept["cut short"] is False
    assert min(kept["entry_ms"]) >= 12
    assert "ENTRY to result, p99" in shown


def test_ghosts_are_counted(micropython, tmp_path):
    """Of a firmware without debounce, on contacts that bounce."""
    target = open_sim("pico", 3, seed(FAULTS["no debounce"], tmp_path))
    try:
        counted = soak(target, 3, 3, tmp_path, lambda _: None)
    finally:
        target.close()
    assert counted.ghosts > 0
    assert not counted.good


def test_a_round_that_is_not_played_ends_it(micropython, tmp_path):
    """The motor stalls in the second."""
    advanced: list[int] = []

    def advance(count: int) -> None:
        advanced.append(count)
        target.rig.motor("stall")

    target = open_sim("pico", 3)
    try:
        counted = soak(target, 5, 3, tmp_path, advance)
    finally:
        target.close()
    assert advanced == [1], counted.failure
    assert counted.rounds == 1
    assert "bets_open" in counted.failure
    assert not counted.good


def test_a_soak_that_ctrl_c_ends_says_in_its_file_that_it_was_cut_short(micropython, tmp_path):
    def ctrl_c(_: int) -> None:
        raise KeyboardInterrupt

    target = open_sim("pico", 3)
    try:
        with pytest.raises(KeyboardInterrupt):
            soak(target, 5, 3, tmp_path, ctrl_c)
    finally:
        target.close()
    kept = json.loads((tmp_path / "soak.json").read_text())
    assert (kept["rounds"], kept["rounds asked for"], kept["cut short"], kept["failure"]) == (1, 5, True, "")


def test_counters_that_cannot_be_written_are_a_problem_of_the_bench(micropython, tmp_path):
    (tmp_path / "soak.json").mkdir()
    target = open_sim("pico", 3)
    try:
        with pytest.raises(UserError, match="The run cannot be kept in"):
            soak(target, 1, 3, tmp_path, lambda _: None)
    finally:
        target.close()


def test_percentiles_are_those_of_the_nearest_rank():
    counters = Counters(entry_ms=list(range(1, 101)))
    assert (counters.entry(50), counters.entry(99)) == (50, 99)
    assert Counters(entry_ms=[7]).entry(99) == 7
    assert Counters().entry(50) == 0
