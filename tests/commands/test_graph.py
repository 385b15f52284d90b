#!/usr/bin/env python3
"""cairn graph on files: poses that are known are found again, and the words of the commands.

usage: test_graph.py CAIRN

Prints TAP.
"""
import bz2
import gzip
import io
import json
import lzma
import math
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile

from tap import case, end

CAIRN = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="cairn-graph-")
HERE = pathlib.Path(FOLDER.name)


def run(*words):
    return subprocess.run([CAIRN, "graph", *map(str, words)], capture_output=True, text=True, check=False)


def between(a, b):
    c, s = math.cos(a[2]), math.sin(a[2])
    dx, dy = b[0] - a[0], b[1] - a[1]
    return c * dx + s * dy, c * dy - s * dx, b[2] - a[2]


# Twice round a square of 4 x 10 m, without noise: measurements that agree have chi2 0.
pose, truth = [0.0, 0.0, 0.0], []
for i in range(80):
    truth.append(tuple(pose))
    if i % 10 == 9:
        pose[2] += math.pi / 2
    pose[0] += math.cos(pose[2])
    pose[1] += math.sin(pose[2])
edges = [(i, i + 1) for i in range(79)] + [(i, i + 40) for i in range(0, 40, 5)]
INFORMATION = "100 0 0 100 0 400"


def edge(a, b):
    return f"EDGE_SE2 {a} {b} " + " ".join(f"{x:.12f}" for x in between(truth[a], truth[b])) + f" {INFORMATION}\n"


bare = "".join(edge(a, b) for a, b in edges)
bent = "".join(f"VERTEX_SE2 {i} {x + 0.02 * i} {y} {yaw - 0.004 * i}\n" for i, (x, y, yaw) in enumerate(truth))
(HERE / "bent.g2o").write_text(bent + bare)
(HERE / "bare.g2o.xz").write_bytes(lzma.compress(bare.encode()))

done = run("optimize", HERE / "bent.g2o", "-o", HERE / "best.g2o", "--json", "--plot", HERE / "best.png")
is_json = done.returncode == 0
found = json.loads(done.stdout) if is_json else {}
case("measurements without noise are met", is_json and found["chi2_before"] > 1 and found["chi2_after"] < 1e-9, done)
wanted = {"nodes", "edges", "chi2_before", "chi2_after", "iterations", "ordering_s", "factor_s", "total_s", "l_nonzeros"}
case("the figures for machines are all there", wanted <= found.keys(), found)
case("it is drawn", (HERE / "best.png").is_file() and (HERE / "best.png").read_bytes()[:4] == b"\x89PNG", done)

poses = [tuple(map(float, line.split()[2:])) for line in (HERE / "best.g2o").read_text().splitlines()
         if line.startswith("VERTEX_SE2")]
worst = max(math.hypot(p[0] - t[0], p[1] - t[1]) for p, t in zip(poses, truth))
case("poses are where they were", len(poses) == 80 and worst < 1e-5, worst)

for words in (["--solver", "gn"], ["--solver", "lm"], ["--order", "amd"], ["--order", "colamd"], ["--order", "exact"],
              ["--init", "odometry"], ["--init", "trees"], ["--init", "tree"], ["--init", "grow"], ["--init", "grow-back"], ["--robust", "gnc"], ["--robust", "huber"]):
    done = run("optimize", HERE / "bent.g2o", "--json", *words)
    good = done.returncode == 0 and json.loads(done.stdout)["chi2_after"] < 1e-6
    case("the same by " + " ".join(words), good, done)

# A wrong closure that is refused is not part of how well the rest fits; both are said.
(HERE / "wrong.g2o").write_text(bent + bare + f"EDGE_SE2 3 60 7 -9 1 {INFORMATION}\n")
for robust in ("gnc", "consensus"):
    done = run("optimize", HERE / "wrong.g2o", "--json", "--robust", robust)
    told = json.loads(done.stdout) if done.returncode == 0 else {}
    case(f"{robust}: chi2 of the refused is told apart", told.get("refused") == 1 and told["chi2_after"] < 1e-6
         and told["chi2_refused"] > 1000, done)



# A drive through streets whose turns are badly measured: from chained odometry a solver ends wound up, and calls it
# converged. The poses that it was made from lead to the best.
def compose(a, b):
    c, s = math.cos(a[2]), math.sin(a[2])
    return a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], math.remainder(a[2] + b[2], math.tau)


def drive(seed, turn_rad, wrong_count):
    rng = random.Random(seed)
    at, heading, true, chained, lines, last = (0, 0), 0, [], [(0.0, 0.0, 0.0)], [], {}
    information = f"400 0 0 400 0 {turn_rad ** -2:.6g}"

    def link(a, b, step):
        noisy = compose(step, (rng.gauss(0, 0.05), rng.gauss(0, 0.05), rng.gauss(0, turn_rad)))
        lines.append(f"EDGE_SE2 {a} {b} " + " ".join(f"{x:.9f}" for x in noisy) + f" {information}\n")
        return noisy

    for i in range(800):
        true.append((float(at[0]), float(at[1]), math.remainder(heading * math.pi / 2, math.tau)))
        if i > 0:
            chained.append(compose(chained[-1], link(i - 1, i, between(true[i - 1], true[i]))))
        while True:
            heading = (heading + rng.choice((0, 0, 0, 1, 3))) % 4
            after = at[0] + (1, 0, -1, 0)[heading], at[1] + (0, 1, 0, -1)[heading]
            if max(map(abs, after)) <= 9:
                break
        if i - last.get(at, i) > 5 and rng.random() < 0.4:
            link(last[at], i, between(true[last[at]], true[i]))
        last[at], at = i, after
    for i in range(wrong_count):
        link(rng.randrange(400), rng.randrange(400, 800), [rng.uniform(-9, 9), rng.uniform(-9, 9), rng.uniform(-3, 3)])
    return ["".join(f"VERTEX_SE2 {i} {x:.9f} {y:.9f} {yaw:.9f}\n" for i, (x, y, yaw) in enumerate(poses))
            + "".join(lines) for poses in (chained, true)]


def solved(name, *words):
    done = run("optimize", HERE / name, "--json", *words)
    return json.loads(done.stdout) if done.returncode == 0 else {"chi2_after": math.nan}


for seed in (1, 2, 3):
    print(f"# seed {seed}")
    for name, text in zip(("chained.g2o", "true.g2o"), drive(seed, 0.2, 0)):
        (HERE / name).write_text(text)
    best, found = solved("true.g2o", "--init", "file")["chi2_after"], solved("chained.g2o")
    case(f"from badly turned odometry the best is found ({seed})", found["chi2_after"] <= best * 1.00001 and
         found["converged"], found)
    case(f"what was tried is told ({seed})", found.get("start", "file") != "file" and len(found["starts"]) > 1 and
         found["starts"][0]["start"] == "file", found)
done = run("optimize", HERE / "chained.g2o")
case("and told in words", "the best of file" in done.stdout, done)
done = run("optimize", HERE / "bent.g2o")
case("a good file is the only start", "  start      file\n" in done.stdout, done)
done = run("optimize", HERE / "chained.g2o", "--init", "file", "--iterations", "1000", "--json")
case("a chosen start is obeyed, and its loops that are wound are told", done.returncode == 0 and
     json.loads(done.stdout).get("wound", 0) > 0, done)

# Wrong closures: the example of the help is not worse than the file's poses.
(HERE / "spoiled.g2o").write_text(drive(4, 0.02, 60)[0])
plain, helped = solved("spoiled.g2o", "--robust", "gnc", "--init", "file"), solved("spoiled.g2o", "--robust", "gnc")
case("gnc by itself starts where closures do not lead", abs(helped["refused"] - plain["refused"]) <= 2 and
     60 <= helped["refused"] < 70, (plain, helped))
done = run("optimize", HERE / "spoiled.g2o", "--robust", "gnc", "--init", "trees")
case("a start through doubted closures is warned of", done.returncode == 0 and "closures that --robust doubts" in
     done.stderr, done)
case("the help shows no such start", "--init trees --robust" not in run("optimize", "--help").stdout, "")

packed = bare.encode()
half = packed.index(b"\n", len(packed) // 2) + 1
(HERE / "bare.g2o.gz").write_bytes(gzip.compress(packed))
(HERE / "bare.g2o.bz2").write_bytes(bz2.compress(packed))
(HERE / "twice.g2o.bz2").write_bytes(bz2.compress(packed[:half]) + bz2.compress(packed[half:]))  # as pbzip2 does
(HERE / "twice.g2o.gz").write_bytes(gzip.compress(packed[:half]) + gzip.compress(packed[half:]))
for name in ("bare.g2o.gz", "twice.g2o.gz", "bare.g2o.bz2", "twice.g2o.bz2"):
    done = run("info", HERE / name, "--json")
    case(f"{name} is unpacked", done.returncode == 0 and json.loads(done.stdout)["nodes"] == 80, done)
for name, kind in (("bare.g2o.gz", "a gzip"), ("bare.g2o.bz2", "a bzip2"), ("bare.g2o.xz", "an xz")):
    (HERE / "half").write_bytes((HERE / name).read_bytes()[:200])
    done = run("info", HERE / "half")
    case(f"half of {kind} file is no graph", done.returncode == 1 and f"begins as {kind} file" in done.stderr, done)

done = run("info", HERE / "bare.g2o.xz", HERE / "best.g2o", "--json")
lines = [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []
case("info counts", len(lines) == 2 and lines[0]["nodes"] == 80 and lines[0]["closures"] == 8 and
     lines[0]["nodes_chained"] == 80 and lines[1]["nodes_chained"] == 0, done)
case("info in words", "79 odometry, 8 closures" in run("info", HERE / "bare.g2o.xz").stdout, "")

for words, status, said in (
        (["optimize"], 2, "expected the file"), (["info"], 2, "expected the file"), (["turn"], 2, "no 'turn'"), ([], 2, "expected"),
        (["optimize", HERE / "none.g2o"], 1, "none.g2o"), (["optimize", HERE / "best.png"], 1, "no pose graph"),
        (["optimize", HERE / "bent.g2o", "--order", "x"], 2, "--order wants"),
        (["optimize", HERE / "bent.g2o", "--solver", "x"], 2, "--solver wants"),
        (["optimize", HERE / "bent.g2o", "--robust", "x"], 2, "--robust wants"),
        (["optimize", HERE / "bent.g2o", "--init", "x"], 2, "--init wants"),
        (["optimize", HERE / "bent.g2o", "-o", HERE / "no" / "dir.g2o"], 1, "dir.g2o")):
    done = run(*words)
    case(f"refused in words: {said}", done.returncode == status and said in done.stderr, done)

# What a file has beyond poses and factors between them.
landmarks = bent + bare + "VERTEX_XY 1000 3 4\nEDGE_SE2_XY 5 1000 1 2 100 0 100\n"
(HERE / "landmarks.g2o").write_text(landmarks)
line = landmarks.count("\n") - 1
for words in (["optimize", HERE / "landmarks.g2o"], ["simplify", HERE / "landmarks.g2o", "-o", HERE / "small.g2o"]):
    done = run(*words)
    case(f"{words[0]}: landmarks are refused with their line, and what to do", done.returncode == 1 and
         f"landmarks.g2o:{line}: " in done.stderr and "VERTEX_XY" in done.stderr and "--ignore-unknown" in done.stderr
         and done.stdout == "", done)
    done = run(*words, "--ignore-unknown")
    case(f"{words[0]}: or left out, and said, if asked for", done.returncode == 0 and "VERTEX_XY" in done.stderr, done)
done = run("info", HERE / "landmarks.g2o")
case("info tells of landmarks", done.returncode == 0 and f"2 lines" in done.stdout and "VERTEX_XY" in done.stdout, done)
mixed = "EDGE_SE2_MIXTURE 3 60 2 EDGE_SE2 1 3 60 7 -9 1 " + INFORMATION + " EDGE_SE2 0.5 3 60 {} -9 1 " + INFORMATION + "\n"
(HERE / "mixed.g2o").write_text(bent + bare + mixed.format(8))
done = run("optimize", HERE / "mixed.g2o")
case("a mixture of two places is refused", done.returncode == 1 and "EDGE_SE2_MIXTURE" in done.stderr, done)
(HERE / "mixed.g2o").write_text(bent + bare + mixed.format(7))
done = run("optimize", HERE / "mixed.g2o", "--robust", "gnc", "--json")
case("a mixture of a place and nowhere is a closure, and said", done.returncode == 0 and "mixture" in done.stderr and
     json.loads(done.stdout)["refused"] == 1, done)
(HERE / "loop.g2o").write_text(bent + bare + f"EDGE_SE2 7 7 0 0 0 {INFORMATION}\n")
done = run("optimize", HERE / "loop.g2o")
line = (bent + bare).count("\n") + 1
case("a factor from a node to itself is left out with a warning", done.returncode == 0 and
     f"loop.g2o:{line}: " in done.stderr and "itself" in done.stderr, done)
(HERE / "order.g2o").write_text((bent + bare).replace("_SE2", "2"))
done = run("optimize", HERE / "order.g2o", "--json")
case("EDGE2 in g2o's order is read so, and said", done.returncode == 0 and "g2o's order" in done.stderr and
     json.loads(done.stdout)["chi2_after"] < 1e-6 and "not positive" not in done.stderr, done)
with tarfile.open(HERE / "team.tar", "w") as archive:
    a, b = (bare.splitlines(keepends=True)[:40], bare.splitlines(keepends=True)[40:])
    for name, text in (("a.g2o", "".join(a)), ("b.g2o", "".join(b)), ("full.g2o", bent + bare)):
        entry = tarfile.TarInfo(name)
        entry.size = len(text.encode())
        archive.addfile(entry, io.BytesIO(text.encode()))
done = run("info", HERE / "team.tar", "--json")
case("a whole graph beside its parts counts once, and which is said", done.returncode == 0 and
     json.loads(done.stdout)["edges"] == len(edges) and "full.g2o" in done.stderr, done)

(HERE / "cut.g2o").write_text("EDGE_SE2 0 1 1 0\n")
done = run("info", HERE / "cut.g2o")
case("a damaged file is named with its line", done.returncode == 1 and "cut.g2o:1:" in done.stderr, done)
end()
