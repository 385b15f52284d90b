#!/usr/bin/env python3
"""What the generator accepts and refuses, and that docs/messages.md is up to date. Prints TAP.

usage: test_generate.py GENERATE_PY MESSAGES_MD
"""
import subprocess
import sys
import tempfile
from pathlib import Path

GENERATE, DOCS = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
HEAD = 'message ping 0x01 v1 "A test"\n'
ROBOT = '  robot uint8 - 1..250 "who"\n'
count = failed = 0


def check(name, passed, detail=""):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {name}")
    if not passed:
        print("# " + detail.replace("\n", "\n# "))


def generate(folder, definition, ledger="", messages=None, verb="build"):
    for name, text in (("radio.def", definition), ("radio.ledger", ledger)):
        (folder / name).write_text(text)
    for name, text in (messages or {"p/T": "int32 a\n"}).items():
        path = folder / "ros2" / f"{name}.msg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, GENERATE, verb] + ([str(folder)] if verb == "build" else [])
    command += ["--def", "radio.def", "--ledger", "radio.ledger", "--ros2", "ros2"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def refuses(name, wanted, definition=HEAD + ROBOT, ledger="0x01 ping v1 robot:uint8\n", messages=None, verb="build"):
    with tempfile.TemporaryDirectory() as folder:
        done = generate(Path(folder), definition, ledger, messages, verb)
    check(f"refused: {name}", done.returncode == 1 and done.stderr.strip().startswith(wanted),
          f"wanted {wanted}\ngot {done.stderr}")


def field(text, line, what, name):
    refuses(name, f"radio.def:{line}: {what}", HEAD + text)


with tempfile.TemporaryDirectory() as folder:
    done = generate(Path(folder), HEAD + ROBOT, "0x01 ping v1 robot:uint8\n")
    check("a small definition is accepted", done.returncode == 0, done.stderr)
    made = (Path(folder) / "radio.h").read_text()
    check("it becomes a struct", "typedef struct cairn_msg_ping {\n    uint8_t robot;" in made, made)

field("  robot uint9 - 1..2 \"x\"\n", 2, "type 'uint9'", "a type that is none")
field("  robot uint8 - 1..256 \"x\"\n", 2, "range 1..256", "a range wider than its type")
field("  robot uint8 - 5..4 \"x\"\n", 2, "range 5..4", "a range without values")
field("  robot uint8 - 1..9 unknown 5 \"x\"\n", 2, "unknown 5 is inside", "an unknown value inside the range")
field("  robot uint8 - 1..9 unknown 300 \"x\"\n", 2, "unknown 300 does not fit", "an unknown value that does not fit")
field(ROBOT + ROBOT, 3, "field 'robot' is already", "a field twice")
field("  while uint8 - 1..2 \"x\"\n", 2, "'while' cannot name", "a word of C as a name")
field("  Robot uint8 - 1..2 \"x\"\n", 2, "'Robot' cannot name", "capitals in a name")
field("  robot uint8 - 1..2\n", 2, "expected: FIELD", "a field without its meaning")
field("  robot uint8 - 1..2 \"x\n", 2, "a quote is not closed", "an open quote")
field("  a uint8[0..70000] - 1..2 \"x\"\n", 2, "array bound 70000", "an array beyond what a count can say")
field("  a uint32[0..20000] \"x\"\n", 2, "message 'ping' may take 80002 bytes", "a message beyond what a length can say")
field("".join(f'  a{i} int8 "x"\n' for i in range(65)), 66, "message 'ping' has more than 64 fields", "65 fields")
field(ROBOT + "  same_count robot robot\n", 3, "'robot' is not a bounded array", "same_count of what is no array")
field("  robot uint8 - 1..2 since v2 \"x\"\n", 2, "since v2 is outside", "a field newer than its message")
refuses("an appended field that an old sender leaves undefined", "radio.def:3: field 'b' is appended",
        'message ping 0x01 v2 "A"\n' + ROBOT + '  b uint8 - 1..2 since v2 "x"\n')
refuses("a version without new fields", "radio.def:2: message 'ping' is v2, but", 'message ping 0x01 v2 "A"\n' + ROBOT)
refuses("an id twice", "radio.def:3: id 0x01 belongs to 'ping'", HEAD + ROBOT + 'message pong 0x01 v1 "A"\n' + ROBOT)
refuses("a name twice", "radio.def:3: message 'ping' is already", HEAD + ROBOT + 'message ping 0x02 v1 "A"\n' + ROBOT)
refuses("a retired id in use again", "radio.def:2: id 0x01 belonged to 'old'", 'retired old 0x01 "gone"\n' + HEAD + ROBOT)
refuses("a message without fields", "radio.def:1: message 'ping' has no fields", HEAD)
refuses("a line that is nothing", "radio.def:1: 'massage': expected", 'massage ping 0x01 v1 "A"\n')
refuses("a renamed message", "radio.def:1: 0x01 was 'pong' and cannot be renamed", ledger="0x01 pong v1 robot:uint8\n")
refuses("a removed message", "radio.ledger:2: 0x02 'gone' is gone", ledger="0x01 ping v1 robot:uint8\n0x02 gone v1 a:int8\n")
refuses("a field with another type", "radio.def:1: 'ping' differs from radio.ledger line 1", ledger="0x01 ping v1 robot:int8\n")
refuses("a removed field", "radio.def:1: 'ping' differs", ledger="0x01 ping v1 robot:uint8 more:int8\n")
refuses("a field inserted into an agreed version", "radio.def:1: 'ping' has a new field",
        HEAD + ROBOT + '  b uint8 - 1..2 "x"\n')
refuses("a new message that is not recorded", "radio.def:1: 'ping' is not in radio.ledger", ledger="")
refuses("recording what contradicts the ledger", "radio.ledger:0: 'ping' contradicts", ledger="0x01 pong v1 robot:uint8\n",
        verb="record")
refuses("a .msg type that is not there", "ros2/p/T.msg:2: 'q/X': there is no", messages={"p/T": "int32 a\nq/X x\n"})
refuses("a .msg type within itself", "ros2/p/T.msg:1: 'p/T' contains itself", messages={"p/T": "T t\n"})
refuses("wstring", "ros2/p/T.msg:1: wstring is not supported", messages={"p/T": "wstring t\n"})
refuses("a .msg field twice", "ros2/p/T.msg:2: field 'a' is already", messages={"p/T": "int32 a\nint8 a\n"})

with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    grown = 'message ping 0x01 v2 "A"\n' + ROBOT + '  b uint8 - 1..2 unknown 255 since v2 "x"\n'
    done = generate(folder, grown, "# note\n0x01 ping v1 robot:uint8\n0x07 old v1 a:int8\n", verb="record")
    ledger = (folder / "radio.ledger").read_text()
    wanted = "# note\n0x01 ping v1 robot:uint8 v2 b:uint8\n0x07 old v1 a:int8\n"
    check("recording appends and forgets nothing", done.returncode == 0 and ledger == wanted, done.stderr + ledger)

current = subprocess.run([sys.executable, GENERATE, "check", DOCS], capture_output=True, text=True)
check("docs/messages.md is up to date", current.returncode == 0, current.stderr)
print(f"1..{count}")
sys.exit(failed > 0)
