#!/usr/bin/env python3
"""Whole missions, judged by their scores. Prints TAP.

usage: missions.py CAIRN WHAT [--seeds FIRST-LAST]

WHAT: repeatable     the same seed gives the same bytes, with any number of workers; another seed gives others
      maze-mujoco    the maze is explored, its victims are found, nobody is hurt, on every seed
      maze-planar    the same with the planar physics
      office-mujoco  the same in the office, by three robots on a thin radio
      office-planar
      operator       a scripted operator stops, releases, sends and drives, and the search goes on
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
# What each mission must do at least: victims, simulated seconds, and its robots' share of the air.
GOALS = {
    "maze": {"victims": 4, "sim_s": 600, "kbit_per_s": 20},
    "office": {"victims": 8, "sim_s": 1500, "kbit_per_s": 20},
    "operator": {"victims": 4, "sim_s": 900, "kbit_per_s": 25},
}


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


def run(cairn, mission, out, *arguments):
    done = subprocess.run([cairn, "mission", "run", str(TOP / "missions" / f"{mission}.yaml"), "--json",
                           "--out", str(out), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        return {"trouble": f"exit status {done.returncode}: {done.stderr}", "hash": None}
    return json.loads(done.stdout)


def trouble(score, goals):
    """Why this score is not good enough; empty if it is."""
    if "trouble" in score:
        return score["trouble"]
    wrong = []
    if score["explored_fraction"] < 0.95:
        wrong.append(f"explored only {score['explored_fraction']}")
    if score["victims"]["found"] < score["victims"]["total"] or score["victims"]["total"] != goals["victims"]:
        wrong.append(f"victims {score['victims']}")
    if score["collisions"]["speed_mps_max"] > 0.1:
        wrong.append(f"collisions {score['collisions']}")
    if score["sim_s"] > goals["sim_s"]:
        wrong.append(f"took {score['sim_s']} s")
    if score["radio"]["kbit_per_s"] > goals["kbit_per_s"]:
        wrong.append(f"{score['radio']['kbit_per_s']} kbit/s on the air")
    return "; ".join(wrong)


def search(cairn, mission, physics, seeds, folder, tap):
    def one(seed):
        return run(cairn, mission, folder / f"{physics}-{seed}", "--physics", physics, "--seed", str(seed),
                   "--no-journal", "--workers", "1")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, score in zip(seeds, pool.map(one, seeds)):
            wrong = trouble(score, GOALS[mission])
            tap.case(not wrong, f"{mission} is searched safely, {physics}, seed {seed}", wrong)


def operator(cairn, folder, tap):
    score = run(cairn, "operator", folder / "operator", "--physics", "planar", "--no-journal")
    wrong = trouble(score, GOALS["operator"])
    tap.case(not wrong, "the maze is searched with an operator's help", wrong)
    tap.case(score["operator"]["actions"] == 7, "actions are counted, two drives in a row as one", str(score["operator"]))
    modes = score["modes"]["emu1"]
    tap.case(modes["stopped"]["time_s"] > 4 and modes["stopped"]["distance_m"] < 0.1, "stopped robots stand", str(modes))
    tap.case(modes["waypoint"]["distance_m"] > 1, "a robot that was sent has gone", str(modes))
    tap.case(modes["teleoperated"]["distance_m"] > 0.1, "a robot that was driven has moved", str(modes))


def repeatable(cairn, folder, tap):
    for physics, duration in (("planar", "90"), ("mujoco", "30")):
        def one(name, seed, workers):
            score = run(cairn, "maze", folder / name, "--physics", physics, "--duration", duration, "--seed", seed,
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
        elif what == "operator":
            operator(cairn, folder, tap)
        else:
            search(cairn, *what.split("-"), seeds, folder, tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
