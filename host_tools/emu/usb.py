"""The host's end of the emulated board's USB serial: bytes in and out, a host that does not read, DTR, and a pty.

A host takes bytes as long as it has room; then the board's transfers wait, as on a bus whose host says NAK.
"""

import contextlib
import os
import pty
import select
import tty

from rp2040py.device.base_device import BaseDevice

from host_tools.emu.workarounds import QuietUsb

ROOM = 4096  # bytes that a host's driver keeps for a program that does not read
EP0_IN_CONTROL = (
    0x80  # RP2040 datasheet 4.1.2.5.1: buffer control in the DPRAM, 8 bytes an endpoint, AVAILABLE at bit 10
)
AVAILABLE = 1 << 10
PUMP_US = 1000


class UsbHost:
    """The serial line of one board. room: bytes taken before the board has to wait."""

    def __init__(self, device: BaseDevice, room: int = ROOM):
        self.room = room
        self._cdc, self._usb = device.cdc, device.mcu.usb_ctrl
        self._to_board = QuietUsb(device)
        self._received = bytearray()
        self._waiting: list[tuple[int, int]] = []  # transfers of the board that the host has not taken yet
        self._dtr = True
        self._cdc.on_serial_data = self._received.extend
        self._cdc.on_device_connected = self._connected
        self._dpram_updated = self._usb.dpram_updated
        self._usb.dpram_updated = self._on_dpram_updated
        self._on_reset = self._usb.on_reset
        self._usb.on_reset = self._reset

    def send(self, data: bytes) -> None:
        """Send to the board. Bytes sent while it is not on the bus are lost."""
        if self.connected:
            self._to_board.send(data)

    def sending(self) -> int:
        """Bytes sent that the board has not taken yet."""
        return self._to_board.waiting()

    def read(self) -> bytes:
        """All that the board has sent since the last read, which makes room."""
        data = bytes(self._received)
        self._received.clear()
        while self._waiting and len(self._received) < self.room:
            self._dpram_updated(*self._waiting.pop(0))
        return data

    def has_bytes(self) -> bool:
        """The board has sent something that was not read."""
        return bool(self._received)

    @property
    def connected(self) -> bool:
        """The board is on the bus, known and configured."""
        return self._cdc._initialized

    def dtr(self, on: bool) -> None:
        """A program opens (on) or closes the port; kept over resets of the board."""
        if on != self._dtr:
            self._dtr = on
            if self.connected:
                self._cdc.set_control_lines(dtr=on, rts=on)

    def _connected(self) -> None:
        if not self._dtr:
            self._cdc.set_control_lines(dtr=False, rts=False)

    def _on_dpram_updated(self, offset: int, value: int) -> None:
        endpoint = self._cdc._in_endpoint
        mine = endpoint > 0 and offset == EP0_IN_CONTROL + 8 * endpoint and value & AVAILABLE
        if mine and len(self._received) >= self.room:
            self._waiting.append((offset, value))
        else:
            self._dpram_updated(offset, value)

    def _reset(self) -> None:
        self._waiting.clear()
        self._to_board.reset()
        if self._on_reset is not None:
            self._on_reset()


class PtyLine:
    """Joins a board's line to a pseudo terminal, whose `path` a program opens; DTR follows open and close of it."""

    def __init__(self, device: BaseDevice, host: UsbHost):
        self._host = host
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self._master, False)
        self._poll = select.poll()
        self._poll.register(self._master, select.POLLIN | select.POLLHUP)
        self._pending = b""  # from the board, for a program that has not read yet
        host.dtr(False)
        self._alarm = device.mcu.clock.create_alarm(self._pump)
        self._alarm.schedule(PUMP_US * 1000)

    def close(self) -> None:
        self._alarm.cancel()
        os.close(self._master)

    def _pump(self) -> None:
        """Carry bytes both ways, every PUMP_US of emulated time."""
        events = dict(self._poll.poll(0)).get(self._master, 0)
        is_open = not events & select.POLLHUP
        self._host.dtr(is_open)
        if events & select.POLLIN and self._host.connected and not self._host.sending():
            self._host.send(os.read(self._master, ROOM))
        if not self._pending and self._host.has_bytes():
            self._pending = self._host.read()
        if not is_open:
            self._pending = b""  # as the bytes of a port that nobody has open
        elif self._pending:
            with contextlib.suppress(BlockingIOError):
                self._pending = self._pending[os.write(self._master, self._pending) :]
        self._alarm.schedule(PUMP_US * 1000)
