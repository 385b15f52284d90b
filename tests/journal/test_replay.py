#!/usr/bin/env python3
"""What `cairn replay` prints. Prints TAP.

usage: test_replay.py REPLAY WRITE_SAMPLE
"""
import base64
import json
import subprocess
import sys
import tempfile
from pathlib import Path

REPLAY, WRITE_SAMPLE = sys.argv[1:3]
count = failed = 0


def check(name, passed, detail=""):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {name}")
    if not passed:
        print("# " + str(detail).replace("\n", "\n# "))


def replay(*words):
    return subprocess.run([REPLAY, *map(str, words)], capture_output=True, text=True)


def lines(*words):
    return [json.loads(line) for line in replay(*words).stdout.splitlines()]


with tempfile.TemporaryDirectory() as folder:
    journal = Path(folder) / "sample.mcap"
    written_hash = subprocess.run([WRITE_SAMPLE, journal], check=True, capture_output=True, text=True).stdout.strip()

    table = replay(journal)
    check("the table ends well", table.returncode == 0 and table.stderr == "", table.stderr)
    row = next(line.split() for line in table.stdout.splitlines() if line.startswith("/emu1/scan"))
    check("a row has topic, type, count, rate, duration and bytes",
          row == ["/emu1/scan", "sensor_msgs/msg/LaserScan", "120", "40.00", "2.975", "527280"], row)
    check("the hash is that of the writer", f"hash {written_hash} (as recorded)" in table.stdout, table.stdout)

    summary = json.loads(replay(journal, "--json").stdout)
    check("the summary is JSON", summary["sound"] and summary["hash"] == written_hash and summary["message_count"] == 127
          and abs(summary["duration_s"] - 6.199999) < 1e-9 and len(summary["channels"]) == 8, summary)

    scans = lines(journal, "--channel", "/emu1/scan")
    check("every message of a channel is a line", len(scans) == 120)
    ranges = scans[3]["message"]["ranges"]
    check("values and what JSON does not have are there",
          len(ranges) == 1081 and ranges[0] == 3.94 and ranges[7] == "Infinity" and ranges[8] == "NaN", ranges[:9])
    check("times are those of the journal", scans[3]["log_time_ns"] == 75001000 and scans[3]["time_s"] == 0.075
          and scans[3]["publish_time_ns"] == 75000000, scans[3]["log_time_ns"])
    window = lines(journal, "--channel", "/emu1/scan", "--from", 1, "--to", 2)
    check("a window of time is inclusive", [w["time_s"] for w in (window[0], window[-1])] == [1.0, 2.0] and len(window) == 41)
    check("a limit limits", len(lines(journal, "--channel=/emu1/scan", "--limit=7")) == 7)
    short = lines(journal, "--channel", "/emu1/scan", "--short", "2", "--limit", "1")[0]["message"]["ranges"]
    check("arrays are shortened", short == {"count": 1081, "first": [0.01, 0.18]}, short)
    image = lines(journal, "--channel", "/emu1/thermal")[0]["message"]["data"]
    check("pictures are base64", base64.b64decode(image) == bytes(i * 7 % 256 for i in range(4800)))
    task = lines(journal, "--channel", "/radio/task")[0]["message"]
    check("radio messages read like any other", task["via_x_mm"] == [-1500, -500, 500] and task["end_yaw_mrad"] == -32768, task)

    cut = Path(folder) / "cut.mcap"
    cut.write_bytes(journal.read_bytes()[:50000])
    half = replay(cut, "--json")
    check("a cut journal gives what it has, and says so", half.returncode == 1 and "is cut" in half.stderr
          and 0 < json.loads(half.stdout)["message_count"] < 127 and not json.loads(half.stdout)["sound"], half.stderr)
    bad = Path(folder) / "bad.mcap"
    bad.write_text("no journal")
    done = replay(bad)
    check("what is no journal is refused", done.returncode == 1 and "bad.mcap: is not an MCAP file" in done.stderr, done.stderr)
    done = replay(Path(folder) / "none.mcap")
    check("a missing file is named", done.returncode == 1 and "none.mcap: cannot be read" in done.stderr, done.stderr)
    done = replay(journal, "--channel", "/nix")
    check("a missing channel is named", done.returncode == 1 and "there is no channel '/nix'" in done.stderr, done.stderr)

check("no journal is wrong usage", replay().returncode == 2)
check("an unknown option is wrong usage", replay("x", "--speed").returncode == 2)
check("--json with --channel is wrong usage", replay("x", "--json", "--channel", "/a").returncode == 2)
usage = replay("--help")
check("--help has examples", usage.returncode == 0 and "Examples: cairn replay" in usage.stdout)
print(f"1..{count}")
sys.exit(failed > 0)
