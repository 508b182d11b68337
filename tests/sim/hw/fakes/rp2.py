"""An rp2 module that records, with an assembler for the instructions in use (encodings: RP2040 datasheet 3.4)."""

import machine

NAMES = {"null": 3, "x": 1, "y": 2, "osr": 7, "pin": 6, "x_dec": 2, "y_dec": 4, "not_osre": 7, "noblock": 0, "block": 1}
SIDE_BIT = 12  # one side-set pin takes the highest of the five delay bits


class _Code:
    """Opcodes of one program; a label that is used before it stands is filled in by the second pass."""

    def __init__(self):
        self.labels, self.opcodes, self.wrap_target, self.wrap_top = {}, [], 0, None

    def add(self, opcode):
        self.opcodes.append(opcode)
        return self

    def __getitem__(self, delay):
        self.opcodes[-1] |= delay << 8
        return self

    def side(self, level):
        self.opcodes[-1] |= level << SIDE_BIT
        return self

    def names(self):
        return {
            "label": self.label,
            "wrap_target": lambda: None,
            "wrap": lambda: None,
            "jmp": self.jmp,
            "pull": lambda wait: self.add(0x8080 | wait << 5),
            "mov": lambda to, source: self.add(0xA000 | to << 5 | source),
            "out": lambda to, bits: self.add(0x6000 | to << 5 | bits),
            "set": lambda to, value: self.add(0xE000 | to << 5 | value),
        }

    def label(self, name):
        self.labels[name] = len(self.opcodes)

    def jmp(self, condition, target=None):
        if target is None:
            condition, target = 0, condition
        return self.add(condition << 5 | self.labels.get(target, 0))


def asm_pio(sideset_init=None):
    def assemble(function):
        code = _Code()
        space = function.__globals__
        kept = space.copy()
        space.clear()
        space.update(NAMES)
        space.update(code.names())
        function()
        code.opcodes = []
        function()
        space.clear()
        space.update(kept)
        code.sideset_init = sideset_init
        return code

    return assemble


machines = {}


class PIO:
    OUT_LOW, OUT_HIGH, SHIFT_LEFT = 2, 3, 0

    def __init__(self, number):
        self.number = number

    def remove_program(self):
        machine.done.append(["remove", self.number])


class StateMachine:
    """X and the FIFOs are there to be set; exec knows the instructions that read a counter."""

    def __new__(cls, number):
        if number not in machines:
            machines[number] = object.__new__(cls)
            machines[number].setup(number)
        return machines[number]

    def __init__(self, number):
        pass

    def setup(self, number):
        self.number, self.x, self.isr, self.word = number, 0, 0, None
        self.running = False
        self.deaf = False  # takes no injected instruction
        self.held = 0  # words in the TX FIFO

    def init(self, program, **settings):
        machine.done.append(["init", self.number, program.sideset_init, settings["freq"], settings["jmp_pin"].number])
        self.program = program
        machine.registers[0x502000D4 + 0x18 * self.number] = 32 - len(program.opcodes)  # at its beginning

    def active(self, on=None):
        if on is not None:
            self.running = bool(on)
            machine.done.append(["active", self.number, on])
        return self.running

    def put(self, word):
        machine.done.append(["put", self.number, word])

    def tx_fifo(self):
        return self.held

    def rx_fifo(self):
        return 0 if self.word is None else 1

    def exec(self, opcode):
        if self.deaf:
            return
        if opcode == 0xA0C9:  # mov(isr, invert(x))
            self.isr = ~self.x & 0xFFFFFFFF
        elif opcode == 0x4062:  # in_(null, 2), shifting left
            self.isr = self.isr << 2 & 0xFFFFFFFF
        elif opcode == 0x8000:  # push(noblock)
            self.word, self.isr = self.isr, 0
        else:
            raise ValueError(hex(opcode))

    def get(self, buffer=None, shift=0):
        word, self.word = self.word, None
        return word >> shift
