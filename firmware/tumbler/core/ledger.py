"""Ledger lines: encode, seal (mac, crc) and strictly decode one line.

A line is printable ASCII and valid JSON, its fields in the fixed order of fields.py. The decoder accepts exactly what
the encoder writes: it walks the bytes along the table and never re-encodes. Host and board import this same file.
"""

import binascii

from tumbler.core import fields as F
from tumbler.core import mac as _mac


class LineError(ValueError):
    """A line is not what this protocol writes; the text says at which field or check it failed."""


# ---------------------------------------------------------------- encode


def _text(value, chars, low, high, name):
    if not isinstance(value, str) or not low <= len(value) <= high:
        raise LineError("%s must be text of %d to %d characters" % (name, low, high))
    for c in value:
        if c not in chars:
            raise LineError("%s may not hold %r" % (name, c))
    return '"' + value + '"'


def _uint(value, name, most=F.UINT_MAX):
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise LineError("%s must be a whole number from 0 to %d" % (name, most))
    return str(value)


def _faces(value, low, name):
    if not isinstance(value, (list, tuple)) or not low <= len(value) <= 3:
        raise LineError("%s must hold %d to 3 numbers" % (name, low))
    for face in value:
        if not isinstance(face, int) or isinstance(face, bool) or not 1 <= face <= 6:
            raise LineError("%s may hold only numbers from 1 to 6" % name)
    return "[" + ",".join([str(face) for face in value]) + "]"


def time_text(seconds: int, ms: int) -> str:
    """`t` as it stands on the wire: ms since boot, from two small ints (no number above 2**30 is made)."""
    return "%d%03d" % (seconds, ms) if seconds else str(ms)


def _value(kind, value, name):
    """Text of one field's value, checked against its type. Raises LineError."""
    if kind == "uint":
        return _uint(value, name)
    if kind == "boot":
        return _uint(value, name, F.BOOT_MAX)
    if kind == "uint?":
        return "null" if value is None else _uint(value, name)
    if kind == "name":
        return _text(value, F.NAME_CHARS, 1, F.NAME_MAX, name)
    if kind == "word":
        return _text(value, F.NAME_CHARS, 1, F.WORD_MAX, name)
    if kind == "dev":
        return _text(value, F.DEV_CHARS, F.DEV_MIN, F.DEV_MAX, name)
    if kind == "dev?":
        return "null" if value is None else _text(value, F.DEV_CHARS, F.DEV_MIN, F.DEV_MAX, name)
    if kind == "hex16":
        return _text(value, F.HEX, 16, 16, name)
    if kind == "hex32":
        return _text(value, F.HEX, 32, 32, name)
    if kind == "dice":
        return _faces(value, 3, name)
    if kind == "window":
        return _faces(value, 0, name)
    if kind == "bool":
        if value is not True and value is not False:
            raise LineError("%s must be true or false" % name)
        return "true" if value else "false"
    if kind == "time":
        text = value if isinstance(value, str) else str(value)
        _, end = _read_digits(text.encode(), 0, F.TIME_DIGITS, name)
        if end != len(text):
            raise LineError("%s must be ms since boot" % name)
        return text
    if value not in F.ENUMS[kind]:
        raise LineError("%s may not be %r" % (name, value))
    return '"' + value + '"'


def _fields(spec, values):
    if len(spec) != len(values):
        raise LineError("%d fields wanted, %d given" % (len(spec), len(values)))
    out = []
    for i in range(len(spec)):
        name, kind = spec[i]
        out.append(',"%s":%s' % (name, _value(kind, values[i], name)))
    return "".join(out)


def _seal(body: str, key, prev: bytes):
    """Close a line: the mac over prev + body where a key is given, then the crc over all before it. -> (line, mac)"""
    tag = b""
    if key is not None:
        tag = _mac.hmac_sha256(key, prev, body.encode())[: _mac.MAC_BYTES]
        body = body + ',"mac":"' + tag.hex() + '"'
    line = ('%s,"crc":"%08X"}\n' % (body, binascii.crc32(body.encode()) & 0xFFFFFFFF)).encode()
    if len(line) > F.MAX_LINE:
        raise LineError("line of %d bytes, %d are allowed" % (len(line), F.MAX_LINE))
    return line, tag


def encode_record(kind, dev, boot, seq, t, values, rkey, prev_mac):
    """One durable record -> (line bytes with LF, its 16-byte mac).

    t: text from time_text() or int ms; values: the kind's own fields in table order; rkey: record_key(K);
    prev_mac: mac of the record before (16 zero bytes for a dev's first). Raises LineError, KeyError for no such kind.
    """
    body = '{"sb":1' + _fields(F.HEAD_DURABLE, (dev, boot, seq, t)) + ',"kind":"%s"' % kind
    return _seal(body + _fields(F.DURABLE[kind], values), rkey, prev_mac)


def encode_ephemeral(kind, dev, boot, t, values) -> bytes:
    """One ephemeral line (hello, status, key, answer) -> bytes with LF. Raises LineError, KeyError."""
    body = '{"sb":1' + _fields(F.HEAD_EPHEMERAL, (dev, boot, t)) + ',"kind":"%s"' % kind
    return _seal(body + _fields(F.EPHEMERAL[kind], values), None, b"")[0]


def encode_command(cmd, nonce, n, values, hkey) -> bytes:
    """One host line -> bytes with LF. hello? takes no nonce, n and key (None each). Raises LineError, KeyError."""
    body = '{"sb":1,"cmd":"%s"' % cmd
    if cmd == "hello?":
        return _seal(body + _fields(F.COMMANDS[cmd], values), None, b"")[0]
    body += _fields(F.HEAD_COMMAND, (nonce, n)) + _fields(F.COMMANDS[cmd], values)
    return _seal(body, hkey, b"")[0]


# ---------------------------------------------------------------- decode


def _expect(line, i, text, name):
    end = i + len(text)
    if line[i:end] != text:
        raise LineError("%s expected at byte %d" % (name, i))
    return end


def _read_text(line, i, chars, low, high, name):
    i = _expect(line, i, b'"', name)
    end = i
    while end < len(line) and end - i <= high and line[end] != 0x22:
        if chr(line[end]) not in chars:
            raise LineError("%s holds a character that it may not" % name)
        end += 1
    if not low <= end - i <= high:
        raise LineError("%s has the wrong length" % name)
    return bytes(line[i:end]).decode(), _expect(line, end, b'"', name)


def _read_digits(line, i, most, name):
    end = i
    while end < len(line) and 0x30 <= line[end] <= 0x39:
        end += 1
        if end - i > most:
            raise LineError("%s is too long a number" % name)
    if end == i or (line[i] == 0x30 and end - i > 1):
        raise LineError("%s is not a number" % name)
    return int(bytes(line[i:end]).decode()), end


def _read_uint(line, i, name, most=F.UINT_MAX):
    value, end = _read_digits(line, i, 10, name)
    if value > most:
        raise LineError("%s is over %d" % (name, most))
    return value, end


def _read_faces(line, i, low, name):
    i = _expect(line, i, b"[", name)
    faces = []
    while line[i : i + 1] != b"]":
        if len(faces) == 3:
            raise LineError("%s holds more than 3 numbers" % name)
        if faces:
            i = _expect(line, i, b",", name)
        digit = line[i] if i < len(line) else 0
        if not 0x31 <= digit <= 0x36:
            raise LineError("%s may hold only numbers from 1 to 6" % name)
        faces.append(digit - 0x30)
        i += 1
    if len(faces) < low:
        raise LineError("%s holds fewer than %d numbers" % (name, low))
    return tuple(faces), i + 1


def _read(kind, line, i, name):
    """Read one value of a type at byte i -> (value, index after it). Raises LineError."""
    if kind.endswith("?"):
        if line[i : i + 4] == b"null":
            return None, i + 4
        kind = kind[:-1]
    if kind == "uint":
        return _read_uint(line, i, name)
    if kind == "boot":
        return _read_uint(line, i, name, F.BOOT_MAX)
    if kind == "time":
        return _read_digits(line, i, F.TIME_DIGITS, name)
    if kind == "name":
        return _read_text(line, i, F.NAME_CHARS, 1, F.NAME_MAX, name)
    if kind == "word":
        return _read_text(line, i, F.NAME_CHARS, 1, F.WORD_MAX, name)
    if kind == "dev":
        return _read_text(line, i, F.DEV_CHARS, F.DEV_MIN, F.DEV_MAX, name)
    if kind == "hex16":
        return _read_text(line, i, F.HEX, 16, 16, name)
    if kind == "hex32":
        return _read_text(line, i, F.HEX, 32, 32, name)
    if kind == "dice":
        return _read_faces(line, i, 3, name)
    if kind == "window":
        return _read_faces(line, i, 0, name)
    if kind == "bool":
        if line[i : i + 4] == b"true":
            return True, i + 4
        return False, _expect(line, i, b"false", name)
    value, end = _read_text(line, i, F.NAME_CHARS, 1, F.NAME_MAX, name)
    if value not in F.ENUMS[kind]:
        raise LineError("%s may not be %r" % (name, value))
    return value, end


def _read_fields(spec, line, i, out):
    for name, kind in spec:
        i = _expect(line, i, (',"%s":' % name).encode(), name)
        out[name], i = _read(kind, line, i, name)
    return i


def _read_word(line, i, key, table):
    """Read `,"key":"word"` where word is one of the table's -> (word, index after it)."""
    i = _expect(line, i, (',"%s":"' % key).encode(), key)
    for word in table:
        text = word.encode() + b'"'
        if line[i : i + len(text)] == text:
            return word, i + len(text)
    raise LineError("no such %s" % key)


def _check_crc(line):
    """Check shape, length and crc of a line without LF -> index where `,"crc"` begins. Raises LineError."""
    if len(line) >= F.MAX_LINE:
        raise LineError("line too long")
    cut = len(line) - 18  # ,"crc":"XXXXXXXX"}
    if cut < 8 or line[:8] != b'{"sb":1,':
        raise LineError("not a ledger line")
    if line[cut : cut + 8] != b',"crc":"' or line[-2:] != b'"}':
        raise LineError("crc missing")
    if ("%08X" % (binascii.crc32(line[:cut]) & 0xFFFFFFFF)).encode() != line[cut + 8 : -2]:
        raise LineError("crc wrong")
    return cut


def _finish_mac(line, i, cut, out):
    out["mac"], end = _read("hex32", line, _expect(line, i, b',"mac":', "mac"), "mac")
    if end != cut:
        raise LineError("something stands between mac and crc")
    out["covered"] = i  # the mac covers line[:covered]


def decode_device(line) -> dict:
    """One line of the board, without its LF -> dict of its fields, "kind" among them.

    A durable record also has "seq", "mac" (32 hex) and "covered" (the mac covers line[:covered]); an ephemeral line has
    none of the three. The mac itself is checked by mac_ok(), which needs key and chain. Raises LineError.
    """
    cut = _check_crc(line)
    out: dict = {}
    i = _read_fields(F.HEAD_EPHEMERAL[:2], line, 7, out)
    durable = line[i : i + 7] == b',"seq":'
    i = _read_fields(F.HEAD_DURABLE[2:] if durable else F.HEAD_EPHEMERAL[2:], line, i, out)
    table = F.DURABLE if durable else F.EPHEMERAL
    out["kind"], i = _read_word(line, i, "kind", table)
    i = _read_fields(table[out["kind"]], line, i, out)
    if durable:
        _finish_mac(line, i, cut, out)
    elif i != cut:
        raise LineError("something stands between the last field and crc")
    return out


def record_seq(line) -> int:
    """seq of a durable line without its LF. The crc is checked, the fields behind seq are not read: for whoever looks
    through a whole journal. Raises LineError."""
    _check_crc(line)
    out: dict = {}
    _read_fields(F.HEAD_DURABLE[:3], line, 7, out)
    return out["seq"]


def decode_command(line) -> dict:
    """One host line, without its LF -> dict of its fields, "cmd" among them; "mac"/"covered" as decode_device()."""
    cut = _check_crc(line)
    out: dict = {}
    out["cmd"], i = _read_word(line, 7, "cmd", F.COMMANDS)
    if out["cmd"] == "hello?":
        if _read_fields(F.COMMANDS["hello?"], line, i, out) != cut:
            raise LineError("something stands between the challenge and crc")
        return out
    i = _read_fields(F.HEAD_COMMAND, line, i, out)
    i = _read_fields(F.COMMANDS[out["cmd"]], line, i, out)
    _finish_mac(line, i, cut, out)
    return out


def mac_ok(line, fields: dict, key: bytes, prev_mac: bytes) -> bool:
    """Is the mac of a decoded line right? key: record_key(K) or host_key(K); prev_mac: 16 bytes, b"" for host lines."""
    want = _mac.hmac_sha256(key, prev_mac, bytes(line[: fields["covered"]]))[: _mac.MAC_BYTES]
    return _mac.same(want.hex().encode(), fields["mac"].encode())
