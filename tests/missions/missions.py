#!/usr/bin/env python3
"""Whole missions, judged by their scores. Prints TAP.

usage: missions.py CAIRN WHAT [--seeds FIRST-LAST]

WHAT: repeatable   the same seed gives the same bytes, with any number of workers; another seed gives others
      maze-mujoco  the maze is explored, its victims are found, nobody is hurt, on every seed
      maze-planar  the same with the planar physics
"""
import concurrent.futures
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MAZE = str(TOP / "missions" / "maze.yaml")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def case(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}{'' if good else ': ' + why}", flush=True)

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(cairn, out, *arguments):
    done = subprocess.run([cairn, "mission", "run", MAZE, "--json", "--out", str(out), *arguments],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return {"trouble": f"exit status {done.returncode}: {done.stderr}", "hash": None}
    return json.loads(done.stdout)


def trouble(score):
    """Why this score of the maze is not good enough; empty if it is."""
    if "trouble" in score:
        return score["trouble"]
    wrong = []
    if score["explored_fraction"] < 0.95:
        wrong.append(f"explored only {score['explored_fraction']}")
    if score["victims"]["found"] < score["victims"]["total"] or score["victims"]["total"] != 4:
        wrong.append(f"victims {score['victims']}")
    if score["collisions"]["speed_mps_max"] > 0.1:
        wrong.append(f"collisions {score['collisions']}")
    if score["sim_s"] > 600:
        wrong.append(f"took {score['sim_s']} s")
    return "; ".join(wrong)


def maze(cairn, physics, seeds, folder, tap):
    def one(seed):
        return run(cairn, folder / f"{physics}-{seed}", "--physics", physics, "--seed", str(seed), "--no-journal",
                   "--workers", "1")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, score in zip(seeds, pool.map(one, seeds)):
            tap.case(not trouble(score), f"the maze is searched safely, {physics}, seed {seed}", trouble(score))


def repeatable(cairn, folder, tap):
    for physics, duration in (("planar", "90"), ("mujoco", "30")):
        def one(name, seed, workers):
            score = run(cairn, folder / name, "--physics", physics, "--duration", duration, "--seed", seed,
                        "--workers", workers)
            return score, folder / name
        first, first_at = one("a", "1", "1")
        again, again_at = one("b", "1", "1")
        two, two_at = one("c", "1", "2")
        other, _ = one("d", "2", "1")
        tap.case(first["hash"] is not None and first == again, f"one seed, one score and hash, {physics}",
                 f"{first} {again}")
        tap.case(filecmp.cmp(first_at / "score.json", again_at / "score.json", shallow=False)
                 and filecmp.cmp(first_at / "journal.mcap", again_at / "journal.mcap", shallow=False)
                 and filecmp.cmp(first_at / "map.png", again_at / "map.png", shallow=False),
                 f"one seed, the same files to the byte, {physics}")
        tap.case(first == two and filecmp.cmp(first_at / "journal.mcap", two_at / "journal.mcap", shallow=False),
                 f"the number of workers changes nothing, {physics}", f"{first} {two}")
        tap.case(first["hash"] != other["hash"], f"another seed, another hash, {physics}")


def main(arguments):
    seeds = range(1, 3)
    if "--seeds" in arguments:
        at = arguments.index("--seeds")
        first, last = arguments[at + 1].split("-")
        seeds = range(int(first), int(last) + 1)
        del arguments[at:at + 2]
    cairn, what = arguments
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if what == "repeatable":
            repeatable(cairn, folder, tap)
        else:
            maze(cairn, what.split("-")[1], seeds, folder, tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
