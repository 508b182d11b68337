"""One run of the suite on sim, for the tests that look at it."""

import pytest

from tests.host.bench.bench_runs import Ran, run_bench


@pytest.fixture(scope="session")
def sim_run(micropython, tmp_path_factory) -> Ran:
    return run_bench("--target", "sim", "--seed", "7", out=tmp_path_factory.mktemp("bench") / "run")
