"""The tables of the store. docs/STORE.md says in words what each column holds; a test compares the two.

Times are UTC, money is integer cents, dice are digits as pressed. Only what SQLite and PostgreSQL both know is used.
"""

from datetime import datetime, timezone

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from host_tools.settler.amounts import MAX_STAKE_CENTS

SCHEMA_VERSION = 6


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite keeps no zone, so it goes in as UTC and comes out marked as UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored: give it in UTC")
        return value.astimezone(timezone.utc)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


# SQLite numbers rows by itself only for a key of the type INTEGER.
RowId = BigInteger().with_variant(Integer(), "sqlite")
Dev = String(21)
Name = String(24)
Face = String(3)

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("schema_version", Integer, primary_key=True, autoincrement=False),
    Column("created_at", UtcTime, nullable=False),
)

boards = Table(
    "boards",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("dev", Dev, nullable=False),
    Column("table_name", String(64), nullable=False),
    Column("enrolled_from", UtcTime, nullable=False),
    Column("enrolled_to", UtcTime),
    Index("boards_dev", "dev"),
)

records = Table(
    "records",
    metadata,
    Column("dev", Dev, nullable=False),
    Column("boot", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("round", Integer),
    Column("t_ms", BigInteger, nullable=False),
    Column("mac", String(32), nullable=False),
    Column("line", Text, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Column("occurred_at", UtcTime),
    Column("bound_ms", Integer),
    PrimaryKeyConstraint("dev", "boot", "seq"),
    UniqueConstraint("dev", "seq"),
    Index("records_kind", "dev", "kind", "seq"),
)

adjustments = Table(
    "adjustments",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("dev", Dev, nullable=False),
    Column("round", Integer, nullable=False),
    Column("boot", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("replaces", RowId, ForeignKey("adjustments.id"), unique=True),
    Column("dice", Face),
    Column("reason", Name, nullable=False),
    Column("by", Name, nullable=False),
    Column("adjusted_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["dev", "boot", "seq"], ["records.dev", "records.boot", "records.seq"]),
    Index("adjustments_round", "dev", "round"),
)

rounds = Table(
    "rounds",
    metadata,
    Column("dev", Dev, nullable=False),
    Column("round", Integer, nullable=False),
    Column("state", Name, nullable=False),
    Column("dice", Face),
    Column("boot", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("adjustment", RowId, ForeignKey("adjustments.id")),
    Column("paytable", String(40)),
    Column("paytable_hash", String(64)),
    Column("began_at", UtcTime, nullable=False),
    Column("opened_at", UtcTime),
    Column("betting_seen_at", UtcTime),
    Column("closed_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("settled", Boolean, nullable=False),
    PrimaryKeyConstraint("dev", "round"),
    ForeignKeyConstraint(["dev", "boot", "seq"], ["records.dev", "records.boot", "records.seq"]),
    Index("rounds_settled", "dev", "settled"),
)

wagers = Table(
    "wagers",
    metadata,
    Column("dev", Dev, nullable=False),
    Column("round", Integer, nullable=False),
    Column("wager_id", String(64), nullable=False),
    Column("place", Integer, nullable=False),
    Column("player", String(64), nullable=False),
    Column("kind", Name, nullable=False),
    Column("selection", Name, nullable=False),
    Column("stake_cents", BigInteger, nullable=False),
    Column("accepted_at", UtcTime, nullable=False),
    PrimaryKeyConstraint("dev", "round", "wager_id"),
    UniqueConstraint("dev", "round", "place"),
    ForeignKeyConstraint(["dev", "round"], ["rounds.dev", "rounds.round"]),
    CheckConstraint(f"stake_cents BETWEEN 1 AND {MAX_STAKE_CENTS}", name="stake_in_range"),
    Index("wagers_id", "wager_id"),  # the view asks whether it took an id before, in whatever round
)

withdrawals = Table(
    "withdrawals",
    metadata,
    Column("dev", Dev, nullable=False),
    Column("round", Integer, nullable=False),
    Column("wager_id", String(64), nullable=False),
    Column("by", Name, nullable=False),
    Column("withdrawn_at", UtcTime, nullable=False),
    PrimaryKeyConstraint("dev", "round", "wager_id"),
    ForeignKeyConstraint(["dev", "round", "wager_id"], ["wagers.dev", "wagers.round", "wagers.wager_id"]),
)

settlements = Table(
    "settlements",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("dev", Dev, nullable=False),
    Column("round", Integer, nullable=False),
    Column("wager_id", String(64), nullable=False),
    Column("entry", String(7), nullable=False),
    Column("boot", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("adjustment", RowId, ForeignKey("adjustments.id")),
    Column("outcome", String(4), nullable=False),
    Column("odds_win", Integer),
    Column("odds_stake", Integer),
    Column("won_cents", BigInteger, nullable=False),
    Column("returned_cents", BigInteger, nullable=False),
    Column("reason", Text),
    Column("reverses", RowId, ForeignKey("settlements.id"), unique=True),
    Column("entered_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["dev", "round", "wager_id"], ["wagers.dev", "wagers.round", "wagers.wager_id"]),
    ForeignKeyConstraint(["dev", "boot", "seq"], ["records.dev", "records.boot", "records.seq"]),
    CheckConstraint("(entry = 'reverse') = (reverses IS NOT NULL)", name="reverse_names_entry"),
)
# Exactly once, said to the database too: one record, and one adjustment, enters and reverses a wager at most once.
# Adjustments are numbered from 1; without the 0 in place of null a database would take all of a record for different.
Index(
    "settled_once",
    *(settlements.c[column] for column in ("dev", "round", "wager_id", "boot", "seq")),
    func.coalesce(settlements.c.adjustment, text("0")),
    settlements.c.entry,
    unique=True,
)

odds = Table(
    "odds",
    metadata,
    Column("paytable_hash", String(64), nullable=False),
    Column("dice", Face, nullable=False),
    Column("kind", Name, nullable=False),
    Column("selection", Name, nullable=False),
    Column("outcome", String(4), nullable=False),
    Column("odds_win", Integer),
    Column("odds_stake", Integer),
    PrimaryKeyConstraint("paytable_hash", "dice", "kind", "selection"),
    CheckConstraint("(outcome = 'win') = (odds_win IS NOT NULL)", name="odds_of_a_win"),
    CheckConstraint("(odds_win IS NULL) = (odds_stake IS NULL)", name="odds_whole"),
    sqlite_with_rowid=False,
)

commands = Table(
    "commands",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("dev", Dev, nullable=False),
    Column("verb", Name, nullable=False),
    Column("round", Integer),
    Column("ref_boot", Integer),
    Column("ref_seq", Integer),
    Column("dice", Face),
    Column("reason", Name),
    Column("by", Name, nullable=False),
    Column("state", String(9), nullable=False),
    Column("nonce", String(16)),
    Column("n", Integer),
    Column("answer", Name),
    Column("queued_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("answered_at", UtcTime),
    UniqueConstraint("dev", "nonce", "n"),
    Index("commands_state", "dev", "state"),
)

live = Table(
    "live",
    metadata,
    Column("dev", Dev, primary_key=True),
    Column("boot", Integer, nullable=False),
    Column("state", Name, nullable=False),
    Column("round", Integer, nullable=False),
    Column("window", Face, nullable=False),
    Column("status_at", UtcTime, nullable=False),
    Column("next_seq", Integer),
)

owners = Table(
    "owners",
    metadata,
    Column("dev", Dev, primary_key=True),
    Column("token", String(16), nullable=False),
    Column("host", String(64), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("renewed_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)

alarms = Table(
    "alarms",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("dev", Dev, nullable=False),
    Column("kind", Name, nullable=False),
    Column("text", Text, nullable=False),
    Column("raised_at", UtcTime, nullable=False),
    Column("confirmed_at", UtcTime),
    Column("confirmed_by", Name),
    Column("missing_from", Integer),
    Column("missing_to", Integer),
    Column("resend", Boolean, nullable=False, server_default=false()),
    CheckConstraint("(missing_from IS NULL) = (missing_to IS NULL)", name="gap_has_both_ends"),
    Index("alarms_dev", "dev", "confirmed_at"),
)
