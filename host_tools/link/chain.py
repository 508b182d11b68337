"""Whether a record fits behind the last one: the one judgement of a live session, `verify` and `replay`."""

from enum import Enum

from tumbler.core import ledger, mac

from host_tools.link.events import NOTHING, Fields, Identity


class Fit(Enum):
    """What a record is to the chain (docs/PROTOCOL.md, "Delivery")."""

    NEXT = "next"  # its seq is the next one and its mac covers the record before
    KNOWN = "known"  # its seq was passed; that its bytes are the same is not looked at but for the last one
    EARLY = "early"  # a record before it did not come yet
    NEVER = "never"  # it can never fit: another mac, or an earlier boot


class Chain:
    """The records of one dev up to `tip`."""

    def __init__(self, board_key: bytes, tip: Identity) -> None:
        """board_key: the 32-byte K. A `tip` with the mac of NOTHING and a seq ends a gap: what it was is not known."""
        self._record_key = mac.record_key(board_key)
        self.tip = tip

    @property
    def after_gap(self) -> bool:
        """The next record is taken without a check of its mac, for that covers a mac which is not known."""
        return self.tip.seq > 0 and self.tip.mac == NOTHING.mac

    def fit(self, raw: bytes, fields: Fields) -> Fit:
        """Judge a decoded record; `raw` is its line without LF. Changes nothing."""
        seq, tip = fields["seq"], self.tip
        if seq > tip.seq + 1:
            return Fit.EARLY
        if seq == tip.seq and tip.mac not in (fields["mac"], NOTHING.mac):
            return Fit.NEVER
        if seq <= tip.seq:
            return Fit.KNOWN
        chained = self.after_gap or ledger.mac_ok(raw, fields, self._record_key, bytes.fromhex(tip.mac))
        return Fit.NEXT if chained and fields["boot"] >= tip.boot else Fit.NEVER

    def take(self, fields: Fields) -> None:
        """The record is the last one now."""
        self.tip = Identity(fields["boot"], fields["seq"], fields["mac"])
