#!/usr/bin/env python3
"""`cairn replay --verify` on a station's files: whole, without the first ones, cut, and not the same. Prints TAP.

usage: test_verify.py REPLAY WRITE_STATION
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPLAY, WRITE_STATION = sys.argv[1:3]
count = failed = 0


def check(name, passed, detail=""):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {name}")
    if not passed:
        print("# " + str(detail).replace("\n", "\n# "))


def write(folder, mode):
    (folder / mode).mkdir()
    subprocess.run([WRITE_STATION, folder / mode, mode], check=True)
    return sorted((folder / mode).iterdir())


def verify(*words):
    return subprocess.run([REPLAY, "--verify", *map(str, words)], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    files = write(folder, "plain")
    check("a station's journal goes on in new files", len(files) == 5, files)
    done = verify(folder / "plain")
    found = re.match(r"agrees: (\d+) steps, (\d+) checks, state [0-9a-f]{16}, map [0-9a-f]{16}$", done.stdout)
    check("the station comes out the same over all files", done.returncode == 0 and found
          and abs(int(found[1]) - 90 * 55) < 10 and int(found[2]) >= 9, done)
    last = json.loads(verify(folder / "plain", "--json").stdout)
    check("and says so in JSON", last["outcome"] == "agrees" and last["gaps"] == 0, last)
    for i in range(1, len(files)):
        later = json.loads(verify("--json", *files[i:]).stdout or "{}")
        check(f"so it does without the first {i}", later.get("outcome") == "agrees" and later["gaps"] == 0
              and 0 < later["steps"] < last["steps"] and later["state_hash"] == last["state_hash"], later)

    missing = verify("--json", files[0], *files[2:])
    outcome = json.loads(missing.stdout)
    check("a missing file is told, and the rest is still compared", missing.returncode == 1
          and "are not in the journal" in missing.stderr and outcome["gaps"] == 1 and outcome["outcome"] == "agrees"
          and outcome["state_hash"] == last["state_hash"], missing)

    write(folder, "lie")
    lie = verify(folder / "lie")
    check("a difference is found, with its time and step", lie.returncode == 1
          and re.search(r"differs: at 55\.000 s, after step \d+: map [0-9a-f]{16}, recorded was 0000000000000002; "
                        r"the last agreement was at 5[0-4]\.\d+ s", lie.stdout), lie)
    write(folder, "gap")
    gap = verify("--json", folder / "gap")
    outcome = json.loads(gap.stdout)
    check("a gap is told, and got over at the next snapshot", gap.returncode == 1 and outcome["gaps"] == 1
          and outcome["outcome"] == "agrees" and outcome["checked_s"] == 90 and re.search(r"steps \d+ to \d+ are not", gap.stderr), gap)
    killed = write(folder, "killed")
    cut = verify("--json", folder / "killed")
    outcome = json.loads(cut.stdout)
    check("a station that was killed is compared as far as it was written", cut.returncode == 1
          and "is cut" in cut.stderr and outcome["outcome"] == "agrees" and outcome["gaps"] == 0, cut)

    # The journal of the first has 5 s that no store had: the second does not know of them.
    write(folder, "again")
    again = verify("--json", folder / "again")
    outcome = json.loads(again.stdout)
    check("a station that ended and went on from its store is compared on both sides", outcome["outcome"] == "agrees"
          and outcome["gaps"] == 0 and outcome["checked_s"] == 90 and outcome["checks"] >= 10, again)
    check("and where the second begins is told", "went back to" in again.stderr, again)

    whole = files[0].read_bytes()
    wrong = []
    for at in range(0, len(whole), 997):
        half = folder / "half.mcap"
        half.write_bytes(whole[:at])
        done = verify(half)
        if done.returncode != 1 or "differs" in done.stdout or not done.stderr:
            wrong.append((at, done))
    check("a file cut anywhere is no difference", not wrong, wrong[:3])

    missed = []
    for at in range(0, len(whole), 211):
        bent = bytearray(whole)
        bent[at] ^= 1 << at % 8
        half.write_bytes(bent)
        if verify(half, *files[1:]).returncode != 1:
            missed.append(at)
    check("one bit of a file that is another one is never agreed to", not missed, missed)
print(f"1..{count}")
sys.exit(failed > 0)
