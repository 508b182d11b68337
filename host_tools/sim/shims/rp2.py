"""MicroPython's rp2 module for the simulated board: state machines that hold the firmware's two programs, no others,
and the flash."""

import world
from norflash import Flash as Flash  # the firmware's rp2.Flash
from pio import WORD, DeadMan, SpinCounter

FIFO = 4  # words each way

MOV_ISR_NOT_X = 0xA0C9
IN_NULL = 0x4060  # lowest five bits: how many
PUSH_NOBLOCK = 0x8000


class _Program:
    def __init__(self, name, sideset_init):
        self.name = name
        self.sideset_init = sideset_init


def asm_pio(*, sideset_init=None, **kept):
    """Keeps the program's name and its pin's first level; never runs the body, whose text only the assembler reads."""

    def keep(function):
        return _Program(function.__name__, sideset_init)

    return keep


class PIO:
    """A PIO block: only what the firmware asks of it."""

    IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH = range(4)
    SHIFT_LEFT, SHIFT_RIGHT = range(2)
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2

    def __init__(self, number):
        self.number = number

    def remove_program(self, program=None):
        """Forget the programs of this block's state machines."""
        for number, sm in world.the.state_machines.items():
            if number // 4 == self.number:
                sm.program = None


class StateMachine:
    """One of eight; the same number gives the same machine, as on the board."""

    def __new__(cls, number, *args, **kwargs):
        machines = world.the.state_machines
        if number not in machines:
            machines[number] = object.__new__(cls)
            machines[number]._clear()
        return machines[number]

    def __init__(self, number, program=None, **settings):
        if program is not None:
            self.init(program, **settings)

    def _clear(self):
        self.program = None
        self._model = None
        self._settings = None
        self._is_dead_man = False
        self._x = 0
        self._isr = 0
        self._tx = [0] * FIFO
        self._tx_count = 0
        self._rx = [0] * FIFO
        self._rx_count = 0

    def init(self, program, freq=-1, *, sideset_base=None, jmp_pin=None, in_shiftdir=PIO.SHIFT_LEFT, **other):
        """Stopped at the program's beginning, FIFOs empty, the side-set pin at its first level; X stays as it was."""
        if other or in_shiftdir != PIO.SHIFT_LEFT:
            raise NotImplementedError("the simulated board has no such state machine setting: %r" % other)
        self.active(0)
        self._tx_count = self._rx_count = self._isr = 0
        self.program = program
        w = world.the
        if program.name == "dead_man":
            first = 0 if program.sideset_init == PIO.OUT_LOW else 1
            self._model = w.dead_man = DeadMan(w, freq, sideset_base.number, jmp_pin.number, 1 - first)
            self._is_dead_man = True
            w.pio_level[sideset_base.number] = first
            w.mode[sideset_base.number] = world.PIO
            w.settle(sideset_base.number)
        elif program.name == "spin_counter":
            self._model = w.counter = SpinCounter(w, freq, jmp_pin.number, self._x)
            self._is_dead_man = False
        else:
            raise NotImplementedError("the simulated board has no model of the PIO program %s" % program.name)

    def active(self, on=None):
        """Start, stop, or ask. Starting goes on from the program's beginning only."""
        model = self._model
        if on is None:
            return model is not None and model.active
        if model is None:
            return None
        if not on:
            if model.active:
                model.stop()
            if not self._is_dead_man:
                self._x = model.x
        elif self._is_dead_man:
            if model.state and not model.active:
                raise NotImplementedError("the simulated board cannot go on with a stopped dead-man: init() it first")
            model.active = True
            self._feed()
        else:
            model.start()
        return None

    def _feed(self):
        while self._tx_count and self._model.wants_word():  # taken within one pass of the program
            word = self._tx[0]
            self._tx_count -= 1
            for i in range(self._tx_count):
                self._tx[i] = self._tx[i + 1]
            self._model.word(word)

    def put(self, word, shift=0):
        """Blocks while the FIFO is full, as on the board: only a watchdog ends that."""
        w = world.the
        if w.real:
            w.catch_up()
        while self._tx_count == FIFO:
            w.sleep_us(1000)
        self._tx[self._tx_count] = (word << shift) & WORD
        self._tx_count += 1
        if self._is_dead_man:
            self._feed()

    def get(self, buf=None, shift=0):
        """Blocks while the FIFO is empty."""
        while not self._rx_count:
            world.the.sleep_us(1000)
        word = self._rx[0]
        self._rx_count -= 1
        for i in range(self._rx_count):
            self._rx[i] = self._rx[i + 1]
        return word >> shift

    def tx_fifo(self):
        return self._tx_count

    def rx_fifo(self):
        return self._rx_count

    def exec(self, instruction):
        """The instructions that read the counter; no others are modelled."""
        w = world.the
        if w.real:
            w.catch_up()
        if instruction == MOV_ISR_NOT_X:
            self._model.settle()
            self._isr = ~self._model.x & WORD
        elif instruction & 0xFFE0 == IN_NULL:
            self._isr = (self._isr << (instruction & 31)) & WORD
        elif instruction == PUSH_NOBLOCK:
            if self._rx_count < FIFO:
                self._rx[self._rx_count] = self._isr
                self._rx_count += 1
            self._isr = 0
        else:
            raise NotImplementedError("the simulated state machine has no instruction %r" % instruction)

    def restart(self):
        """Back to the program's beginning; FIFOs and X stay."""
        if self._is_dead_man:
            self._model.restart()
            self._feed()
        else:
            self._model.start()


def stop_all():
    """A soft reset stops every state machine and leaves the pins as they are."""
    for sm in world.the.state_machines.values():
        sm.active(0)
        sm.program = None
