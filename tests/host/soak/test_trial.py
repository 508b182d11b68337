"""Trials keep their promises, say the same on every run, and notice when a promise is broken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.soak.trial import Trial

SEEDS = 20
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_lost_and_it_goes_on_once_the_faults_stop(seed):
    outcome = Trial(seed).run()
    assert not outcome.broken, f"{outcome.broken}; the log: make sim SEED={seed}"
    assert outcome.rounds >= 4 and outcome.records > 12


def test_a_seed_says_the_same_on_every_run():
    said = [
        subprocess.run(
            [sys.executable, "-m", "host_tools.soak", "sim", "5"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert said[0] == said[1] and said[0].count(b"record ") > 12
