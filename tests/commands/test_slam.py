#!/usr/bin/env python3
"""cairn slam on a log made here: a robot drives around a block with bad wheels, and its true way is known.

usage: test_slam.py CAIRN

Prints TAP.
"""
import bz2
import csv
import gzip
import json
import lzma
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from tap import case, end

CAIRN = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = tempfile.TemporaryDirectory(prefix="cairn-slam-")
HERE = pathlib.Path(FOLDER.name)
SEED = 2
WALLS = []


def box(x0, y0, x1, y1):
    WALLS.extend([(x0, y0, x1, y0), (x1, y0, x1, y1), (x1, y1, x0, y1), (x0, y1, x0, y0)])


for b in [(0, 0, 12, 9), (2.2, 2.2, 9.8, 6.8), (5, 0, 5.8, .4), (11.5, 4, 12, 5.5), (7, 8.4, 8.5, 9), (0, 3, .5, 3.9),
          (6.1, 6.8, 6.7, 7.2), (9.8, 2.9, 10.2, 3.4)]:
    box(*b)


def ray(x, y, angle):
    """The nearest wall, by solving for every one of them."""
    ux, uy, best = math.cos(angle), math.sin(angle), 81.83
    for ax, ay, bx, by in WALLS:
        ex, ey, px, py = bx - ax, by - ay, ax - x, ay - y
        below = ux * ey - uy * ex
        if abs(below) < 1e-12:
            continue
        far, along = (px * ey - py * ex) / below, (px * uy - py * ux) / below
        if 0 < far < best and 0 <= along <= 1:
            best = far
    return best


def place(way):
    """Around the block, counter-clockwise; corners are turned on the way."""
    sides = [(1.1, 1.1, 9.8), (10.9, 1.1, 6.8), (10.9, 7.9, 9.8), (1.1, 7.9, 6.8)]
    way = (way + 1) % sum(s[2] for s in sides)
    for i, (x, y, length) in enumerate(sides):
        if way <= length:
            heading, left = i * math.pi / 2, length - way
            turn = .5 * (1 - left / .6) if left < .6 else -.5 * (1 - way / .6) if way < .6 else 0
            return x + way * math.cos(heading), y + way * math.sin(heading), heading + turn * math.pi / 2
        way -= length


def compose(a, b):
    c, s = math.cos(a[2]), math.sin(a[2])
    return a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], a[2] + b[2]


def between(a, b):
    c, s, dx, dy = math.cos(a[2]), math.sin(a[2]), b[0] - a[0], b[1] - a[1]
    return c * dx + s * dy, -s * dx + c * dy, b[2] - a[2]


chance = random.Random(SEED)
lines, truth, relations, before, odom = ["# made by test_slam.py"], [], [], None, place(0)
for i in range(330):
    at, stamp = place(i * .15), f"{1000 + i * .2:.6f}"
    if before is not None:
        dx, dy, turn = between(before, at)
        odom = compose(odom, (dx * (1.02 + chance.gauss(0, .02)), dy, turn + .15 * .01 + chance.gauss(0, .005)))
    ranges = " ".join(f"{max(.05, ray(at[0], at[1], at[2] + math.radians(k - 90)) + chance.gauss(0, .01)):.2f}"
                      for k in range(181))
    pose = f"{odom[0]:.6f} {odom[1]:.6f} {odom[2]:.6f}"
    lines += [f"ODOM {pose} 0 0 0 {stamp} here {stamp}", f"FLASER 181 {ranges} {pose} {pose} {stamp} here {stamp}"]
    truth.append((stamp, at))
    before = at
for i in range(0, 330, 7):
    j = (i * 13 + 150) % 330
    d = between(truth[i][1], truth[j][1])
    relations.append(f"{truth[i][0]} {truth[j][0]} {d[0]:.6f} {d[1]:.6f} 0 0 0 {d[2]:.6f}")
(HERE / "block.log").write_text("\n".join(lines) + "\n")
(HERE / "block.log.gz").write_bytes(gzip.compress((HERE / "block.log").read_bytes()))
(HERE / "block.log.xz").write_bytes(lzma.compress((HERE / "block.log").read_bytes()))
(HERE / "block.log.bz2").write_bytes(bz2.compress((HERE / "block.log").read_bytes()))
(HERE / "block.relations").write_text("\n".join(relations) + "\n")
(HERE / "truth.tum").write_text("".join(
    f"{t} {p[0]:.6f} {p[1]:.6f} 0 0 0 {math.sin(p[2] / 2):.9f} {math.cos(p[2] / 2):.9f}\n" for t, p in truth))


def run(*words):
    return subprocess.run([CAIRN, "slam", *map(str, words)], capture_output=True, text=True, check=False, cwd=HERE)


def errors(method, packing=""):
    done = run(f"block.log{packing}", "--method", method, "--out", f"out-{method}{packing}", "--json")
    if done.returncode != 0:
        return done, None, None
    judged = run("eval", HERE / f"out-{method}{packing}" / "trajectory.tum", "--relations", "block.relations", "--json")
    return done, json.loads(done.stdout), json.loads(judged.stdout)


done, told, graph = errors("graph")
case(f"seed {SEED}: graph maps the drive and closes its loop", told is not None and told["closures"] > 0, done)
case("to two centimetres in the mean", graph is not None and graph["translation_m"]["mean"] < .02
     and graph["rotation_deg"]["mean"] < .5 and graph["missing"] == 0, graph)
names = sorted(p.name for p in (HERE / "out-graph").iterdir())
case("map, picture, trajectory and figures are written",
     names == ["closures.csv", "map.pgm", "map.png", "map.yaml", "timings.json", "trajectory.tum"], names)
with (HERE / "out-graph" / "closures.csv").open(newline="") as file:
    stories = list(csv.DictReader(file))
accepted = [s for s in stories if s["state"].startswith("accepted")]
case("every closure has its story", told is not None and len(accepted) == told["closures"]
     and all(int(s["from"]) < int(s["to"]) < told["nodes"] and s["proposer"] for s in stories), stories[:3])
case("a story says when, and what agreed", all(float(s["proposed_m"]) <= float(s["decided_m"]) <= told["driven_m"] + 1
                                               and (int(s["agreed"]) > 0) == (s["agreed_first"] != "") for s in stories),
     stories[:3])
case("the picture is one", (HERE / "out-graph" / "map.png").read_bytes()[1:4] == b"PNG", "no PNG")
packed = [errors("graph", packing)[2] for packing in (".xz", ".gz", ".bz2")]
case("packed logs give the same map", all(p == graph for p in packed), packed)
same = {(HERE / f"out-graph{p}" / "trajectory.tum").read_bytes() for p in ("", ".xz", ".gz", ".bz2")}
case("to the byte", len(same) == 1, "trajectories differ")
for method, at_most in (("gradient", 1.0), ("mbicp", 1.0)):
    done, told, judged = errors(method)
    case(f"{method} maps it without closing loops", judged is not None and told["closures"] == 0
         and judged["translation_m"]["mean"] < at_most, judged or done)

done = run("eval", HERE / "out-graph" / "trajectory.tum", "--reference", "truth.tum", "--json")
ate = json.loads(done.stdout) if done.returncode == 0 else {}
case("ATE and RPE against the truth", ate.get("translation_m", {}).get("mean", 9) < .03
     and ate.get("rpe", {}).get("translation_m", {}).get("mean", 9) < .03 and ate["count"] == 330, done)
case("figures hang together: squared mean = mean^2 + std^2", abs(ate["translation_m"]["squared_mean"]
     - ate["translation_m"]["mean"] ** 2 - ate["translation_m"]["std"] ** 2) < 1e-8, ate)

done = run("nothing.log")
case("a log that is not there is named", done.returncode == 1 and "nothing.log" in done.stderr, done)
(HERE / "bad.log").write_text("\n".join(lines[:4]) + "\nFLASER 181 1.0 2.0\n")
done = run("bad.log")
case("damage is named with its line", done.returncode == 1 and "bad.log:5:" in done.stderr, done)
done = run("block.log", "--method", "magic")
case("an unknown method is wrong usage, and the known ones are told", done.returncode == 2 and "gradient" in done.stderr, done)
done = run("eval", "truth.tum")
case("eval wants something to compare with", done.returncode == 2 and "--relations" in done.stderr, done)
(HERE / "other.relations").write_text("5 6 0 0 0 0 0 0\n")
done = run("eval", "truth.tum", "--relations", "other.relations")
case("relations of another log are refused in words", done.returncode == 1 and "same log" in done.stderr, done)

# A journal of ours: two robots in a maze, whose truth is in it, too.
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
done = subprocess.run([CAIRN, "mission", "run", "missions/maze.yaml", "--physics", "planar", "--duration", "25", "--out",
                       str(HERE / "maze")], capture_output=True, text=True, check=False, cwd=TOP)
case("a mission to map again", done.returncode == 0, done)
journal = HERE / "maze" / "journal.mcap"
done = run(journal)
case("of several robots one must be chosen, and they are named",
     done.returncode == 1 and "emu1, emu2" in done.stderr and "--robot" in done.stderr, done)
done = run(journal, "--robot", "emu1", "--out", "out-maze", "--json")
case("its scans are mapped", done.returncode == 0 and json.loads(done.stdout)["scans"] >= 240, done)
rows = subprocess.run([CAIRN, "replay", str(journal), "--csv", "/emu1/truth"], capture_output=True, text=True,
                      check=False).stdout.splitlines()
columns = rows[0].split(",")
wanted = [columns.index(n) for n in ("header.stamp.sec", "header.stamp.nanosec", "pose.pose.position.x", "pose.pose.position.y",
                                     "pose.pose.orientation.z", "pose.pose.orientation.w")]
with open(HERE / "maze.tum", "w", encoding="ascii") as to:
    for row in rows[1:]:
        sec, nanosec, x, y, z, w = (row.split(",")[i] for i in wanted)
        to.write(f"{sec}.{int(nanosec):09d} {x} {y} 0 0 0 {z} {w}\n")
done = run("eval", HERE / "out-maze" / "trajectory.tum", "--reference", "maze.tum", "--json")
case("to two centimetres of the truth", done.returncode == 0 and json.loads(done.stdout)["translation_m"]["mean"] < .02, done)
end()
