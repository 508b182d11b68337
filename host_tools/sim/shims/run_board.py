"""Starts a simulated board: the world from the JSON file named in argv, then boot.py and main.py as a board does."""

import json
import sys

import tumbler_board  # the board's settings, on its flash
import world
from rigpipe import RigPipe
from rp2 import Flash, stop_all


def run(path):
    """Run a file of the firmware. -> "ended", "failed", or "soft_reset" if it raised SystemExit, as on a board."""
    try:
        with open(path) as file:
            code = compile(file.read(), path, "exec")
        exec(code, {"__name__": "__main__", "__file__": path})
    except SystemExit:
        return "soft_reset"
    except Exception as error:
        sys.print_exception(error)  # goes over the serial line, as on a board
        sys.print_exception(error, sys.stderr)
        return "failed"
    return "ended"


def start(firmware):
    """One start after a hard or soft reset. An exception in boot.py skips main.py."""
    how = run("boot.py")  # on its flash, filled in for the board
    return run(firmware + "/main.py") if how == "ended" else how


def forget_firmware(kept):
    """A soft reset forgets all modules and stops the state machines; pins stay as they are."""
    stop_all()
    for name in list(sys.modules):
        if name not in kept:
            del sys.modules[name]


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    Flash.path = config["flash"]
    world.the = world.World(config, tumbler_board, RigPipe(config["rig_in"], config["rig_out"]))
    for pin in range(world.PINS):
        world.the.settle(pin)
    world.the.advance(world.the.now_us + config["off_us"])  # the board was dark for so long; the world went on
    world.the.boot_us = world.the.now_us
    kept = set(sys.modules)
    while start(config["firmware"]) == "soft_reset":
        forget_firmware(kept)
    while True:  # the REPL's prompt; a watchdog that was started bites here too
        world.the.sleep_us(1_000_000)


try:
    main()
except Exception as error:  # of the simulator itself
    sys.print_exception(error, sys.stderr)
