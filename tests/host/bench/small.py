"""The bench with a small suite of one file, on a simulated board; as a program, for the bench runs pytest itself.

    python -m tests.host.bench.small SUITE --out DIR

Its last line says whether the relay was on when the board was given back.
"""

import argparse
import signal
import sys
from pathlib import Path

from host_tools.bench import runner
from host_tools.bench.stops import stopped_once
from host_tools.bench.targets import Target, open_sim
from host_tools.errors import UserError


def _open() -> Target:
    target = open_sim("pico", 7)
    target.opened.callback(lambda: print(f"given back with relay {'on' if target.rig.read()['relay'] else 'off'}"))
    return target


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with stopped_once():
            return runner.run(_open, args.out, suite=args.suite).exit_code()
    except UserError as error:
        print(error)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
