"""What a ledger line may hold: every kind, host command and value as data; docs/PROTOCOL.md has the same in words.

One place for both ends: ledger.py encodes and decodes along these tables.
"""

MAX_LINE = 320  # bytes with the LF
UINT_MAX = (1 << 30) - 1  # the board's largest small int: boot, seq, round and counters stay at or below it
BOOT_MAX = 9999999
TIME_DIGITS = 12  # t: up to 999,999,999 s (31 years) and three digits of ms; never wraps

STATES = ("IDLE", "SPINNING", "COASTING", "BETTING", "CLOSED", "UNCOVERED", "RESULT", "FAULT")
DEALER_REASONS = ("not_flat", "opened_early", "equipment", "wrong_entry", "dispute", "other")  # keys 1 to 6
REASONS = DEALER_REASONS + ("power_lost", "fault")  # the last two are the board's own
FAULTS = (
    "stall",
    "run_too_long",
    "rate",
    "motion",
    "coast_too_long",
    "estop",
    "cover_contacts",
    "uncover_limit",
    "feed_lost",
    "relay_stuck",
    "journal",
    "journal_lost",
    "journal_unprotected",
    "power_lost",
    "opened_in_fault",
)
ENUMS = {
    "state": STATES,
    "reason": REASONS,
    "code": FAULTS,
    "cause": ("power", "run_pin", "watchdog", "commanded", "panic", "unknown"),
    "mode": ("production", "maintenance"),
    "act": ("clear", "go_on", "new_dev"),
    "order_reason": DEALER_REASONS,
    "said": ("shown", "taken", "refused", "stuck"),
}

# kind -> its own fields, in order: (name, type). Types are those of ledger.py or the keys of ENUMS; "?" allows null.
DURABLE = {
    "boot": (
        ("fw", "hex16"),
        ("mpy", "word"),
        ("board", "name"),
        ("cause", "cause"),
        ("mode", "mode"),
        ("replaces", "dev?"),
    ),
    "spin": (("round", "uint"), ("required", "uint")),
    "bets_open": (("round", "uint"), ("required", "uint")),
    "bets_closed": (("round", "uint"), ("by", "name")),
    "uncovered": (("round", "uint"),),
    "result": (("round", "uint"), ("dice", "dice"), ("spins", "uint?")),
    "void": (("round", "uint"), ("ref_boot", "boot"), ("ref_seq", "uint"), ("by", "name"), ("reason", "reason")),
    "correction": (
        ("round", "uint"),
        ("ref_boot", "boot"),
        ("ref_seq", "uint"),
        ("dice", "dice"),
        ("by", "name"),
        ("reason", "reason"),
    ),
    "fault": (("round", "uint"), ("state", "state"), ("code", "code")),
    "clear": (("round", "uint"), ("ref_boot", "boot"), ("ref_seq", "uint"), ("by", "name"), ("act", "act")),
    "meter": (
        ("rounds", "uint"),
        ("spins", "uint"),
        ("results", "uint"),
        ("voids", "uint"),
        ("corrections", "uint"),
        ("faults", "uint"),
        ("gap_ms", "uint"),
    ),
}
EPHEMERAL = {
    "hello": (
        ("fw", "hex16"),
        ("mpy", "word"),
        ("board", "name"),
        ("mode", "mode"),
        ("nonce", "hex16"),
        ("next", "uint"),
        ("unacked", "uint"),
        ("free_rounds", "uint"),
    ),
    "status": (("next", "uint"), ("state", "state"), ("round", "uint")),
    "key": (("round", "uint"), ("key", "name"), ("said", "said"), ("window", "window")),
    "proof": (("challenge", "hex16"), ("proof", "hex32")),
    "answer": (("nonce", "hex16"), ("n", "uint"), ("ok", "bool"), ("why", "name")),
}
# cmd -> its own fields; every command but hello? carries nonce and n before them and a mac after.
COMMANDS = {
    "hello?": (("challenge", "hex16"),),
    "welcome": (("boot", "boot"), ("seq", "uint"), ("rmac", "hex32")),
    "ack": (("boot", "boot"), ("seq", "uint"), ("rmac", "hex32")),
    "resend": (("boot", "boot"), ("seq", "uint"), ("rmac", "hex32")),
    "no_more_bets": (("round", "uint"), ("ref_boot", "boot"), ("ref_seq", "uint"), ("by", "name")),
    "void": DURABLE["void"][:-1] + (("reason", "order_reason"),),  # the other reasons are the board's own
    "correct": DURABLE["correction"][:-1] + (("reason", "order_reason"),),
    "clear": (("round", "uint"), ("ref_boot", "boot"), ("ref_seq", "uint"), ("by", "name")),
    "maintenance": (("by", "name"),),
}
HEAD_DURABLE = (("dev", "dev"), ("boot", "boot"), ("seq", "uint"), ("t", "time"))
HEAD_EPHEMERAL = (("dev", "dev"), ("boot", "boot"), ("t", "time"))
HEAD_COMMAND = (("nonce", "hex16"), ("n", "uint"))

DEV_CHARS = "0123456789abcdefghijklmnopqrstuvwxyz-"
NAME_CHARS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.:-"
HEX = "0123456789abcdef"
NAME_MAX = 24  # also who: board, dealer, supervisor, host:NAME with a NAME of up to 19
WORD_MAX = 16
DEV_MIN, DEV_MAX = 6, 21
