"""Pulses through the counter's program: as many as were injected, whatever the wire and Python do.

t_f is 20 us for a hall sensor and 2 ms for a reed switch; its pulses last 2 t_f and more in each half.
"""

import dataclasses

import pytest

from host_tools.boards import load_board
from host_tools.emu.rough import COUNT, HIGH, LOW, counted, only_spikes, rough

IDLE = "pass"
BUSY = "t = time.ticks_ms()\nwhile time.ticks_diff(time.ticks_ms(), t) < 500: pass"  # Python stalled
ERASE = "t = time.ticks_ms(); rp2.Flash().ioctl(6, 200); print('held', time.ticks_diff(time.ticks_ms(), t))"
FULL = pytest.mark.emu_full


def sensor_board(t_f_us):
    pico = load_board("pico")
    return dataclasses.replace(pico, sensor=dataclasses.replace(pico.sensor, t_f_us=t_f_us))


def ready(run_program, t_f_us, during=IDLE, **settings):
    """The board, its sensor's wire low for long enough."""
    program = run_program(COUNT.replace("DURING", during), board=sensor_board(t_f_us), **settings)
    program.board.world.set_outside(program.board.board.pins.sensor, LOW)
    program.until("ready", 300)
    return program


@pytest.mark.parametrize(
    ("t_f_us", "hz", "pulses", "seed"),
    [
        (20, 12_500, 250, 1),  # 1 / (4 t_f)
        pytest.param(2000, 125, 15, 1, marks=FULL),
        *[
            pytest.param(t_f_us, hz, pulses, seed, marks=FULL)
            for t_f_us, hz, pulses in (
                (20, 1, 5),
                (20, 50, 20),
                (20, 1000, 500),
                (20, 12_500, 5000),
                (2000, 1, 5),
                (2000, 10, 20),
                (2000, 50, 60),
                (2000, 125, 250),
            )
            for seed in (2, 3)
        ],
    ],
)
def test_as_many_pulses_are_counted_as_were_injected(run_program, t_f_us, hz, pulses, seed):
    program = ready(run_program, t_f_us)
    assert counted(program, rough(pulses, 500_000 / hz, t_f_us, seed), t_f_us) == pulses


@pytest.mark.parametrize("level", [LOW, pytest.param(HIGH, marks=FULL)])
@pytest.mark.parametrize(("t_f_us", "end_us"), [(20, 20_000), pytest.param(2000, 500_000, marks=FULL)])
def test_spikes_are_not_counted(run_program, t_f_us, end_us, level):
    program = ready(run_program, t_f_us)
    edges = only_spikes(level, t_f_us, end_us)
    assert len(edges) > 50
    assert counted(program, edges, t_f_us) == level  # the wire was low: its way to high is the one pulse


@pytest.mark.parametrize(
    ("t_f_us", "hz"), [(20, 200), pytest.param(20, 12_500, marks=FULL), pytest.param(2000, 125, marks=FULL)]
)
def test_pulses_are_counted_while_the_processor_does_nothing_for_500_ms(run_program, t_f_us, hz):
    program = ready(run_program, t_f_us)
    pulses = hz // 2
    program.board.at(10, lambda: program.board.stall(500))
    assert counted(program, rough(pulses, 500_000 / hz, t_f_us), t_f_us) == pulses


@pytest.mark.emu_full
@pytest.mark.parametrize(("t_f_us", "hz"), [(20, 1000), (20, 12_500), (2000, 125)])
def test_pulses_are_counted_while_python_is_stalled_for_500_ms(run_program, t_f_us, hz):
    program = ready(run_program, t_f_us, BUSY)
    pulses = hz // 2
    assert counted(program, rough(pulses, 500_000 / hz, t_f_us), t_f_us) == pulses


@pytest.mark.parametrize(
    ("t_f_us", "hz", "erase_ms"),
    [
        (20, 1000, 45),
        pytest.param(20, 12_500, 400, marks=FULL),
        pytest.param(2000, 125, 45, marks=FULL),
        pytest.param(2000, 125, 400, marks=FULL),
    ],
)
def test_pulses_are_counted_while_flash_is_busy(run_program, t_f_us, hz, erase_ms):
    program = ready(run_program, t_f_us, ERASE, erase_ms=erase_ms)
    pulses = hz * erase_ms // 1000
    assert counted(program, rough(pulses, 500_000 / hz, t_f_us), t_f_us) == pulses
    assert int(program.until("held", 1).split()[1]) >= erase_ms
