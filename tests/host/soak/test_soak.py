"""The soak's parts: what they count, that they notice, and that they go on where they ended."""

import json

import pytest
from tumbler.core.keys import Keys

from host_tools.errors import UserError
from host_tools.soak import lines, presses, soak
from host_tools.soak.safety import Broken
from host_tools.store import Store


def test_presses_are_told_once_each():
    for seed in range(4):
        counted = presses.play(seed, 100)
        assert (counted.presses, counted.lost, counted.ghosts) == (100, 0, 0)
        assert counted.spikes > 100 and counted.late > 20


def test_bounces_longer_than_the_debounce_were_made_for_lose_no_press():
    counted = presses.play(2, 100, presses.OUTLIER_US)
    assert (counted.presses, counted.lost) == (100, 0)


def test_keys_that_believe_every_sample_tell_ghosts(monkeypatch):
    monkeypatch.setattr(presses, "Keys", lambda one_contact: Keys(one_contact, 0, 0))
    assert presses.play(1, 100, presses.OUTLIER_US).ghosts > 10


def test_keys_that_wait_too_long_lose_presses(monkeypatch):
    monkeypatch.setattr(presses, "Keys", lambda one_contact: Keys(one_contact, 400, 25))
    assert presses.play(1, 100).lost > 50


@pytest.mark.parametrize(
    ("seen", "of", "bound"), [(0, 300, 0.00994), (0, 300_000, 1e-5), (3, 100, 0.0757), (5, 5, 1.0)]
)
def test_bounds_are_those_of_clopper_and_pearson(seen, of, bound):
    """One-sided 95 %, from tables of the beta distribution."""
    assert presses.at_most(seen, of) == pytest.approx(bound, rel=0.01)


def test_damaged_lines_lose_and_double_nothing():
    counted = lines.play(3, 1500)
    assert counted.damaged >= 1500 and counted.records > 30


def test_a_host_that_acks_what_it_does_not_keep_is_noticed(monkeypatch):
    monkeypatch.setattr(Store, "ingest", lambda self, *args: None)
    with pytest.raises(Broken, match="is acked and not stored"):
        lines.play(3, 1500)


@pytest.fixture
def small(monkeypatch):
    for name, count in (("TRIALS", 1), ("LINES", 50), ("PRESSES", 10)):
        monkeypatch.setattr(soak, name, count)


def test_a_soak_goes_on_where_it_ended(small, tmp_path):
    state = tmp_path / "out" / "soak.json"
    for done in (1, 2):
        again = soak.Soak(state)
        again.turn()
        again.keep()
        kept = json.loads(state.read_text())
        assert (kept["turns"], kept["totals"]["trials"], kept["totals"]["keys presses"]) == (done, done, 10 * done)
    assert "2 trials" in again.report()


def test_totals_of_other_code_are_not_taken_over(small, tmp_path, monkeypatch):
    state = tmp_path / "soak.json"
    first = soak.Soak(state)
    first.turn()
    first.keep()
    monkeypatch.setattr(soak, "code_hash", lambda: "another")
    assert soak.Soak(state).turns == 0


def test_a_state_that_is_none_is_one_sentence(tmp_path):
    state = tmp_path / "soak.json"
    state.write_text("{")
    with pytest.raises(UserError, match=r"cannot be read .* move that file away\.$"):
        soak.Soak(state)
