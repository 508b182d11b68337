"""Runs core tests under MicroPython: `micropython tests/core/run_under_micropython.py [FILE...]`, without FILE all.

Prints one line per test (PASS, FAIL or SKIP, then file::test) and a failure's traceback; exit code 1 if any failed.
"""

import os
import sys
import time

HERE = __file__.rpartition("/")[0] or "."
ROOT = HERE + "/../.."


def found():
    return [HERE + "/" + name for name in sorted(os.listdir(HERE)) if name.startswith("test_") and name.endswith(".py")]


def say(verdict, name, detail=""):
    print("%s %s %s" % (verdict, name, detail))


def call(name, function):
    """Run one test -> whether it did not fail."""
    began_ms = time.ticks_ms()
    try:
        function()
    except kit.Skip as e:
        say("SKIP", name, str(e))
    except Exception as e:
        say("FAIL", name)
        sys.print_exception(e, sys.stdout)
        return False
    else:
        say("PASS", name, "%d ms" % time.ticks_diff(time.ticks_ms(), began_ms))
    return True


def run(path):
    """Run every test of one file -> number that failed. A file that cannot be imported is a failure."""
    folder, _, file = path.rpartition("/")
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        module = __import__(file[:-3])
    except Exception as e:
        say("FAIL", file)
        sys.print_exception(e, sys.stdout)
        return 1
    names = [name for name in sorted(dir(module)) if name.startswith("test_") and callable(getattr(module, name))]
    return sum([not call(file + "::" + name, getattr(module, name)) for name in names])


sys.path[:] = [ROOT, ROOT + "/firmware", ".frozen"]
from tests.core import kit  # noqa: E402  the path comes first

sys.exit(1 if sum([run(path) for path in sys.argv[1:] or found()]) else 0)
