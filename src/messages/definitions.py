"""Reads radio.def, radio.ledger and ROS 2 .msg files into plain objects, or says file:line: what is wrong."""

import re
from dataclasses import dataclass, field
from pathlib import Path

INTEGERS = {f"{sign}int{bits}": (bits, sign == "") for bits in (8, 16, 32, 64) for sign in ("", "u")}
C_WORDS = set("""auto bool break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while""".split())
NAME = re.compile(r"^[a-z](_?[a-z0-9]+)*$")
PAYLOAD_BYTES_MAX = 65535
FIELDS_MAX = 64  # as in codec.c
ROS_PLAIN = {"bool", "byte", "char", "float32", "float64", "string", *INTEGERS}


class DefinitionError(Exception):
    """What is wrong, and where: str() is 'file:line: what'."""

    def __init__(self, file, line, what):
        super().__init__(f"{file}:{line}: {what}")


@dataclass
class RadioField:
    name: str
    base: str  # int8 ... uint64
    shape: str  # one, fixed, inline
    bound: int
    unit: str
    low: int
    high: int
    unknown: int | None
    since: int
    text: str
    same_count_as: int = -1

    @property
    def value_bytes(self):
        return INTEGERS[self.base][0] // 8

    @property
    def type_text(self):
        return {"one": self.base, "fixed": f"{self.base}[{self.bound}]", "inline": f"{self.base}[0..{self.bound}]"}[self.shape]

    @property
    def bytes_max(self):
        count = 1 if self.shape == "one" else self.bound
        return self.value_bytes * count + (2 if self.shape == "inline" else 0)


@dataclass
class RadioMessage:
    name: str
    id: int
    version: int
    text: str
    line: int
    fields: list = field(default_factory=list)

    @property
    def camel(self):
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def payload_bytes_max(self):
        return sum(f.bytes_max for f in self.fields)


@dataclass
class RosField:
    name: str
    base: str  # plain type or "package/Type"
    shape: str  # one, fixed, sequence
    bound: int
    string_bound: int
    line_text: str


@dataclass
class RosType:
    package: str
    name: str
    fields: list = field(default_factory=list)
    constants: list = field(default_factory=list)  # (type, name, value text)
    lines: list = field(default_factory=list)  # the definition without comments


def integer_limits(base):
    bits, signed = INTEGERS[base]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def split_words(text, fail):
    """Words, with "quoted text" as one word that keeps its first quote."""
    words = re.findall(r'"[^"]*"|[^\s"]+', text)
    if text.count('"') % 2:
        fail("a quote is not closed")
    return words


def read_number(text, fail):
    try:
        return int(text, 0)
    except ValueError:
        fail(f"'{text}' is not a whole number")


class RadioReader:
    """radio.def, line by line; the first mistake ends it."""

    def __init__(self, path, label):
        self.path, self.label, self.line = Path(path), label, 0
        self.messages, self.retired = [], {}

    def fail(self, what):
        raise DefinitionError(self.label, self.line, what)

    def read(self):
        for self.line, raw in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            text = raw.split("#")[0] if not raw.lstrip().startswith("#") else ""
            words = split_words(text, self.fail)
            if not words:
                continue
            if words[0] == "message":
                self.close_message()
                self.read_message(words)
            elif words[0] == "retired":
                self.close_message()
                self.read_retired(words)
            elif not raw[0].isspace():
                self.fail(f"'{words[0]}': expected 'message', 'retired' or an indented field")
            elif not self.messages:
                self.fail("a field before the first message")
            elif words[0] == "same_count":
                self.read_same_count(words)
            else:
                self.read_field(words)
        self.close_message()
        return self.messages, self.retired

    def read_id(self, word):
        number = read_number(word, self.fail)
        if not 1 <= number <= 255:
            self.fail(f"id {word} is outside 0x01..0xff")
        for message in self.messages:
            if message.id == number:
                self.fail(f"id 0x{number:02x} belongs to '{message.name}' (line {message.line}); ids are never reused")
        if number in self.retired:
            self.fail(f"id 0x{number:02x} belonged to '{self.retired[number]}', now retired; ids are never reused")
        return number

    def read_name(self, word, kind):
        if not NAME.match(word) or word in C_WORDS or len(word) > 40:
            self.fail(f"'{word}' cannot name a {kind}: lower case letters, digits and single '_' only, no word of C")
        return word

    def read_message(self, words):
        if len(words) != 5 or not re.match(r"^v\d+$", words[3]) or words[4][0] != '"':
            self.fail('expected: message NAME ID vVERSION "what it says"')
        name = self.read_name(words[1], "message")
        if name == "id":
            self.fail("a message cannot be named 'id', which says of any message which one it is")
        for message in self.messages:
            if message.name == name:
                self.fail(f"message '{name}' is already there (line {message.line})")
        version = int(words[3][1:])
        if not 1 <= version <= 255:
            self.fail(f"version {words[3]} is outside v1..v255")
        self.messages.append(RadioMessage(name, self.read_id(words[2]), version, words[4][1:-1], self.line))

    def read_retired(self, words):
        if len(words) != 4 or words[3][0] != '"':
            self.fail('expected: retired NAME ID "why"')
        self.retired[self.read_id(words[2])] = words[1]

    def read_type(self, word):
        match = re.match(r"^(\w+)(?:\[(?:(0\.\.)?(\d+))\])?$", word)
        if not match or match[1] not in INTEGERS:
            self.fail(f"type '{word}': expected {' '.join(INTEGERS)}, with [N] or [0..N] for an array")
        bound = int(match[3] or 1)
        if not 1 <= bound <= 65535:
            self.fail(f"array bound {bound} is outside 1..65535")
        return match[1], "one" if match[3] is None else "inline" if match[2] else "fixed", bound

    def read_range(self, word, base):
        match = re.match(r"^(-?\w+)\.\.(-?\w+)$", word)
        if not match:
            self.fail(f"range '{word}': expected MIN..MAX")
        low, high = (read_number(match[i], self.fail) for i in (1, 2))
        least, most = integer_limits(base)
        if not least <= low <= high <= most:
            self.fail(f"range {word} is not a range within {base} ({least}..{most})")
        return low, high

    def read_field(self, words):
        message = self.messages[-1]
        if len(words) < 3 or words[-1][0] != '"':
            self.fail('expected: FIELD TYPE UNIT MIN..MAX [unknown VALUE] [since vVERSION] "what it means"')
        name = self.read_name(words[0], "field")
        if any(name in (f.name, f.name + "_count") or (f.shape == "inline" and name == f.name + "_count")
               for f in message.fields):
            self.fail(f"field '{name}' is already in '{message.name}'")
        base, shape, bound = self.read_type(words[1])
        rest, unit, (low, high) = words[2:-1], "-", integer_limits(base)
        if rest and rest[0] not in ("unknown", "since"):
            if len(rest) < 2:
                self.fail("expected UNIT and MIN..MAX, or neither")
            unit, (low, high), rest = rest[0], self.read_range(rest[1], base), rest[2:]
        unknown = since = None
        while rest:
            if len(rest) >= 2 and rest[0] == "unknown" and unknown is None:
                unknown = self.read_unknown(rest[1], base, low, high)
            elif len(rest) >= 2 and rest[0] == "since" and since is None and re.match(r"^v\d+$", rest[1]):
                since = int(rest[1][1:])
            else:
                self.fail(f"'{rest[0]}': expected unknown VALUE or since vVERSION, once each")
            rest = rest[2:]
        field_ = RadioField(name, base, shape, bound, unit, low, high, unknown, since or 1, words[-1][1:-1])
        self.check_since(message, field_)
        message.fields.append(field_)

    def read_unknown(self, word, base, low, high):
        value = read_number(word, self.fail)
        least, most = integer_limits(base)
        if not least <= value <= most:
            self.fail(f"unknown {word} does not fit into {base}")
        if low <= value <= high:
            self.fail(f"unknown {word} is inside the range {low}..{high}: it could not be told from a value")
        return value

    def check_since(self, message, new):
        if not 1 <= new.since <= message.version:
            self.fail(f"since v{new.since} is outside v1..v{message.version}, the versions of '{message.name}'")
        if message.fields and message.fields[-1].since > new.since:
            self.fail(f"field '{new.name}' (v{new.since}) stands after a field of v{message.fields[-1].since}: append only")
        if new.since > 1 and new.unknown is None and new.shape != "inline":
            self.fail(f"field '{new.name}' is appended: it needs an unknown value, for senders that do not know it yet")

    def read_same_count(self, words):
        message = self.messages[-1]
        names = [f.name for f in message.fields]
        for word in words[1:]:
            if word not in names or message.fields[names.index(word)].shape != "inline":
                self.fail(f"'{word}' is not a bounded array above this line")
        places = sorted(names.index(word) for word in words[1:])
        if len(set(places)) < 2:
            self.fail("expected: same_count ARRAY ARRAY ...")
        for place in places[1:]:
            message.fields[place].same_count_as = places[0]

    def close_message(self):
        if not self.messages:
            return
        message = self.messages[-1]
        if not message.fields:
            self.fail(f"message '{message.name}' has no fields")
        if len(message.fields) > FIELDS_MAX:
            self.fail(f"message '{message.name}' has more than {FIELDS_MAX} fields")
        if message.fields[-1].since != message.version:
            self.fail(f"message '{message.name}' is v{message.version}, but no field is 'since v{message.version}'")
        if message.payload_bytes_max > PAYLOAD_BYTES_MAX:
            self.fail(f"message '{message.name}' may take {message.payload_bytes_max} bytes, more than {PAYLOAD_BYTES_MAX}")


def ledger_line(message):
    words, since = [f"0x{message.id:02x}", message.name], 0
    for f in message.fields:
        if f.since != since:
            since = f.since
            words.append(f"v{since}")
        words.append(f"{f.name}:{f.type_text}")
    return " ".join(words)


def check_ledger(messages, retired, path, label, def_label):
    """Refuses what would break those who speak an earlier radio.def: a line in the ledger only ever grows."""
    by_id = {m.id: m for m in messages}
    recorded = set()
    for number, text in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        words = text.split()
        identity = int(words[0], 16)
        recorded.add(identity)
        if identity in retired:
            continue
        if identity not in by_id:
            raise DefinitionError(label, number, f"{words[0]} '{words[1]}' is gone from {def_label}; write: retired {words[1]} {words[0]} \"why\"")
        message = by_id[identity]
        if message.name != words[1]:
            raise DefinitionError(def_label, message.line, f"{words[0]} was '{words[1]}' and cannot be renamed '{message.name}'; take a new id")
        now = ledger_line(message).split()
        if now[:len(words)] != words:
            at = next(i for i in range(len(words)) if i >= len(now) or now[i] != words[i])
            raise DefinitionError(def_label, message.line, f"'{message.name}' differs from {label} line {number} at '{words[at]}'; only append fields, with a new version")
        if len(now) > len(words):
            if not now[len(words)].startswith("v"):
                raise DefinitionError(def_label, message.line, f"'{message.name}' has a new field '{now[len(words)]}': raise the version and mark it 'since'")
            raise DefinitionError(def_label, message.line, f"'{message.name}' has grown; run: generate.py record")
    for message in messages:
        if message.id not in recorded:
            raise DefinitionError(def_label, message.line, f"'{message.name}' is not in {label}; run: generate.py record")


def strip_comment(text):
    quote = None
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c == "#":
            return text[:i].rstrip()
    return text.rstrip()


class RosReader:
    """Every .msg file under a folder, PKG/Type.msg, in the order in which they depend on each other."""

    def __init__(self, folder, label):
        self.folder, self.label = Path(folder), label
        self.types = {}

    def read(self):
        for path in sorted(self.folder.glob("*/*.msg")):
            self.read_type(f"{path.parent.name}/{path.stem}", path, [])
        return self.types

    def read_type(self, full, path, open_types):
        if full in self.types:
            return
        label = f"{self.label}/{full}.msg"
        type_ = RosType(*full.split("/"))
        for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = strip_comment(raw.strip())
            if text:
                self.read_line(type_, text, lambda what, n=number: self.refuse(label, n, what), open_types + [full])
        if not type_.fields:
            self.refuse(label, 1, "a message without fields")
        self.types[full] = type_

    def refuse(self, label, line, what):
        raise DefinitionError(label, line, what)

    def read_line(self, type_, text, fail, open_types):
        match = re.match(r"^([\w/]+)(<=\d+)?(\[(?:<=)?\d*\])?\s+(\w+)\s*(=)?\s*(.*)$", text)
        if not match:
            fail(f"'{text}': expected TYPE NAME, TYPE NAME DEFAULT or TYPE NAME=VALUE")
        base, string_bound, array, name, equals, rest = match.groups()
        if base == "wstring":
            fail("wstring is not supported; use string, which is UTF-8")
        if string_bound and base != "string":
            fail(f"'{base}{string_bound}': only a string has a bound of its own")
        if equals:
            if base not in ROS_PLAIN or array or not re.match(r"^[A-Z][A-Z0-9_]*$", name) or not rest:
                fail(f"'{text}': expected a constant, TYPE NAME=VALUE with NAME in capitals")
            type_.constants.append((base, name, rest))
            type_.lines.append(f"{base} {name}={rest}")
            return
        if not NAME.match(name):
            fail(f"'{name}' cannot name a field: lower case letters, digits and single '_' only")
        if any(f.name == name for f in type_.fields):
            fail(f"field '{name}' is already there")
        shape, bound = self.read_array(array, fail)
        if base not in ROS_PLAIN:
            base = self.resolve(type_, base, fail, open_types)
        type_.fields.append(RosField(name, base, shape, bound, int((string_bound or "<=0")[2:]), text))
        type_.lines.append(text)

    def read_array(self, array, fail):
        if array is None:
            return "one", 1
        inner = array[1:-1]
        if inner.startswith("<="):
            return "sequence", int(inner[2:] or 0) or fail(f"'{array}': a bound of nothing")
        if inner == "":
            return "sequence", 0
        return "fixed", int(inner) or fail(f"'{array}': an array of nothing")

    def resolve(self, type_, base, fail, open_types):
        full = base if "/" in base else f"{type_.package}/{base}"
        if full in open_types:
            fail(f"'{full}' contains itself")
        path = self.folder / f"{full}.msg"
        if not path.is_file():
            fail(f"'{base}': there is no {self.label}/{full}.msg")
        self.read_type(full, path, open_types)
        return full
