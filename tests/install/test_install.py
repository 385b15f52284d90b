#!/usr/bin/env python3
"""Installs the build into a folder, and builds programs against that as other people would: headers, libraries, examples.

usage: test_install.py BUILD SOURCE PREFIX SANITIZERS HEADER,HEADER... COMPILER [C++ COMPILER]

Prints TAP.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from tap import case, end  # noqa: E402

BUILD, SOURCE, PREFIX, SANITIZERS, HEADERS, CC = sys.argv[1:7]
CXX = sys.argv[7] if len(sys.argv) > 7 else None
FOLDER = tempfile.TemporaryDirectory(prefix="cairn-install-")
HERE = pathlib.Path(FOLDER.name)
ROOT = HERE / "root"
SANITIZE = [] if SANITIZERS in ("", "none") else [f"-fsanitize={SANITIZERS}"]
# What a careful user asks of a compiler. Zero-length arrays and the like would be seen here.
STRICT = ["-Wall", "-Wextra", "-Werror", *SANITIZE]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)


def said(done):
    return f"exit status {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"


done = run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", ROOT)
case("the build can be installed", done.returncode == 0, said(done))
TREE = ROOT / PREFIX.lstrip("/")
pc = next(TREE.rglob("cairn.pc"), None)
case("with a file for pkg-config", pc is not None, list(TREE.rglob("*")))
if pc is None:
    end()
LIBS = pc.parent.parent
# As pkg-config is told of a tree that lies elsewhere than where it will be used; the others' files stay where they are.
ENVIRONMENT = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}


def pkg_config(*words):
    done = run("pkg-config", f"--define-variable=prefix={TREE}", *words, "cairn", env=ENVIRONMENT)
    case(f"pkg-config {' '.join(words)}", done.returncode == 0, said(done))
    return done.stdout.split()


FLAGS, SHARED, STATIC = pkg_config("--cflags"), pkg_config("--libs"), pkg_config("--static", "--libs")

# ---- headers: whoever includes one gets all that it needs, and nothing of the source tree
wrong = []
for header in HEADERS.split(","):
    (HERE / "alone.c").write_text(f"#include <cairn/{header}>\n#include <cairn/{header}>\nint main(void) {{ return 0; }}\n")
    done = run(CC, "-std=c17", "-pedantic", *STRICT, *FLAGS, "-c", HERE / "alone.c", "-o", HERE / "alone.o")
    if done.returncode != 0:
        wrong.append(f"{header}: {said(done)}")
case(f"each of {len(HEADERS.split(','))} public headers compiles alone, as C17 without extensions", not wrong,
     "\n# ".join(wrong))
installed = {str(path.relative_to(TREE / "include/cairn")) for path in (TREE / "include/cairn").rglob("*.h")}
case("and no other header is installed", installed == set(HEADERS.split(",")), installed ^ set(HEADERS.split(",")))
rooms = sorted(header for header in HEADERS.split(",") if "/" not in header)
if CXX is not None:
    (HERE / "all.cpp").write_text("".join(f"#include <cairn/{room}>\n" for room in rooms) + "#include <vector>\n" + """
int main()
{
    const cairn_pose2 there = cairn_pose2_inverse(cairn_pose2{1, 2, 0.5});
    std::vector<unsigned char> block(1 << 16);
    cairn_arena memory;
    cairn_arena_init(&memory, block.data(), block.size());
    return cairn_pose2_compose(there, cairn_pose2{1, 2, 0.5}).x_m < 1e-9 && CAIRN_TAKE(&memory, int, 4) != nullptr ? 0 : 1;
}
""")
    # In C a member that is not named is zero, and -Wextra does not mind if names are given; in C++ it does.
    done = run(CXX, "-std=c++20", *STRICT, "-Wno-missing-field-initializers", *FLAGS, HERE / "all.cpp", "-o", HERE / "all",
               *SHARED, f"-Wl,-rpath,{LIBS}")
    case("cairn/ROOM.h can be used from C++20", done.returncode == 0 and run(HERE / "all").returncode == 0, said(done))
else:
    print("# no C++ compiler: that headers can be used from C++ is not tested")

# ---- the shared library: what it shows, and what it is called
shared = LIBS / "libcairn.so"
names = [line.split() for line in run("nm", "-D", "--defined-only", shared).stdout.splitlines()]
strange = [name[-1] for name in names if len(name) == 3 and name[1] != "A" and not name[-1].startswith("cairn_")]
case("every name that the shared library shows begins with cairn_", len(names) > 300 and not strange, strange[:20])
soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", shared).stdout)
version = re.search(r"^Version: (\d+)\.(\d+)", pc.read_text(), re.M)
case("its soname has the version, and lies beside it", soname is not None and (LIBS / soname[1]).exists()
     and soname[1] == f"libcairn.so.{version[1]}.{version[2]}", soname)
archive = run("nm", "-A", LIBS / "libcairn.a").stdout
strange = {word[-1] for word in (line.split() for line in archive.splitlines())
           if len(word) > 2 and word[-2] in "TDRBC" and not re.match(r"cairn_|__|\.L|DW\.", word[-1])}
case("and so does every name of the static one, or it could clash with those of a program", not strange, strange)

# ---- the examples, with both
def build_and_run(example, argument, expected):
    """What an example wrote and said, by kind of library."""
    results = {}
    for kind, libraries in (("shared", SHARED),
                            ("static", ["-l:libcairn.a" if word == "-lcairn" else word for word in STATIC])):
        program, out = HERE / f"{example}_{kind}", HERE / f"{example}_{kind}_out"
        done = run(CC, "-std=c17", *STRICT, *FLAGS, pathlib.Path(SOURCE) / f"examples/{example}.c", "-o", program,
                   *libraries, f"-Wl,-rpath,{LIBS}")
        case(f"{example} builds with the {kind} library", done.returncode == 0, said(done))
        needed = run("readelf", "-d", program).stdout if done.returncode == 0 else ""
        case(f"and needs libcairn.so {'if' if kind == 'shared' else 'no longer if'} it was linked {kind}",
             ("libcairn" in needed) == (kind == "shared"), needed)
        out.mkdir()
        ran = run(program, argument, cwd=out)
        case(f"and runs ({kind})", ran.returncode == 0 and expected in ran.stdout, said(ran))
        results[kind] = [(path.name, path.read_bytes()) for path in sorted(out.iterdir())], ran.stdout
    case("both write the same", results["shared"] == results["static"] and results["shared"][0],
         [(name, len(data)) for files, _ in results.values() for name, data in files])
    return results


program = next(iter(TREE.rglob("bin/cairn")))
drive = build_and_run("pose_graph", "drive", "wrote drive.g2o")["shared"][1]
errors_m = [float(number) for number in re.findall(r"(\d+\.\d+) m", drive)]
# Wrong closures are two in five; believed, they ruin the map. A few fit by chance, which costs nothing.
case("consensus finds the drive that least squares loses", len(errors_m) == 3 and errors_m[2] < 0.2 < 1 < errors_m[1], drive)
done = run(program, "graph", "optimize", HERE / "pose_graph_shared_out/drive.g2o", "--json")
case("and the program reads what it wrote", done.returncode == 0 and '"nodes":320' in done.stdout.replace(" ", ""), said(done))
results = build_and_run("map_from_scans", "room", "decoded the same")

# ---- and what they write is the place that the example looked at
WALLS = ((0, 0, 10, 0), (0, 6, 10, 6), (0, 0, 0, 6), (10, 0, 10, 6), (6, 0, 6, 2.4), (6, 3.4, 6, 6))
HALF_M = 0.05


def wall_distance(x, y):
    """From a wall's surface; the box in the left room is left out by the caller."""
    return min(max(max(a - HALF_M - x, x - c - HALF_M, 0), max(b - HALF_M - y, y - d - HALF_M, 0))
               for a, b, c, d in WALLS)


def in_box(x, y):
    return (x - 2) ** 2 + (y - 4.5) ** 2 < 0.55 ** 2


files = dict(results["shared"][0])
case("the map is two files", len(files) == 2, list(files))
yaml, pgm = files["room.yaml"].decode(), files["room.pgm"]
head = re.match(rb"P5\s(?:#.*\n)*(\d+)\s+(\d+)\s+255\s", pgm)
width, height, cells = int(head[1]), int(head[2]), pgm[head.end():]
cell = float(re.search(r"resolution: (\S+)", yaml)[1])
corner = [float(word) for word in re.search(r"origin: \[(\S+), (\S+),", yaml).groups()]
points = [(corner[0] + (i % width + 0.5) * cell, corner[1] + (height - i // width - 0.5) * cell, value)
          for i, value in enumerate(cells)]
walls = [(x, y) for x, y, value in points if value == 0 and not in_box(x, y)]
free = [(x, y) for x, y, value in points if value == 254 and not in_box(x, y)]
far = [(x, y) for x, y in walls if wall_distance(x, y) > cell]
case("every wall of the map is one of the place", len(walls) > 500 and not far, (len(walls), far[:5]))
inside = [(x, y) for x, y in free if not (0 < x < 10 and 0 < y < 6)]
# 57 m2 without the box; cells on the walls' surfaces are walls, and a strip behind the box is never seen.
case("the ground of both rooms is free, and nothing beyond their walls", 53 < len(free) * cell * cell < 57 and not inside,
     (len(free) * cell * cell, inside[:5]))
done = run(program, "version")
case("the installed program runs", done.returncode == 0 and done.stdout.startswith("cairn "), said(done))
end()
