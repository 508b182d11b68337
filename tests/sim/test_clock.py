"""The simulated board's clock: moves as it is told, and wraps as the board's does."""

import pytest

from host_tools.errors import UserError
from host_tools.sim import SimBoard


def test_time_stands_still_until_it_is_allowed_to_pass(run_program):
    sim = run_program("import time\nfor n in range(5):\n    time.sleep_ms(10)\n    print(n, time.ticks_ms())\n")
    sim.rig.step(25)
    assert sim.host.noise() == "0 10\n1 20"
    sim.rig.step(10)
    assert sim.host.noise() == "0 10\n1 20\n2 30"


def test_a_busy_loop_on_ticks_us_ends(run_program):
    sim = run_program(
        "import time\n"
        "start = time.ticks_us()\n"
        "while time.ticks_diff(time.ticks_us(), start) < 5000:\n"
        "    pass\n"
        "print('out')\n"
    )
    sim.rig.step(4)
    assert sim.host.noise() == ""
    sim.rig.step(3)
    assert sim.host.noise() == "out"


def test_ticks_wrap_at_2_to_the_30(run_program):
    sim = run_program(
        "import time\n"
        "a = time.ticks_ms()\n"
        "time.sleep_ms(8)\n"
        "b = time.ticks_ms()\n"
        "print(a, b, time.ticks_diff(b, a), time.ticks_diff(a, b), time.ticks_add(a, 8))\n",
        start_ticks=2**30 - 5,
    )
    sim.rig.step(10)
    assert sim.host.noise() == "1073741819 3 8 -8 3"


def test_a_stall_holds_the_firmware_back(run_program):
    sim = run_program("import time\nwhile True:\n    time.sleep_ms(2)\n    print(time.ticks_ms())\n")
    sim.rig.step(5)
    sim.rig.stall(50)
    sim.rig.step(60)
    ticks = [int(line) for line in sim.host.noise().split()]
    assert ticks[:3] == [2, 4, 56]


def test_real_time_passes_by_itself_as_fast_as_told(run_program):
    sim = run_program("import time\nwhile True:\n    time.sleep_ms(2)\n", clock="real", speed=50)
    first = sim.rig.read()["t_ms"]
    sim.rig.step(500)  # 10 ms of ours
    assert first + 300 < sim.rig.read()["t_ms"] < first + 30_000


@pytest.mark.parametrize(("settings", "word"), [({"clock": "fast"}, "fast"), ({"speed": 0}, "0.01")])
def test_a_clock_that_does_not_exist_is_refused(tmp_path, settings, word):
    with pytest.raises(UserError, match=word):
        SimBoard(tmp_path, **settings)
