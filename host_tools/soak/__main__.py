"""`make sim SEED=n` plays one trial and shows its log; `make soak MINUTES=n` plays as many as it can."""

import argparse
import sys

from host_tools.errors import UserError
from host_tools.soak import soak
from host_tools.soak.trial import Trial


def sim(seed: int) -> int:
    """The log of one trial, the same to the byte on every run -> exit code."""
    outcome = Trial(seed).run()
    print("\n".join(outcome.log))
    faults = ", ".join(f"{name} {count}" for name, count in sorted(outcome.faults.items()) if count)
    print(
        f"seed {seed}: {outcome.rounds} rounds, {outcome.records} records, {outcome.wagers} wagers; "
        f"faults: {faults or 'none'}"
    )
    if outcome.broken:
        print(f"BROKEN {outcome.broken}; the same again with: make sim SEED={seed}")
    return 1 if outcome.broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m host_tools.soak", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("sim", help="play one trial and show its log")
    one.add_argument("seed", type=int)
    one.set_defaults(do=lambda given: sim(given.seed))
    many = commands.add_parser("soak", help="play trials, damaged lines and presses, going on where the last ended")
    many.add_argument("minutes", type=float)
    many.set_defaults(do=lambda given: soak.run(given.minutes, lambda text: print(text, flush=True)))
    given = parser.parse_args()
    try:
        return given.do(given)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
