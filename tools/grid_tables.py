#!/usr/bin/env python3
"""Makes the trained parts of the grid codec, grid_weights_*.h, grid_plain.h and neighbour_tables.h in
src/maps/codec/tables, from nothing.

usage: grid_tables.py BUILD OUT

Arenas by chance (`cairn arena new`), maps of robots that wander about them (tools/grid_maps.c), training
(tools/grid_train.c). OUT is a folder for what is made on the way. New tables are a new format: raise
CAIRN_GRID_CODE_VERSION. Run it from the top folder; it takes two minutes on two processors.
"""
import os
import pathlib
import subprocess
import sys

KINDS = {"office": 24, "maze": 10, "radio-dropout": 4}  # how many of each; difficulties 1 to 5 in turn
MAPS = ("askew", "square")
# Which, and from which maps.
NETWORKS = {"one_alone": ("1-alone", "askew"), "one_alone_square": ("1-alone", "square"), "one_after": ("1-after", "askew"),
            "both_alone": ("2-alone", "askew"), "both_after": ("2-after", "askew")}
CELLS, EPOCHS = "3000000", "4"


def main(build, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(["ninja", "-C", build, "cairn", "tools/grid_maps"], check=True)
    arenas = []
    for kind, count in KINDS.items():
        for i in range(count):
            arenas.append(f"{out}/{kind}-{i}.yaml")
            subprocess.run([f"{build}/cairn", "arena", "new", "--kind", kind, "--seed", str(1000 + i), "--difficulty",
                            str(1 + i % 5), "-o", arenas[-1]], check=True, stdout=subprocess.DEVNULL)
    # By names within OUT: they seed what robots do there, and must not depend on where OUT is.
    os.makedirs(out / "robots", exist_ok=True)
    subprocess.run(["cp", "robots/emu.yaml", out / "robots"], check=True)
    grid_maps = pathlib.Path(build, "tools", "grid_maps").resolve()
    for kind in MAPS:
        subprocess.run([grid_maps, kind, f"{kind}.maps", *(pathlib.Path(arena).name for arena in arenas)], check=True, cwd=out)
    subprocess.run(["cc", "-O3", "-march=native", "-ffast-math", "-Isrc", "-Iinclude", "tools/grid_train.c", "src/maps/codec/grid_move.c",
                    f"{build}/src/base/libbase.a", "-lm", "-o", out / "grid_train"], check=True)
    subprocess.run([out / "grid_train", "neighbours", "src/maps/codec/tables/neighbour_tables.h", out / "askew.maps"], check=True)
    subprocess.run([out / "grid_train", "plain", "src/maps/codec/tables/grid_plain.h", out / "askew.maps"], check=True)
    names = list(NETWORKS)
    for some in (names[:2], names[2:4], names[4:]):
        runs = []
        for name in some:
            which, kind = NETWORKS[name]
            runs.append(subprocess.Popen([out / "grid_train", which, f"src/maps/codec/tables/grid_weights_{name}.h",
                                          out / f"{kind}.maps", CELLS, EPOCHS]))
        if any([run.wait() for run in runs]):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
