#!/usr/bin/env python3
"""What `cairn replay` prints. Prints TAP.

usage: test_replay.py REPLAY WRITE_SAMPLE
"""
import base64
import csv
import io
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
          row == ["/emu1/scan", "sensor_msgs/msg/LaserScan", "120", "40.00", "2.975", "527280", "85045"], row)
    row = next(line.split() for line in table.stdout.splitlines() if line.startswith("emu1"))
    check("what a robot costs is told", 85045 < int(row[1]) < 90000 and 0 < int(row[2]) <= int(row[1]), row)
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

    def table_of(*words):
        return list(csv.DictReader(io.StringIO(replay(journal, "--csv", *words).stdout)))

    scans = table_of("/emu1/scan")
    check("CSV has a row for each message, and counts for arrays",
          len(scans) == 120 and scans[3]["ranges.count"] == "1081" and scans[3]["intensities.count"] == "3"
          and scans[3]["header.frame_id"] == "emu1/laser" and scans[3]["log_time_ns"] == "75001000"
          and "ranges[0]" not in scans[3], scans[3])
    scans = table_of("/emu1/scan", "--short", "9")
    check("CSV has the first elements when asked", scans[3]["ranges[0]"] == "3.94" and scans[3]["ranges[7]"] == "Infinity"
          and scans[3]["ranges[8]"] == "NaN" and [scans[2][f"intensities[{i}]"] for i in range(4)] == ["0.25", "0.5", "", ""],
          scans[2])
    imu = table_of("/emu1/imu")[0]
    check("CSV has arrays of fixed length whole", float(imu["linear_acceleration_covariance[8]"]) == 64, imu)
    moved = table_of("/tf", "--short", "3")[0]
    check("CSV goes into arrays of messages", moved["transforms.count"] == "2" and moved["transforms[1].child_frame_id"] == "b"
          and float(moved["transforms[1].transform.translation.z"]) == 0.5 and moved["transforms[2].child_frame_id"] == ""
          and None not in moved, moved)
    check("CSV and JSON tell the same values", all(
        float(row["range_max"]) == line["message"]["range_max"] and row["header.stamp.nanosec"] == str(line["message"]["header"]["stamp"]["nanosec"])
        for row, line in zip(scans, lines(journal, "--channel", "/emu1/scan"))))
    wide = replay(journal, "--csv", "/emu1/scan", "--short", "100000")
    check("a table that is too wide is refused", wide.returncode == 1 and "--short" in wide.stderr, wide.stderr)

    series = Path(folder) / "series"
    series.mkdir()
    for i in (1, 2, 3):
        (series / f"emu1-00000{i}.mcap").write_bytes(journal.read_bytes())
    whole = json.loads(replay(series, "--json").stdout)
    check("a folder is read file by file", whole["sound"] and whole["message_count"] == 3 * 127
          and [f["hash"] for f in whole["files"]] == [written_hash] * 3 and len(whole["channels"]) == 8, whole)
    check("so are several files", len(lines(series / "emu1-000001.mcap", series / "emu1-000002.mcap",
                                            "--channel", "/emu1/scan")) == 240)
    (series / "emu1-000002.mcap").write_bytes(journal.read_bytes()[:30000])
    done = replay(series, "--json")
    check("a cut file in the middle is told, and the others are read", done.returncode == 1
          and "emu1-000002.mcap: is cut" in done.stderr and 254 < json.loads(done.stdout)["message_count"] < 3 * 127, done.stderr)
    (series / "emu2-000001.mcap").write_bytes(journal.read_bytes())
    done = replay(series)
    check("writers are not mixed", done.returncode == 1 and "several writers" in done.stderr, done.stderr)
    newer = Path(folder) / "newer.mcap"
    newer.write_bytes(journal.read_bytes().replace(b"\x06\0\0\0format\x01\0\0\0001", b"\x06\0\0\0format\x01\0\0\0009"))
    done = replay(newer)
    check("a newer format is said in words", "written by a newer cairn" in done.stderr and "format 9" in done.stderr, done.stderr)
    done = replay(journal, "--verify")
    check("a journal without a station cannot be verified", done.returncode == 1 and "no station in this journal" in done.stderr,
          done.stderr)

    cut = Path(folder) / "cut.mcap"
    cut.write_bytes(journal.read_bytes()[:50000])
    half = replay(cut, "--json")
    check("a cut journal gives what it has, and says so", half.returncode == 1
          and "is cut, as after a crash" in half.stderr
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
check("--csv with --channel is wrong usage", replay("x", "--csv", "/a", "--channel", "/a").returncode == 2)
check("--verify with --csv is wrong usage", replay("x", "--csv", "/a", "--verify").returncode == 2)
check("--json with --channel is wrong usage", replay("x", "--json", "--channel", "/a").returncode == 2)
usage = replay("--help")
check("--help has examples", usage.returncode == 0 and "Examples: cairn replay" in usage.stdout)
print(f"1..{count}")
sys.exit(failed > 0)
