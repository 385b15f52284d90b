#!/usr/bin/env python3
"""cairn map encode and decode: planes come back bit for bit, an earlier map saves bytes, wrong words are told.

usage: test_map_encode.py CAIRN

Prints TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

from tap import case, end

CAIRN = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="cairn-map-encode-")
HERE = pathlib.Path(FOLDER.name)
WIDTH, HEIGHT = 150, 131


def run(*words):
    return subprocess.run([CAIRN, "map", *map(str, words)], capture_output=True, text=True, check=False)


def write(name, is_set):
    rows = bytearray()
    for y in range(HEIGHT):
        row = bytearray((WIDTH + 7) // 8)
        for x in range(WIDTH):
            row[x // 8] |= (128 >> x % 8) if is_set(x, y) else 0
        rows += row
    path = HERE / name
    path.write_bytes(b"P4\n%d %d\n" % (WIDTH, HEIGHT) + rows)
    return path


def code_bytes(done):
    return int(done.stdout.split(": ")[1].split()[0])


def wall(x, y):
    return (x in (20, 90) or y in (30, 100)) and (x * 7 + y * 13) % 11 > 0


# The robot has gone five cells to the right: what stood at x stands at x - 5.
before = write("before.pbm", wall)
now = write("now.pbm", lambda x, y: wall(x + 5, y))
known = write("known.pbm", lambda x, y: 10 < x < 110 and 20 < y < 120)

alone = run("encode", now, "-o", HERE / "alone")
case("a plane comes back", alone.returncode == 0 and run("decode", HERE / "alone", "-o", HERE / "back.pbm").returncode == 0
     and (HERE / "back.pbm").read_bytes() == now.read_bytes(), alone.stderr)
after = run("encode", now, "-o", HERE / "after", "--after", before, "--moved", "0.5,0,0")
case("after a map that the reader has it takes less than half", 2 * code_bytes(after) < code_bytes(alone), f"{alone.stdout}{after.stdout}")
away = run("encode", now, "-o", HERE / "away", "--after", before, "--moved", "-0.5,0,0")
case("and less than if it is told to be elsewhere", code_bytes(after) < code_bytes(away), f"{after.stdout}{away.stdout}")
run("decode", HERE / "after", "-o", HERE / "back2.pbm", "--after", before)
case("it comes back after that map", (HERE / "back2.pbm").read_bytes() == now.read_bytes(), "other bytes")
for words in ([], ["--after", known]):
    refused = run("decode", HERE / "after", "-o", HERE / "no.pbm", *words)
    case(f"without that map it is refused, in words {words[:1]}", refused.returncode == 1 and "--after" in refused.stderr
         and not (HERE / "no.pbm").exists(), refused.stderr)
refused = run("decode", HERE / "after", "-o", HERE / "no.pbm", "--after", known)
case("a wrong earlier map is named", refused.stderr.startswith(f"{known}: is not the map"), refused.stderr)
run("encode", now, "--known", known, "-o", HERE / "both")
run("encode", now, "--known", known, "--after", before, "--after-known", known, "-o", HERE / "both-after")
refused = run("decode", HERE / "both-after", "-o", HERE / "no.pbm", "--after", before)
case("that its second plane is missing is told", refused.returncode == 1 and "--after-known" in refused.stderr
     and "two planes" in refused.stderr and not (HERE / "no.pbm").exists(), refused.stderr)
run("decode", HERE / "both", "-o", HERE / "back3.pbm", "--known", HERE / "back3-known.pbm")
case("two planes come back, obstacles in unknown cells too", (HERE / "back3.pbm").read_bytes() == now.read_bytes()
     and (HERE / "back3-known.pbm").read_bytes() == known.read_bytes(), "other bytes")
case("what is no such file is refused", run("decode", now, "-o", HERE / "no.pbm").returncode == 1
     and run("encode", HERE / "alone", "-o", HERE / "no").returncode == 1, "was taken")
for head, wanted in ((b"P1\n1 1\n0\n", "pnmtopnm"), (b"P5\n1 1\n255\n0", "pgmtopbm"), (b"P2\n1 1\n255\n0\n", "pgmtopbm"), (b"", "P4")):
    (HERE / "other.pbm").write_bytes(head)
    refused = run("encode", HERE / "other.pbm", "-o", HERE / "no")
    case(f"what to do with a picture of kind {head[:2].decode()} is told", refused.returncode == 1 and wanted in refused.stderr
         and not (HERE / "no").exists(), refused.stderr)
refused = run("encode", now, "-o", HERE / "no", "--cell", "0")
case("bounds are told as they are", "from 0.001 to 10," in refused.stderr, refused.stderr)
case("wrong words are usage errors", all(run(*words).returncode == 2 for words in (
    ["encode", now], ["encode", "-o", HERE / "x"], ["encode", now, "-o", HERE / "x", "--moved", "1,2,3"],
    ["encode", now, "-o", HERE / "x", "--after", before, "--moved", "1,2"],
    ["encode", now, "-o", HERE / "x", "--after", before, "--known", known])), "another status")
end()
