#!/usr/bin/env python3
"""Files of versions that are not there yet: each command refuses them, or does without, in words. Prints TAP.

The files are those of tests/corpus, with another number in them. docs/VERSIONS.md has the same list.

usage: test_versions.py CAIRN
"""
import json
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/corpus"))
import readers  # noqa: E402
import store_rows  # noqa: E402
from tap import case, end  # noqa: E402

CAIRN = pathlib.Path(sys.argv[1]).resolve()
MCAP_MAGIC = b"\x89MCAP0\r\n"
BUILD = readers.Build(CAIRN.parent)
KNOWN = BUILD.formats()  # versions, by name
NEWER = {name: number + 1 for name, number in KNOWN.items()}
NEWER_CONFIG = [f":1: version: found {NEWER['config']}", f"files up to version {KNOWN['config']}", "take a newer cairn"]


def run(*words):
    return subprocess.run([str(word) for word in (CAIRN, *words)], capture_output=True, text=True, errors="replace")


def says(name, done, status, words):
    case(name, done.returncode == status and all(word in done.stderr for word in words), done)


# ---- what people write

def config_files(at):
    for name, file, words in (
            ("robot", "team/emu1.yaml", ["robot", "FILE", "--check"]),
            ("station", "team/station.yaml", ["station", "FILE", "--check"]),
            ("mission", "mission/mission.yaml", ["mission", "run", "FILE", "--out", at / "out"]),
            ("arena", "mission/arena.yaml", ["arena", "check", "FILE"])):
        path = at / file
        text = path.read_text()
        without = "\n".join(line for line in text.splitlines() if not line.startswith("version:")) + "\n"
        command = [path if word == "FILE" else word for word in words]
        path.write_text(f"version: {NEWER['config']}\nwhatever: comes\n" + without)
        says(f"a {name} file of a newer version is refused, and nothing else in it is looked at", run(*command), 1,
             [str(path), *NEWER_CONFIG])
        path.write_text("version: 0\n" + without)
        says(f"a version of a {name} file that there never was is refused", run(*command), 1,
             [f"{path}:1: version: found 0; expected {KNOWN['config']}"])
        path.write_text(without)
        if name != "mission":
            case(f"a {name} file without a version is of the first", run(*command).returncode == 0, run(*command))
        path.write_text(text)
    body = at / "team/emu.yaml"
    body.write_text(f"version: {NEWER['config']}\n" + body.read_text())
    says("a body file of a newer version is refused by who names it", run("robot", at / "team/emu1.yaml", "--check"), 1,
         [str(body), *NEWER_CONFIG])


def key_files(at):
    key = at / "team/keys/emu1.key"
    key.write_text(key.read_text().replace("cairn key 1", f"cairn key {NEWER['key']}"))
    words = [f"{key}:1: a key file of another version; this program reads \"cairn key {KNOWN['key']}\""]
    says("a key file of a newer version is refused", run("keys", "list", "--folder", key.parent), 1, words)
    said = readers.run_station(BUILD, at / "team", "goes on")
    case("also by a station", all(word in said for word in words), said)


# ---- stores

def newer_record(data):
    """The records of the last seconds are of another version."""
    return bytes([NEWER["inputs"]]) + data[1:] if struct.unpack_from("<Q", data, 2)[0] > 4000 else data


def stranger_record(data):
    """A node becomes a message of a kind that is not there yet."""
    at = data.find(b"\x23\x01")
    return data[:at] + b"\x7f" + data[at + 1:] if at > 0 and struct.unpack_from("<Q", data, 2)[0] > 4000 else data


def stores(at):
    store, fresh = at / "team/station.db", at / "fresh.db"
    shutil.copy(store, fresh)

    def again(change):
        shutil.copy(fresh, store)
        change()
        return store.read_bytes()

    def station():
        return readers.run_station(BUILD, at / "team", "goes on")

    def set_version():
        with sqlite3.connect(store) as database:
            database.execute(f"PRAGMA user_version = {NEWER['store']}")
        database.close()

    before = again(set_version)
    words = [f"is a store of version {NEWER['store']}, and this cairn knows versions up to {KNOWN['store']}; use a newer cairn"]
    says("a store of a newer version is refused", run("store", store), 1, words)
    said = station()
    case("also by a station, which leaves it as it is", words[0] in said and store.read_bytes() == before, said)

    before = again(lambda: store_rows.rewrite(store, setup=lambda data: bytes([NEWER["setup"]]) + data[1:]))
    words = (f"was made by a newer cairn (its setup is of version {NEWER['setup']}, this one knows version "
             f"{KNOWN['setup']}); use that one")
    says("a store whose setup is of a newer version is refused", run("store", store), 1, [words])
    case("what it was told is still shown", run("store", store, "--inputs").stdout.count("heard") > 500, "")
    said = station()
    case("a station refuses it, and leaves it as it is",
         words + ", or begin a new mission with --fresh" in said and store.read_bytes() == before, said)

    for name, change in (("records", newer_record), ("messages in records", stranger_record)):
        before = again(lambda: store_rows.rewrite(store, record=change, layout=lambda _: NEWER["snapshot"]))
        words = "what follows was written by a newer cairn, which can read all of it"
        done = run("store", store)
        says(f"{name} of a newer version are told", done, 1, [words])
        case("what is before them is shown", re.search(r"^7\d\.\d s of mission time, 40\d\d steps", done.stdout), done)
        said = station()
        case("a station does not go on before them, which would lose them", words in said and
             "would lose that if an older cairn went on with it" in said and "--fresh" in said, said)
        case("and leaves the store as it is", store.read_bytes() == before, "")
    again(lambda: store_rows.rewrite(store, record=newer_record))
    says("records of a newer version end the list", run("store", store, "--inputs"), 1,
         ["from record", f"was written by a newer cairn (version {NEWER['inputs']} of the records, this one knows version "
          f"{KNOWN['inputs']})"])

    whole = json.loads(run("store", fresh, "--json").stdout)
    for number in (NEWER["snapshot"], 0):
        again(lambda: store_rows.rewrite(store, layout=lambda _: number))
        told = json.loads(run("store", store, "--json").stdout)
        case(f"snapshots of layout {number} are not needed: the records give the same",
             told["snapshot_step"] == 0 and told["replayed"] > 4000 and not told["cut"] and
             (told["map_hash"], told["state_hash"]) == (whole["map_hash"], whole["state_hash"]), told)
        said = station()
        case("a station goes on from them", "it goes on from 75.2 s" in said or readers.NO_PAGE in said, said)


# ---- journals

def record(op, content):
    return bytes([op]) + struct.pack("<Q", len(content)) + content


def text(words):
    return struct.pack("<I", len(words)) + words.encode()


def records_of(data):
    at = len(MCAP_MAGIC)
    while at < len(data) - len(MCAP_MAGIC):
        size = struct.unpack_from("<Q", data, at + 1)[0]
        yield at, data[at], data[at + 9:at + 9 + size]
        at += 9 + size


def set_format(file, format_text):
    """Another format in the metadata at its head, and the section's CRC that fits it."""
    data = bytearray(file.read_bytes())
    for at, op, content in list(records_of(bytes(data))):
        if op == 0x0c and text("format") + text("1") in content:
            place = at + 9 + content.index(text("format") + text("1")) + len(text("format")) + 4
            data[place:place + 1] = format_text.encode()
        if op == 0x0f:
            data[at + 9:at + 13] = struct.pack("<I", zlib.crc32(data[:at]))
            break
    file.write_bytes(data)


def station_journal(file, messages):
    """A journal with these messages of a station: (topic, type, CDR)."""
    out = MCAP_MAGIC + record(1, text("ros2") + text("cairn 9.0"))
    for number, (topic, kind, data) in enumerate(messages, 1):
        out += record(3, struct.pack("<H", number) + text("cairn_msgs/msg/" + kind) + text("ros2msg") +
                      text("uint8[] bytes"))
        out += record(4, struct.pack("<HH", number, number) + text("/station/" + topic) + text("cdr") + text(""))
        out += record(5, struct.pack("<HIQQ", number, 0, 0, 0) + b"\0\1\0\0" + data)
    out += record(15, struct.pack("<I", zlib.crc32(out)))
    file.write_bytes(out + record(2, bytes(20)) + MCAP_MAGIC)


def cdr_bytes(data):
    return struct.pack("<I", len(data)) + data


def journals(at):
    mission = at / "mission/journal.mcap"
    whole = run("replay", mission, "--json")
    set_format(mission, str(NEWER["journal"]))
    done = run("replay", mission, "--json")
    says("a journal of a newer format is told", done, 0,
         [f"written by a newer cairn (cairn 0.1.0, format {NEWER['journal']}; this one knows format {KNOWN['journal']})",
          "may not be understood"])
    strip = [json.loads(one.stdout)["channels"] for one in (whole, done)]
    case("and all of it is read", strip[0] == strip[1] and json.loads(done.stdout)["sound"], done)

    with sqlite3.connect(at / "team/station.db") as store:
        setup = store.execute("SELECT bytes FROM setup").fetchone()[0]
        first = store_rows.records_of(store.execute("SELECT bytes FROM batches WHERE first = 1").fetchone()[0])[0]
    store.close()
    newer = bytes([NEWER["inputs"]]) + first[1:]
    inputs = struct.pack("<QQI", 1, 1, 1) + cdr_bytes(struct.pack("<I", len(newer)) + newer)
    snapshot = struct.pack("<QIIQQ", 5, NEWER["snapshot"], 0, 100, 0) + cdr_bytes(struct.pack("<I", NEWER["snapshot"]) + bytes(96))
    good = ("setup", "StationSetup", cdr_bytes(setup))
    for name, words, messages in (
            ("setup", "the station's setup cannot be used",
             [("setup", "StationSetup", cdr_bytes(bytes([NEWER["setup"]]) + setup[1:]))]),
            ("record", "a record of the station's inputs", [good, ("inputs", "StationInputs", inputs)]),
            ("snapshot", "a snapshot of the station cannot be used", [good, ("snapshot", "StationSnapshot", snapshot)])):
        station_journal(at / "made.mcap", messages)
        says(f"a {name} of a newer version cannot be verified, and is told", run("replay", at / "made.mcap", "--verify"),
             1, [words + ": another version of cairn wrote it; that one can verify this journal"])


# ---- what programs share

def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def patch(path, offset, number):
    data = bytearray(path.read_bytes())
    data[offset:offset + 4] = struct.pack("<I", number)
    path.write_bytes(data)


def shared_pages(at):
    team = at / "team"
    words = ["sim", team.parent / "mission/arena.yaml", team / "emu1.yaml", "--folder", team / "sim", "--port",
             free_port()]
    sim = subprocess.Popen([str(word) for word in (CAIRN, *words)], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while run("sim", "--look", team / "sim").returncode != 0 and time.monotonic() < until:
        time.sleep(0.1)
    sim.send_signal(signal.SIGKILL)
    sim.wait()
    patch(team / "sim/emu1.motors", 16, NEWER["body"])
    says("a robot refuses a body of another version", run("robot", team / "emu1.yaml"), 1,
         ["emu1.motors", f"was made by a simulator of another version ({NEWER['body']}, this program has {KNOWN['body']}); "
          "update the older one"])
    patch(team / "sim/world", 12, NEWER["world"])
    other = [f"sim/world: is the world of a simulator of another version ({NEWER['world']}, this one has {KNOWN['world']})"]
    says("a simulator does not go on with a world of another version", run(*words), 1,
         [*other, "--fresh begins anew there"])
    says("nor is it shown", run("sim", "--look", team / "sim"), 1, other)


def maps(_):
    folder = readers.copy(TOP / "tests/corpus/v3/maps", pathlib.Path(place) / "maps_of_v3")
    patch(folder / "local.cairnmap", 8, NEWER["map"])
    says("a map of a newer version is refused", run("map", "info", folder / "local.cairnmap"), 1,
         [f"is a Cairn map of version {NEWER['map']}; this program reads version {KNOWN['map']}: take a newer cairn"])
    coded = bytearray((folder / "both.grid").read_bytes())
    coded[4] = NEWER["grid"]
    (folder / "both.grid").write_bytes(coded)
    says("a grid that was coded by another version is refused", run("map", "decode", folder / "both.grid", "-o",
         folder / "out.pbm"), 1, ["both.grid: was coded by another version of cairn; decode it with that one"])


def table(_):
    words = run("version").stdout
    case("cairn version tells all formats to people and machines",
         all(re.search(rf"^  {name} +{number}  \w", words, re.M) for name, number in KNOWN.items()) and
         len(KNOWN) == 16, words)
    document = (TOP / "docs/VERSIONS.md").read_text()
    case("docs/VERSIONS.md has all of them, with these numbers",
         all(f"| `{name}` | {number} |" in document for name, number in KNOWN.items()), KNOWN)


with tempfile.TemporaryDirectory(prefix="cairn-versions-") as place:
    for part in (config_files, key_files, stores, journals, shared_pages, maps, table):
        part(readers.copy(TOP / "tests/corpus/v1", pathlib.Path(place) / part.__name__))
end()
