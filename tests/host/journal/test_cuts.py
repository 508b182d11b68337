"""The power goes at every flash operation of the journal, and at every pair of them. Counts: docs/RELIABILITY.md."""

from __future__ import annotations

from tests.core import journal_cuts


def test_the_power_goes_at_every_operation_of_thirty_rounds():
    operations, cuts = journal_cuts.every_cut(rounds=30)
    print(f"30 rounds: {operations} flash operations, {cuts} cuts, before, within and behind each")
    assert operations > 700 and cuts == 3 * operations


def test_the_power_goes_twice_at_every_pair_of_operations_of_three_rounds():
    firsts, pairs = journal_cuts.every_pair(rounds=3)
    print(f"3 rounds: {firsts} first cuts, {pairs} pairs, torn")
    assert firsts > 70 and pairs > 3000
