"""What the firmware's two PIO programs do, seen from outside; their instructions themselves run on the emulator only.

Times follow from the programs' cycle counts (firmware/tumbler/hw/pio_deadman.py, pio_counter.py). No heap is taken.
"""

NEVER = 1 << 60
PASS_CYCLES = 6  # dead-man: one pass of its loop
OPEN_CYCLES = 19  # dead-man: an opening of so long trips: up to a pass until the first look, two more until the third
DEAD_ADDRESS = 11  # dead-man: where it ends
FILTER_CYCLES = 160  # counter: samples in a row, 32 x 5 cycles
WORD = 0xFFFFFFFF

WAIT_LONGEST, WAIT_FEED, RUN, DEAD = range(4)


class DeadMan:
    """Arms with two words (longest on-time, first feed), then holds the relay on until a trip, which latches.

    On is a level or, where the relay is driven by pulses, the wave that the world's relay pin then carries.
    """

    def __init__(self, world, freq_hz, relay_pin, jmp_pin, on_level):
        self.world = world
        self.freq_hz = freq_hz
        self.relay_pin = relay_pin
        self.jmp_pin = jmp_pin
        self.on_level = on_level
        self.state = WAIT_LONGEST
        self.active = False
        self.longest = 0
        self.due_us = self.feed_us = self.total_us = self.open_us = NEVER

    def wants_word(self):
        """A word in the FIFO is taken at once (within one pass)."""
        return self.active and self.state != DEAD

    def word(self, word):
        if self.state == WAIT_LONGEST:
            self.longest = word
            self.state = WAIT_FEED
            return
        now_us = self.world.now_us
        if self.state == WAIT_FEED:
            if self.world.level(self.jmp_pin):
                self._trip()
                return
            self.state = RUN
            self._hold(True)
            self.total_us = now_us + self._passes_us(self.longest)
        self.feed_us = now_us + self._passes_us(word)
        self._plan()

    def edge(self, level):
        """The cover's pin changed."""
        if self.state == RUN and self.active:
            self.open_us = NEVER
            if level:
                self.open_us = self.world.now_us + (OPEN_CYCLES * 1_000_000 + self.freq_hz - 1) // self.freq_hz
            self._plan()

    def expire(self):
        """Due: the cover was open for too long, no feed came, or the time is up."""
        self._trip()

    def stop(self):
        """A level stays as it is, a wave ends."""
        self.active = False
        self.due_us = NEVER
        self.world.set_wave(False)

    def restart(self):
        self.state = WAIT_LONGEST
        self.due_us = self.feed_us = self.total_us = self.open_us = NEVER
        if self.active:
            self._hold(False)

    def address(self):
        """Of the instruction that it is at, as far as the firmware asks: at its end or not."""
        return DEAD_ADDRESS if self.state == DEAD else 0

    def _passes_us(self, passes):
        return (passes + 1) * PASS_CYCLES * 1_000_000 // self.freq_hz

    def _plan(self):
        self.due_us = min(self.feed_us, self.total_us, self.open_us)

    def _trip(self):
        self.state = DEAD
        self.due_us = NEVER
        self._hold(False)

    def _hold(self, on):
        self.world.pio_level[self.relay_pin] = self.on_level if on else 1 - self.on_level
        self.world.set_wave(on)
        self.world.settle(self.relay_pin)


class SpinCounter:
    """Counts rising edges of its pin after a filter; X counts down. It begins as if the level had been low."""

    def __init__(self, world, freq_hz, jmp_pin, x):
        self.world = world
        self.jmp_pin = jmp_pin
        self.t_f_us = FILTER_CYCLES * 1_000_000 // freq_hz
        self.x = x
        self.active = False
        self._raw = 0
        self._filtered = 0
        self._since_us = NEVER

    def start(self):
        self.active = True
        self._raw = self.world.level(self.jmp_pin)
        self._since_us = self.world.now_us

    def edge(self, level):
        if self.active:
            self.settle()
            self._raw = level
            self._since_us = self.world.now_us

    def settle(self):
        """Let the filter see what happened up to now."""
        if self.active and self._raw != self._filtered and self.world.now_us - self._since_us >= self.t_f_us:
            self._filtered = self._raw
            if self._filtered:
                self.x = (self.x - 1) & WORD

    def stop(self):
        self.settle()
        self.active = False
