"""The board's end of the serial link: what to send next, which host lines to believe (docs/PROTOCOL.md, Delivery).

Sans-IO: bytes come in through receive(), lines go out through take(); whoever owns the serial port calls both.
Nothing here waits, and what it holds is bounded, whatever the host does or does not do.
"""

from tumbler.core import ledger, ticks
from tumbler.core import mac as _mac
from tumbler.core.fields import UINT_MAX
from tumbler.core.framer import Framer
from tumbler.core.journal import free_rounds

RING_BYTES = 1024  # more than three of the longest host lines
QUEUE_LINES = 16
HELLO_MS = 2000
RESEND_MS = 1000
LF = 0x0A


class Link:
    """identity: has dev, k (32 bytes), fw, mpy, board, mode, boot; journal: see core/journal.py; clock: has
    t(), the uptime text. Identity and journal may still be filled in (boot, open()) before the first take().

    Counters, none of which is ever reset: bad_lines (received, but no line of the host or not authentic), bad_acks
    (authentic, but of no such record), dropped (ephemeral lines that found no room), lost_bytes (received, no room).
    """

    def __init__(self, identity, journal, clock):
        self._identity, self._journal, self._clock = identity, journal, clock
        self._hkey = _mac.host_key(identity.k)
        self._ring = bytearray(RING_BYTES)
        self._held = self._write = self._read = 0
        self._skipping = False
        self._framer = Framer()
        self._queue = [b""] * QUEUE_LINES
        self._queued = self._first = 0
        self._nonce, self._nonces, self._n = "", 0, 0
        self.welcomed = self.host_ahead = False
        self._hello_now, self._hello_ms = True, 0
        self._next = self._until = self._sent = 0  # seq to send next, last of this pass, highest ever sent
        self._restored = -1  # what a host that was restored from a backup has, until it caught up; -1: it has all acked
        self._sent_ms = self._progress_ms = 0
        self.bad_lines = self.bad_acks = self.dropped = self.lost_bytes = 0

    # ------------------------------------------------------------ from the host

    def receive(self, byte: int):
        """Keep one received byte for poll(). Allocates nothing: it runs while the motor does.

        With no room left, all bytes up to the next LF are lost and counted: a line is kept whole or not at all.
        """
        if self._skipping or self._held == RING_BYTES:
            self._skipping = byte != LF
            if self.lost_bytes < UINT_MAX:
                self.lost_bytes += 1
            return
        self._ring[self._write] = byte
        self._write = (self._write + 1) % RING_BYTES
        self._held += 1

    def poll(self, now_ms: int):
        """Read at most one line of what was received -> a decoded order (dict, see ledger.decode_command) or None.

        hello?, welcome and ack are answered here. An order is handed out once: its crc, mac, nonce and rising n are
        right, everything else about it is the round's to judge. Raises JournalError when an ack cannot be kept.
        """
        if not self._held:
            return None
        order = None
        for is_line, chunk in self._framer.feed(self._up_to_line_end()):
            if is_line:
                order = self._command(now_ms, chunk)
            else:
                self.bad_lines += 1
        return order

    def _up_to_line_end(self) -> bytes:
        out = bytearray()
        byte = -1
        while self._held and byte != LF:
            byte = self._ring[self._read]
            out.append(byte)
            self._read = (self._read + 1) % RING_BYTES
            self._held -= 1
        return bytes(out)

    def _command(self, now_ms, line):
        try:
            fields = ledger.decode_command(line)
        except ledger.LineError:  # garbled, or the echo of a line of ours
            self.bad_lines += 1
            return None
        cmd = fields["cmd"]
        if cmd == "hello?":
            self._draw_nonce()
            self._prove(fields["challenge"])
            return None
        if not self._authentic(line, fields):
            self.bad_lines += 1
            return None
        self._n = fields["n"]
        if cmd == "welcome":
            self.welcomed = True
            if fields["seq"] >= self._journal.next_seq:
                self.host_ahead = True  # it has records that this journal once had: its tail is gone
            elif fields["seq"]:
                self._ack(now_ms, fields)
            return None
        if cmd == "ack":
            self._ack(now_ms, fields)
            return None
        if cmd == "resend":
            self._resend(now_ms, fields)
            return None
        return fields

    def _authentic(self, line, fields):
        if fields["nonce"] != self._nonce or fields["n"] <= self._n:
            return False
        return ledger.mac_ok(line, fields, self._hkey, b"")

    def _ack(self, now_ms, fields):
        """All up to fields["seq"] are durable on the host, if that is a record of ours with that very boot and mac and
        was sent. Anything else is refused, and the host is told: it has what it cannot have."""
        seq = fields["seq"]
        line = self._journal.recall(seq)
        if line is None or not _names(fields, line) or (fields["boot"] == self._identity.boot and seq > self._sent):
            self._refuse(fields)
        elif seq > self._acked():
            self._progress_ms = now_ms
            self._restored = seq if seq < self._journal.acked else -1
            if seq > self._journal.acked:
                self._journal.ack(seq)

    def _resend(self, now_ms, fields):
        """The host was restored from a backup and ends at fields["seq"]: all after it that is still here is sent again.
        The journal's own ack stays. A record that is not here any more cannot be compared; another one is refused."""
        j, seq = self._journal, fields["seq"]
        if seq >= j.next_seq:
            self.host_ahead = True
            return
        line = j.recall(seq) if seq else None
        if line is not None and not _names(fields, line):
            self._refuse(fields)
            return
        low, high = min(seq, j.acked), j.acked  # all records behind one that is here are here: halve to the oldest
        while low < high:
            middle = (low + high) // 2
            if j.recall(middle + 1) is None:
                low = middle + 1
            else:
                high = middle
        self._restored = low if low < j.acked else -1
        self._progress_ms = now_ms
        self._begin_pass()
        # The answer first: the hello behind it says from where on records come.
        self.welcomed, self._hello_ms = False, now_ms
        self.answer(fields, True, "done")

    def _refuse(self, fields):
        self.bad_acks += 1
        self.answer(fields, False, "bad_ack")

    def _acked(self):
        """Up to which record the host has all, or had before it was restored and cannot get back."""
        return self._journal.acked if self._restored < 0 else self._restored

    def _draw_nonce(self):
        self._nonces += 1
        i = self._identity
        self._nonce = _mac.nonce(i.k, i.dev, i.boot, self._nonces)
        self._n = 0
        self.welcomed = False
        self._hello_now = True

    def _prove(self, challenge):
        """Answer the host's challenge, behind the hello that is now due: a replayed recording cannot."""
        i = self._identity
        values = (challenge, _mac.proof(i.k, i.dev, challenge, self._nonce))
        self.say(ledger.encode_ephemeral("proof", i.dev, i.boot, self._clock.t(), values))

    # ------------------------------------------------------------ to the host

    def say(self, line: bytes):
        """Queue an ephemeral line. Of more than 16 the oldest is dropped and counted. Allocates nothing."""
        if self._queued == QUEUE_LINES:
            self._first = (self._first + 1) % QUEUE_LINES
            self._queued -= 1
            self.dropped += 1
        self._queue[(self._first + self._queued) % QUEUE_LINES] = line
        self._queued += 1

    def answer(self, order: dict, ok: bool, why: str):
        """Queue the answer to an order that poll() gave."""
        i = self._identity
        self.say(
            ledger.encode_ephemeral("answer", i.dev, i.boot, self._clock.t(), (order["nonce"], order["n"], ok, why))
        )

    def take(self, now_ms: int):
        """The next line to send (bytes with LF), None if there is nothing to say now: a hello that is due, then
        queued ephemeral lines, then unacked records, oldest first. Raises JournalError when a record cannot be read
        back."""
        if self._hello_now or (not self.welcomed and ticks.diff(now_ms, self._hello_ms) >= HELLO_MS):
            return self._hello(now_ms)
        if self._queued:
            line = self._queue[self._first]
            self._first = (self._first + 1) % QUEUE_LINES
            self._queued -= 1
            return line
        return self._record(now_ms)

    def _hello(self, now_ms):
        if not self._nonce:
            self._draw_nonce()
        self._hello_now, self._hello_ms = False, now_ms
        i, j = self._identity, self._journal
        waiting = (j.next_seq, j.next_seq - 1 - self._acked(), free_rounds(j.free()))
        return ledger.encode_ephemeral(
            "hello", i.dev, i.boot, self._clock.t(), (i.fw, i.mpy, i.board, i.mode, self._nonce) + waiting
        )

    def _record(self, now_ms):
        """Go-back-N. A pass sends all that is unacked, without waiting; new records follow at once. When no ack has
        moved for RESEND_MS they are held back, so that a board that keeps writing still comes to resend, and
        RESEND_MS after the last send the next pass begins."""
        j, acked = self._journal, self._acked()
        if self._next <= acked:
            self._begin_pass()
        elif self._next > self._until and self._next > acked + 1 and self._over(now_ms, self._progress_ms):
            if not self._over(now_ms, self._sent_ms):
                return None
            self._begin_pass()
        seq = self._next
        if seq >= j.next_seq:
            return None
        if seq == acked + 1:
            self._progress_ms = now_ms
        line = j.recall(seq)
        self._sent_ms = now_ms
        self._next = seq + 1
        self._sent = max(self._sent, seq)
        return line

    def _over(self, now_ms, since_ms):
        return ticks.diff(now_ms, since_ms) >= RESEND_MS

    def _begin_pass(self):
        self._next, self._until = self._acked() + 1, self._journal.next_seq - 1


def _names(fields, line):
    """Does this host line name that very record of ours?"""
    record = ledger.decode_device(line[:-1])
    return record["boot"] == fields["boot"] and record["mac"] == fields["rmac"]
