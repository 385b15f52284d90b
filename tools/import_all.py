#!/usr/bin/env python3
"""Imports every map of a folder, checks and draws what became of it, runs a short mission in it, and prints a table.

usage: import_all.py CAIRN MAPS OUT [--robot FILE] [--duration S] [--only WORD...]

MAPS holds NIST arenas (*.raf) and ROS maps (*.yaml with their pictures). For each, OUT gets NAME.yaml (the arena),
NAME.png (plan), NAME-3d.png (view), NAME-mission.yaml and NAME/ (the mission's score and map). Run by hand: the maps
are not in this repository.

Exit status: 0 all went well, 1 something failed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

MISSION = """name: {name}
arena: {arena}
physics: planar
duration_s: {duration}
end_when_done: true
robots:
  - file: {robot}
  - file: {robot}
"""


def is_map(path):
    """A NIST arena, or the header of a ROS map."""
    if path.suffix == ".raf":
        return True
    return path.suffix == ".yaml" and re.search(r"^image:", path.read_text(errors="replace"), re.M) is not None


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"{words[1]} failed")
    return done.stdout


def one_map(cairn, source, out, robot, duration):
    """What became of a map, as columns of the table."""
    # A NIST arena and the map drawn of it may lie side by side under one name.
    name = source.stem + ("-map" if source.suffix == ".yaml" and source.with_suffix(".raf").exists() else "")
    arena = out / f"{name}.yaml"
    made = json.loads(run(cairn, "arena", "import", source, "-o", arena, "--json"))
    run(cairn, "arena", "check", arena)
    run(cairn, "arena", "render", arena, "-o", out / f"{name}.png")
    run(cairn, "arena", "render", arena, "--view", "3d", "-o", out / f"{name}-3d.png")
    mission = out / f"{name}-mission.yaml"
    mission.write_text(MISSION.format(name=name, arena=arena.name, robot=robot, duration=duration))
    begin = time.monotonic()
    run(cairn, "mission", "run", mission, "--out", out / name, "--no-journal")
    took = time.monotonic() - begin
    score = json.loads((out / name / "score.json").read_text())
    return name, made, score, took


def row(name, made, score, took):
    size = "{:.0f} x {:.0f}".format(*made["size_m"])
    relief = f"{made['relief']} of {made['relief'] + made['relief_left_out']}"
    victims = f"{score['victims']['found']} of {score['victims']['total']}"
    return (name, size, made["walls"] + made["boxes"], relief, f"{made['reach_m2']:.0f}", victims,
            f"{100 * score['explored_fraction']:.0f} %", score["collisions"]["count"], f"{took:.1f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cairn", type=pathlib.Path)
    options.add_argument("maps", type=pathlib.Path)
    options.add_argument("out", type=pathlib.Path)
    options.add_argument("--robot", default=pathlib.Path(__file__).parent.parent / "robots/emu.yaml", type=pathlib.Path)
    options.add_argument("--duration", default=120, type=int, help="seconds of each mission")
    options.add_argument("--only", nargs="*", default=[], help="only maps whose names have one of these in them")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in given.maps.iterdir() if is_map(path))
    sources = [path for path in sources if not given.only or any(word in path.name for word in given.only)]
    print("| map | m | walls, boxes | ground kept | reach m2 | victims found | explored | collisions | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    failed = 0
    for source in sources:
        try:
            columns = row(*one_map(given.cairn.resolve(), source, given.out, os.path.abspath(given.robot), given.duration))
            print("| " + " | ".join(str(column) for column in columns) + " |", flush=True)
        except (RuntimeError, OSError, ValueError, KeyError) as reason:
            failed += 1
            print(f"| {source.name} | failed: {reason} |", flush=True)
    print(f"\n{len(sources) - failed} of {len(sources)} maps went well", file=sys.stderr)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
