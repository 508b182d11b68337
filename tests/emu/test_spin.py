"""What one spin of the application takes: time of a tick while the host does not read, and memory."""

import pytest

from host_tools.emu.probe import SpinProbe

HEAP_LIMIT = 100 * 1024
FEED_LIMIT_MS = 80
FEW = (1, 2, 3, 7, 15, 31, 47, 62, 63)  # bytes free in the line; a packet of USB has 64
ALL = tuple(range(1, 64))
WRAP, HALF = 1 << 30, 1 << 29  # ticks_ms() begins anew at the one, and differences turn negative at the other
BEFORE_MS = 2500  # from power-on into the middle of the spin


@pytest.fixture(
    scope="module",
    params=[
        (FEW, WRAP),
        pytest.param((ALL, HALF), marks=pytest.mark.emu_full),
    ],
    ids=["few before 2**30", "all before 2**29"],
)
def spun(request, uf2, emulated):
    frees, at = request.param
    probe = SpinProbe(frees, start_ticks=at - BEFORE_MS, uf2=uf2)
    emulated(probe.board)
    assert probe.done == len(frees)
    return probe


def test_a_host_that_does_not_read_holds_no_tick_up_for_as_long_as_a_feed(spun, figure):
    figure(
        f"longest tick while spinning, {spun.done} fillings of the line, the worst with {spun.gap_frees} bytes free",
        spun.gap_ms,
        "ms",
        f"{FEED_LIMIT_MS} ms",
    )
    assert 0 < spun.gap_ms < FEED_LIMIT_MS


def test_no_memory_is_taken_while_spinning_also_where_the_ticks_wrap(spun, figure):
    on_ms, off_ms = (us / 1000 for us, _ in spun.program.relay_edges())
    assert on_ms < BEFORE_MS < off_ms
    figure("heap taken over a whole spin", spun.taken, "bytes", "0")
    assert spun.taken == 0


def test_the_spin_ends_by_its_count_and_nothing_resets_the_board(spun):
    assert [on for _, on in spun.program.relay_edges()] == [True, False]
    assert spun.board.resets == []
    assert spun.then == "COASTING"


def test_100_kib_of_the_heap_are_free_when_ready(spun, figure):
    figure("heap free when ready", spun.free, "bytes", f"at least {HEAP_LIMIT}")
    assert spun.free >= HEAP_LIMIT
