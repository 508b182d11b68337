"""Firmware with a seeded fault: the bench ends with 1, and the test that should see the fault is the one that does."""

import pytest

from tests.host.bench.bench_runs import Ran, run_bench
from tests.host.bench.seeded import FAULTS, ON_EMU


def seeded(fault: str, target: str, out) -> Ran:
    return run_bench(out=out, module="tests.host.bench.seeded", command=(fault, target))


def is_seen(ran: Ran, fault: str) -> None:
    outcomes = ran.outcomes()
    seen = [name for name, outcome in outcomes.items() if name.partition("[")[0] == FAULTS[fault].seen_by]
    assert seen, "the test is there"
    assert "failed" in [outcomes[name] for name in seen], ran.said
    assert [
        name for name, outcome in outcomes.items() if outcome not in ("passed", "skipped") and name not in seen
    ] == []
    assert ran.code == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_is_seen_on_sim(fault, micropython, tmp_path):
    is_seen(seeded(fault, "sim", tmp_path / "run"), fault)


@pytest.mark.emu_full
@pytest.mark.parametrize("fault", ON_EMU)
def test_a_seeded_fault_is_seen_on_emu(fault, uf2, tmp_path):
    is_seen(seeded(fault, "emu", tmp_path / "run"), fault)
