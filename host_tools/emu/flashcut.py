"""Cuts the power of an emulated board at an operation of its flash: an erase or the programming of a page."""

from host_tools.emu.board import ERASES, EmuBoard

PROGRAM = 0x02  # command of a serial NOR flash: program a page
SECTOR_BYTES = 4096


class FlashCut:
    """Counts the flash operations of `board` and takes its power at one of them.

    operations: (block of 4096 bytes from the flash's begin, is it an erase), oldest first, those without power not
    among them. cut: the power is gone; what the board does until its next reset reaches no flash.
    """

    def __init__(self, board: EmuBoard):
        self._board = board
        self.operations: list[tuple[int, bool]] = []
        self.cut = False
        self._at: int | None = None
        self._torn = False
        ssi = board.device.mcu.ssi
        self._apply = ssi._apply_command
        ssi._apply_command = self._apply_command

    def cut_in(self, operations: int, torn: bool) -> None:
        """The power goes at the operation after so many; torn: when it is half done, else before it begins."""
        self._at, self._torn = len(self.operations) + operations, torn

    def power_on(self, off_ms: float = 0) -> None:
        """Power again: the board starts anew, and nothing is cut until cut_in()."""
        self.cut, self._at = False, None
        self._board.reset("power", off_ms)

    def _apply_command(self) -> None:
        ssi = self._board.device.mcu.ssi
        sent = ssi._tx_buffer
        if not sent or not ssi._write_enabled or sent[0] not in (*ERASES, PROGRAM):
            self._apply()
            return
        if not self.cut and len(self.operations) == self._at:
            self.cut = True
            if self._torn:
                self._half(sent[0] in ERASES, ssi._address_from_buffer(), bytes(sent[4:]))
        if self.cut:
            ssi._tx_buffer = bytearray()
            return
        self.operations.append((ssi._address_from_buffer() // SECTOR_BYTES, sent[0] in ERASES))
        self._apply()

    def _half(self, erase: bool, address: int, data: bytes) -> None:
        flash = self._board.device.mcu.flash
        if erase:
            start = address // SECTOR_BYTES * SECTOR_BYTES
            flash[start : start + SECTOR_BYTES // 2] = b"\xff" * (SECTOR_BYTES // 2)
        else:
            for n, byte in enumerate(data[: len(data) // 2]):
                flash[address + n] &= byte
