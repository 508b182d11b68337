"""Resets of the simulated board are real: no code runs on, scratch and world stay as a board's would."""

TELL = "import machine, time\nfrom machine import mem32\nprint(machine.reset_cause(), mem32[0x4005800C])\n"


def test_a_watchdog_that_is_not_fed_resets_the_board(run_program):
    source = TELL + (
        "mem32[0x4005800C] = 77\n"
        "if machine.reset_cause() == 1:\n"
        "    dog = machine.WDT(timeout=100)\n"
        "    for _ in range(5):\n        time.sleep_ms(90)\n        dog.feed()\n"
        "    time.sleep_ms(200)\n"
        "    print('ran on')\n"
    )
    sim = run_program(source)
    sim.rig.step(540)
    assert sim.board.resets == []
    sim.rig.step(300)
    assert sim.board.resets == ["watchdog"]
    assert sim.host.noise() == "1 0\n3 77"


def test_no_handler_of_the_firmware_runs_after_a_reset(run_program):
    source = TELL + (
        "if machine.reset_cause() == 1:\n"
        "    try:\n        machine.reset()\n"
        "    except BaseException:\n        print('caught')\n"
        "    finally:\n        print('finally')\n"
    )
    sim = run_program(source)
    sim.rig.step(200)
    assert sim.board.resets == ["commanded"]
    assert sim.host.noise() == "1 0\n3 0"


def test_a_power_cut_clears_scratch_and_keeps_what_hands_hold(run_program):
    source = (
        TELL + "mem32[0x4005800C] = 77\nfrom machine import Pin\np = Pin(2, Pin.IN, Pin.PULL_UP)\nprint(p.value())\n"
    )
    sim = run_program(source)
    sim.rig.press("1")
    sim.rig.cover(True)
    sim.rig.step(100)
    sim.rig.power_cut(500)
    seen = sim.rig.step(10)
    assert sim.host.noise() == "1 0\n1\n1 0\n0"  # the key was still up at the first start, and is down at the second
    assert seen["cover_open"]
    assert seen["t_ms"] == 610


def test_the_drum_coasts_on_through_a_power_cut(run_program):
    sim = run_program(
        "import time, tumbler_board as board, machine\nfrom tumbler.hw.relay import Relay\nrelay = Relay(board)\n"
        "relay.on()\nwhile True:\n    time.sleep_ms(2)\n    relay.feed()\n"
    )
    sim.rig.step(2000)
    assert sim.rig.read()["relay"]
    (sim.board.state_dir.parent / "firmware" / "main.py").write_text("")
    sim.rig.power_cut(300)
    seen = sim.rig.read()
    assert (seen["relay"], seen["drum_turns"]) == (False, True)
    sim.rig.power_cut(3000)
    assert not sim.rig.read()["drum_turns"]


def test_a_soft_reset_runs_boot_and_main_again_and_leaves_pins(run_program):
    source = (
        "import machine, sys\n"
        "from machine import Pin\n"
        "lamp = Pin(13)\n"
        "print(lamp.value(), 'tumbler.core.ticks' in sys.modules)\n"
        "import tumbler.core.ticks\n"
        "if not lamp.value():\n    Pin(13, Pin.OUT, value=1)\n    raise SystemExit\n"
    )
    sim = run_program(source)
    sim.rig.step(10)
    assert sim.host.noise() == "0 False\n1 False"
    assert sim.board.resets == []


def test_an_exception_in_boot_skips_main(run_program):
    sim = run_program("print('main')\n")
    sim.rig.step(10)
    (sim.board.state_dir / "boot.py").write_text("import no_such_room\n")
    sim.rig.power_cut()
    sim.rig.step(10)
    text = sim.host.noise()
    assert text.startswith("main\nTraceback")
    assert text.endswith("ImportError: no module named 'no_such_room'")


def test_ctrl_c_is_a_byte_like_any_other(sim):
    sim.host.send(b"\x03\x03")
    sim.rig.step(1000)
    assert sim.board.resets == []
    assert sim.dealer.play_round() == tuple(sim.host.last_of("result")["dice"])
