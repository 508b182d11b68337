"""Memory on a real heap: what is free when the board is ready."""

HEAP_LIMIT = 100 * 1024

# main.py, but that the watchdog's feeding tells the free heap in the tenth tick
MAIN = """
import gc, sys
from tumbler import app

class Probe:
    ticks = 0
    def feed(self):
        self.ticks += 1
        if self.ticks == 10:
            gc.collect()
            sys.stdout.buffer.write(b"\\nfree %d\\n" % gc.mem_free())

app.Watchdog = Probe
app.main()
"""


def test_100_kib_of_the_heap_are_free_when_ready(run_program):
    program = run_program(MAIN)
    assert int(program.until("free", 1500).split()[1]) >= HEAP_LIMIT
