"""What rp2040py 0.3.6 does otherwise than an RP2040, and what is done about it; nothing else of the project knows.

tests/emu/test_workarounds.py has a test for each that fails once the emulator no longer needs it.
"""

from collections.abc import Callable
from typing import Any

from rp2040py.device.base_device import BaseDevice

GRAIN_US = 10  # a PIO output is seen by CPU and wires at most so late; its own time is exact all the same
CYCLE_FP = 32  # units of cycle_fp, 1/256 of a system clock of 8 ns, to a ns
SHIFTCTRL = (0xD0, 0xE8, 0x100, 0x118)  # of the four state machines, and in it the bits FJOIN_RX and FJOIN_TX
FJOIN = 3 << 30
SOF_RD = 0x48  # of the USB controller
INTR_DEV_SOF = 1 << 17


class PioTime:
    """Runs both PIO blocks instruction by instruction, each at its own time.

    The emulator gives a state machine at most one instruction for each one of the CPU, and one for a whole sleep of
    the CPU: a dead-man would never fire. Here an alarm every GRAIN_US, every access of the guest, and every change of
    an input (call catch_up() before) let them do all that is due.
    """

    def __init__(self, device: BaseDevice):
        self._clock = device.mcu.clock
        self._blocks: list[Any] = list(device.mcu.pio)
        self._running: Any = None
        for key, peripheral in list(device.mcu.peripherals.items()):
            if peripheral in self._blocks:
                device.mcu.peripherals[key] = _PioAccess(self, peripheral)  # pyright: ignore[reportArgumentType]
        self._alarm = self._clock.create_alarm(self._tick)
        self._alarm.schedule(GRAIN_US * 1000)

    def nanos(self) -> float:
        """Now, in ns; within a PIO instruction the time of that instruction."""
        return self._clock.nanos if self._running is None else self._running.cycle_fp / CYCLE_FP

    def catch_up(self) -> None:
        """Run all that is due."""
        if self._running is not None:
            return
        now_fp = int(self._clock.nanos * CYCLE_FP)
        for block in self._blocks:
            self._running = block
            due_fp = block.next_due_fp
            while due_fp <= now_fp:
                if due_fp > block.cycle_fp:
                    block.cycle_fp = due_fp
                block.advance(0)
                due_fp = block.next_due_fp
            block.cycle_fp = max(now_fp, block.cycle_fp)
        self._running = None

    def take_over(self) -> None:
        """The emulator's own stepping stays off, whatever the guest switched on."""
        for block in self._blocks:
            block.stopped = True

    def _tick(self) -> None:
        self.catch_up()
        self._alarm.schedule(GRAIN_US * 1000)


class _PioAccess:
    """A PIO block as the guest reaches it: up to date, and a change of FJOIN empties both FIFOs (RP2040 datasheet
    3.7, SHIFTCTRL), which the emulator leaves as they are."""

    def __init__(self, time: PioTime, block: Any):
        self._time, self._block = time, block

    def read_uint32(self, offset: int) -> int:
        self._time.catch_up()
        return self._block.read_uint32(offset)

    def write_uint32(self, offset: int, value: int) -> None:
        self.write_uint32_atomic(offset, value, 0)

    def write_uint32_atomic(self, offset: int, value: int, kind: int) -> None:
        self._time.catch_up()
        joined = [machine.shift_ctrl & FJOIN for machine in self._block.machines] if offset in SHIFTCTRL else []
        self._block.write_uint32_atomic(offset, value, kind)
        for machine, before in zip(self._block.machines, joined, strict=False):
            if machine.shift_ctrl & FJOIN != before:
                machine.tx_fifo.reset()
                machine.rx_fifo.reset()
        self._time.take_over()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._block, name)


class QuietUsb:
    """Bytes to the guest's serial port, from a host that says nothing while it has nothing.

    The emulator's host answers a guest that waits for bytes with empty packets without end, and its CPU never sleeps.
    """

    def __init__(self, device: BaseDevice):
        self._usb, self._cdc = device.mcu.usb_ctrl, device.cdc
        self._bytes = bytearray()
        self._wanted = 0  # so many bytes the guest waits for
        self._read_as_before = self._usb.on_endpoint_read
        self._usb.on_endpoint_read = self._on_endpoint_read

    def send(self, data: bytes) -> None:
        """Queue bytes; the guest takes them as it has room."""
        self._bytes += data
        if self._wanted:
            size, self._wanted = self._wanted, 0
            self._answer(size)

    def waiting(self) -> int:
        """Bytes that the guest has not taken yet."""
        return len(self._bytes)

    def reset(self) -> None:
        """The bus was reset: what was on its way is gone."""
        self._bytes.clear()
        self._wanted = 0

    def _on_endpoint_read(self, endpoint: int, size: int) -> None:
        if endpoint == 0 or endpoint != self._cdc._out_endpoint:
            assert self._read_as_before is not None
            self._read_as_before(endpoint, size)
        elif self._bytes:
            self._answer(size)
        else:
            self._wanted = size

    def _answer(self, size: int) -> None:
        data = bytes(self._bytes[:size])
        del self._bytes[:size]
        self._usb.endpoint_read_done(self._cdc._out_endpoint, data)


def send_frames(device: BaseDevice) -> None:
    """A start of frame every ms, as each host sends it (USB 2.0, 8.4.3). TinyUSB defers a transfer that falls due in
    the last 200 us of a frame to the next start (erratum RP2040-E15), which never comes from the emulator's host."""
    usb, read = device.mcu.usb_ctrl, device.mcu.usb_ctrl.read_uint32
    alarm = device.mcu.clock.create_alarm(lambda: frame())

    def frame() -> None:
        usb._int_raw |= INTR_DEV_SOF
        usb.check_interrupts()
        alarm.schedule(1_000_000)

    def read_uint32(offset: int) -> int:
        if offset == SOF_RD:  # RP2040 datasheet 4.1.4, INTR: reading it clears the interrupt
            usb._int_raw &= ~INTR_DEV_SOF
            usb.check_interrupts()
        return read(offset)

    usb.read_uint32 = read_uint32
    frame()


def tell_of_resets(device: BaseDevice, tell: Callable[[], None]) -> None:
    """Call tell() after every chip reset. The emulator tells no listener of a pin that the reset has changed."""
    before = device.mcu.usb_ctrl.on_reset  # it is called at every chip reset, once all is reset

    def on_reset() -> None:
        if before is not None:
            before()
        tell()

    device.mcu.usb_ctrl.on_reset = on_reset


def stop_watchdog_at_reset(device: BaseDevice) -> None:
    """A reset stops the watchdog (RP2040 datasheet 2.13); the emulator lets it run on into the next start."""
    watchdog = device.mcu.watchdog

    def stop() -> None:
        watchdog._enable = watchdog.timer.enable = watchdog.alarm.enable = False

    tell_of_resets(device, stop)


def read_back_outputs(device: BaseDevice) -> None:
    """The level of a pad that the chip drives is what the chip reads there (RP2040 datasheet 2.19.3); the emulator
    shows the guest only what drives a pad from outside. A pad that the chip lets go is let go."""
    outputs = set()

    def follow(pad: Any) -> None:
        if pad.output_enable:
            outputs.add(pad)
            pad.set_input_value(pad.output_value)
        elif pad in outputs:
            outputs.remove(pad)
            pad.release_input()

    for pad in device.mcu.gpio:
        pad.add_listener(lambda _new, _old, pad=pad: follow(pad))

    def follow_all() -> None:
        for pad in list(outputs):
            follow(pad)

    tell_of_resets(device, follow_all)
