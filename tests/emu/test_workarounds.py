"""Each work-around is still needed: a test here fails once the emulator does without; then take the work-around out.

The tests look at the emulator alone, and need no UF2.
"""

import pytest
from rp2040py.peripherals.watchdog import ENABLE, REASON
from rp2040py.rp2040 import RP2040
from rp2040py.simulator import Simulator
from rp2040py.usb.cdc import USBCDC

from host_tools.emu import workarounds

PIO0 = 0x50200000
CTRL, TXF0, INSTR_MEM0, SM0_CLKDIV, SM0_EXECCTRL, SM0_SHIFTCTRL = 0x0, 0x10, 0x48, 0xC8, 0xCC, 0xD0
WATCHDOG_CTRL = 0x40058000
USB = 0x50110000
SOF_RD, INTR, INTE, INTS = 0x48, 0x8C, 0x90, 0x98
DEV_SOF = 1 << 17
SIO_GPIO_IN, SIO_GPIO_OUT, SIO_GPIO_OE = 0xD0000004, 0xD0000010, 0xD0000020
GPIO5_CTRL, PADS_GPIO5 = 0x4001402C, 0x4001C018
PULLED_DOWN = 0x56  # of a pad: input enabled, pull-down; RP2040 datasheet 2.19.6.3
JMP_X_DEC = 0x0040  # to itself: x counts down one a cycle


class Chip:
    """A bare chip in the shape in which the work-arounds take a device."""

    def __init__(self):
        self.simulator = Simulator(rp2040=RP2040())
        self.mcu = self.simulator.rp2040
        self.mcu.load_bootrom([0] * 16)

    def drive_gpio5(self, level):
        self.mcu.write_uint32(PADS_GPIO5, PULLED_DOWN)
        self.mcu.write_uint32(GPIO5_CTRL, 5)  # function SIO
        self.mcu.write_uint32(SIO_GPIO_OE, 1 << 5)
        self.mcu.write_uint32(SIO_GPIO_OUT, level << 5)

    def gpio5(self):
        return self.mcu.read_uint32(SIO_GPIO_IN) >> 5 & 1

    def start_counting_down(self):
        self.mcu.write_uint32(PIO0 + INSTR_MEM0, JMP_X_DEC)
        self.mcu.write_uint32(PIO0 + SM0_CLKDIV, 1 << 16)
        self.mcu.write_uint32(PIO0 + SM0_EXECCTRL, 31 << 12)
        self.mcu.pio[0].machines[0].x = 1_000_000
        self.mcu.write_uint32(PIO0 + CTRL, 1)

    def passes(self):
        return 1_000_000 - self.mcu.pio[0].machines[0].x


@pytest.fixture
def chip():
    return Chip()


def test_pio_time_is_needed(chip):
    chip.start_counting_down()
    chip.mcu.pio[0].advance(1000)  # as for a CPU that sleeps for 1000 cycles
    assert chip.passes() < 1000


def test_pio_time_runs_every_instruction(chip):
    time = workarounds.PioTime(chip)
    chip.start_counting_down()
    chip.mcu.clock.tick(8000)  # 1000 cycles of 8 ns
    time.catch_up()
    assert 998 <= chip.passes() <= 1001


def test_emptying_the_fifos_is_needed(chip):
    chip.mcu.write_uint32(PIO0 + TXF0, 1)
    chip.mcu.write_uint32(PIO0 + SM0_SHIFTCTRL, 1 << 31)
    chip.mcu.write_uint32(PIO0 + SM0_SHIFTCTRL, 0)
    assert not chip.mcu.pio[0].machines[0].tx_fifo.empty


def test_a_change_of_fjoin_empties_the_fifos(chip):
    workarounds.PioTime(chip)
    chip.mcu.write_uint32(PIO0 + TXF0, 1)
    chip.mcu.write_uint32(PIO0 + SM0_SHIFTCTRL, 1 << 31)
    chip.mcu.write_uint32(PIO0 + SM0_SHIFTCTRL, 0)
    assert chip.mcu.pio[0].machines[0].tx_fifo.empty


def test_reading_outputs_back_is_needed(chip):
    chip.drive_gpio5(1)
    assert chip.gpio5() == 0


def test_an_output_is_read_back_and_let_go_with_a_reset(chip):
    workarounds.read_back_outputs(chip)
    chip.drive_gpio5(1)
    assert chip.gpio5() == 1
    chip.drive_gpio5(0)
    assert chip.gpio5() == 0
    chip.drive_gpio5(1)
    chip.mcu.enter_reset()
    chip.mcu.write_uint32(PADS_GPIO5, PULLED_DOWN)
    assert chip.gpio5() == 0


def test_telling_of_resets_is_needed(chip):
    levels = []
    chip.mcu.gpio[5].add_listener(lambda new, old: levels.append(new.name))
    chip.drive_gpio5(1)
    chip.mcu.enter_reset()
    assert levels == ["HIGH"] or levels == ["LOW", "HIGH"]


def test_resets_are_told(chip):
    told = []
    workarounds.tell_of_resets(chip, lambda: told.append(chip.mcu.gpio[5].value.name))
    chip.drive_gpio5(1)
    chip.mcu.enter_reset()
    assert told == ["INPUT_PULL_DOWN"]


def test_stopping_the_watchdog_is_needed(chip):
    chip.mcu.write_uint32(WATCHDOG_CTRL, ENABLE)
    chip.mcu.enter_reset(from_watchdog=True)
    assert chip.mcu.watchdog.timer.enable


def test_a_reset_stops_the_watchdog(chip):
    workarounds.stop_watchdog_at_reset(chip)
    chip.mcu.write_uint32(WATCHDOG_CTRL, ENABLE)
    chip.mcu.enter_reset(from_watchdog=True)
    chip.mcu.clock.tick(20e9)  # longer than the longest time-out, 8.4 s
    assert not chip.mcu.watchdog.timer.enable
    assert chip.mcu.watchdog.read_uint32(REASON) == 0


def test_frames_are_needed(chip):
    chip.mcu.write_uint32(USB + INTE, DEV_SOF)
    chip.mcu.clock.tick(5e6)
    assert not chip.mcu.read_uint32(USB + INTR) & DEV_SOF


def test_a_frame_begins_every_ms_and_reading_its_number_clears_the_interrupt(chip):
    workarounds.send_frames(chip)
    chip.mcu.write_uint32(USB + INTE, DEV_SOF)
    for _ in range(3):
        chip.mcu.clock.tick(1e6)
        assert chip.mcu.read_uint32(USB + INTS) == DEV_SOF
        chip.mcu.read_uint32(USB + SOF_RD)
        assert chip.mcu.read_uint32(USB + INTS) == 0


OUT = 2  # the endpoint that takes the host's bytes


@pytest.fixture
def answers(chip, monkeypatch):
    """What the host gives the guest: (endpoint, bytes)."""
    chip.cdc = USBCDC(chip.mcu.usb_ctrl)
    chip.cdc._out_endpoint = OUT
    given = []
    monkeypatch.setattr(
        chip.mcu.usb_ctrl, "endpoint_read_done", lambda endpoint, data: given.append((endpoint, bytes(data)))
    )
    return given


def test_the_quiet_usb_host_is_needed(chip, answers):
    chip.mcu.usb_ctrl.on_endpoint_read(OUT, 64)
    assert answers == [(OUT, b"")]


def test_the_quiet_usb_host_answers_when_it_has_bytes(chip, answers):
    quiet = workarounds.QuietUsb(chip)
    chip.mcu.usb_ctrl.on_endpoint_read(OUT, 3)
    assert answers == []
    quiet.send(b"abcde")
    assert answers == [(OUT, b"abc")]
    chip.mcu.usb_ctrl.on_endpoint_read(OUT, 3)
    assert answers == [(OUT, b"abc"), (OUT, b"de")]
    assert quiet.waiting() == 0
