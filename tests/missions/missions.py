#!/usr/bin/env python3
"""Whole missions, judged by their scores. Prints TAP.

usage: missions.py CAIRN WHAT [--seeds FIRST-LAST] [--long] [--jobs N]

--long: rough missions as long as their files say; magic for ten minutes.
--jobs: missions at once; unless told, as many as there are processors.

WHAT: repeatable     the same seed gives the same bytes, with any number of workers; another seed gives others
      maze-mujoco    the maze is explored, its victims are found, nobody is hurt, on every seed
      maze-planar    the same with the planar physics
      maze-magic-mujoco, maze-magic-planar   the same by robots whose lasers nod
      office-mujoco  the same in the office, by three robots on a thin radio
      office-planar
      rough-yard, rough-collapsed, rough-radio-dropout, rough-nist, rough-magic, rough-maze-magic, rough-office-14
                     the beginning of a hard mission, by the bounds below: nobody crashes, falls, bumps fast or is lost
      maps           the map that is handed over, and each robot's own, agree with the truth
      operator       a scripted operator stops, releases, sends and drives, and the search goes on
      verify         the station comes out the same from its journal, in lockstep and in real time
      cut            a mission's journal that ends at any thousandth byte
"""
import argparse
import concurrent.futures
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
# What each mission must do at least: victims, simulated seconds, and its robots' share of the air; reports of nobody.
GOALS = {
    "maze": {"victims": 4, "sim_s": 600, "kbit_per_s": 20, "false": 0},
    "maze-magic": {"victims": 4, "sim_s": 600, "kbit_per_s": 20, "false": 0},
    "office": {"victims": 8, "sim_s": 1500, "kbit_per_s": 20, "false": 0},
    "operator": {"victims": 4, "sim_s": 900, "kbit_per_s": 25, "false": 0},
}
# Hard missions are judged by what must not happen, as far as it does not happen today: each figure is the worst that is
# let pass, and only ever gets smaller. A crash, or a station that is lost, is never let pass.
#   short      simulated seconds in `make test`      long      in `make soak`, or as its file says
#   bump_mps   the fastest touch                     error_m   believed against true place, worst robot, at any time
#   false      reports of nobody                     fallen    robots on their side, on their back or down an edge
#   explored   at least this part of the place
# Where they are to come to: bump_mps 0.2, error_m 0.5, false 0, fallen 0.
BOUNDS = {
    "yard": {"short": 240, "bump_mps": 0.2, "error_m": 0.8, "false": 1, "fallen": 0, "explored": 0.5},
    "collapsed": {"short": 120, "bump_mps": 0.3, "error_m": 0.5, "false": 1, "fallen": 0, "explored": 0.2},
    "radio-dropout": {"short": 400, "bump_mps": 0.2, "error_m": 0.5, "false": 0, "fallen": 0, "explored": 0.25},
    "nist": {"short": 300, "bump_mps": 0.2, "error_m": 0.5, "false": 0, "fallen": 0, "explored": 0.9},
    "magic": {"short": 60, "long": 600, "bump_mps": 0.6, "error_m": 2.0, "false": 1, "fallen": 1, "explored": 0},
    "maze-magic": {"short": 300, "bump_mps": 0.2, "error_m": 0.5, "false": 0, "fallen": 0, "explored": 0.9},
    "office-14": {"short": 120, "bump_mps": 0.2, "error_m": 0.5, "false": 0, "fallen": 0, "explored": 0.4},
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
    file = mission if isinstance(mission, pathlib.Path) else TOP / "missions" / f"{mission}.yaml"
    done = subprocess.run([cairn, "mission", "run", str(file), "--json", "--out", str(out), *arguments],
                          capture_output=True, text=True)
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
    if score["victims"]["false"] > goals["false"]:
        wrong.append(f"{score['victims']['false']} reports of nobody")
    if score["radio"]["kbit_per_s"] > goals["kbit_per_s"]:
        wrong.append(f"{score['radio']['kbit_per_s']} kbit/s on the air")
    return "; ".join(wrong)


def compare(cairn, truth, found):
    done = subprocess.run([cairn, "map", "compare", str(truth), str(found), "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"trouble": done.stderr}


def maps(cairn, folder, tap, **_):
    """What is handed over, and what each robot has mapped by itself, against the truth at their own cells."""
    out = folder / "maps"
    score = run(cairn, "maze", out, "--physics", "planar", "--no-journal")
    for cell, names in (("0.1", ["map"]), ("0.05", ["map_emu1", "map_emu2"])):
        truth = folder / f"truth-{cell}.tif"
        subprocess.run([cairn, "arena", "map", str(TOP / "arenas" / "maze.yaml"), "-o", str(truth), "--cell", cell],
                       check=True, capture_output=True)
        for name in names:
            found = compare(cairn, truth, out / f"{name}.tif")
            tap.case("trouble" not in score and found.get("precision", 0) > 0.97 and found["error_m_mean"] < 0.05
                     and found["recall"] > (0.97 if name == "map" else 0.4),
                     f"{name}.tif of the maze agrees with the truth", str(found))


def search(cairn, mission, physics, seeds, jobs, folder, tap):
    def one(seed):
        return run(cairn, mission, folder / f"{physics}-{seed}", "--physics", physics, "--seed", str(seed),
                   "--no-journal", "--workers", "1")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for seed, score in zip(seeds, pool.map(one, seeds)):
            wrong = trouble(score, GOALS[mission])
            tap.case(not wrong, f"{mission} is searched safely, {physics}, seed {seed}", wrong)


def out_of_bounds(score, bounds):
    """What happened that must not; empty if nothing did."""
    if "trouble" in score:
        return score["trouble"]
    error_m = max(robot["max"] or 0 for robot in score["position_error_m"].values())
    found = {"bump_mps": score["collisions"]["speed_mps_max"], "error_m": error_m, "false": score["victims"]["false"],
             "fallen": len(score["fallen"])}
    wrong = [f"{key} {value}, let pass {bounds[key]}" for key, value in found.items() if value > bounds[key]]
    if score["explored_fraction"] < bounds["explored"]:
        wrong.append(f"explored only {score['explored_fraction']}")
    return "; ".join(wrong)


def nist_mission(cairn, folder):
    """A mission in an arena that is imported from the designer's file beside this one."""
    subprocess.run([cairn, "arena", "import", str(pathlib.Path(__file__).parent / "nist.raf"), "-o",
                    str(folder / "nist-arena.yaml")], check=True, capture_output=True)
    robot = f"{{file: {TOP / 'robots' / 'emu.yaml'}}}"
    (folder / "nist.yaml").write_text("name: nist\narena: nist-arena.yaml\nphysics: planar\nduration_s: 300\n"
                                      f"robots: [{robot}, {robot}]\n")
    return folder / "nist.yaml"


def rough(cairn, mission, seeds, longer, jobs, folder, tap):
    bounds = BOUNDS[mission]
    file = nist_mission(cairn, folder) if mission == "nist" else mission
    duration_s = bounds.get("long") if longer else bounds["short"]
    more = ["--duration", str(duration_s)] if duration_s else []

    def one(seed):
        return run(cairn, file, folder / f"{mission}-{seed}", "--seed", str(seed), "--no-journal", "--workers", "1",
                   *more)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for seed, score in zip(seeds, pool.map(one, seeds)):
            wrong = out_of_bounds(score, bounds)
            tap.case(not wrong, f"{mission} stays within its bounds, seed {seed}", wrong)


def operator(cairn, folder, tap, **_):
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
                 and all(filecmp.cmp(first_at / name, again_at / name, shallow=False)
                         for name in ("map.png", "map.tif", "map_emu1.tif")),
                 f"one seed, the same files to the byte, {physics}")
        tap.case(first == two and filecmp.cmp(first_at / "journal.mcap", two_at / "journal.mcap", shallow=False),
                 f"the number of workers changes nothing, {physics}", f"{first} {two}")
        tap.case(first["hash"] != other["hash"], f"another seed, another hash, {physics}")


def verify(cairn, folder, tap, seeds, jobs):
    def one(case):
        mission, seed, *more = case
        out = folder / f"{mission}-{seed}-{len(more)}"
        score = run(cairn, mission, out, "--physics", "planar", "--seed", str(seed), "--workers", "1", *more)
        done = subprocess.run([cairn, "replay", str(out / "journal.mcap"), "--verify", "--json"], capture_output=True,
                              text=True)
        (out / "journal.mcap").unlink(missing_ok=True)
        outcome = json.loads(done.stdout or "{}")
        return (done.returncode == 0 and outcome.get("outcome") == "agrees" and outcome["gaps"] == 0
                and outcome["checks"] >= 2 and "trouble" not in score, f"{score.get('trouble')} {done}")
    lockstep = [(mission, seed, "--duration", "200") for mission in ("maze", "operator", "office") for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (mission, seed, *_), (good, why) in zip(lockstep, pool.map(one, lockstep)):
            tap.case(good, f"{mission} in lockstep, seed {seed}: the station comes out the same", why)
    realtime = [(mission, seed, "--duration", "22", "--realtime") for mission in ("maze", "operator", "office")
                for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(len(realtime)) as pool:  # each needs a tenth of a processor
        for (mission, seed, *_), (good, why) in zip(realtime, pool.map(one, realtime)):
            tap.case(good, f"{mission} in real time, seed {seed}: the station comes out the same", why)


def chunk_ends(journal):
    """Where each chunk of a journal ends, and how many messages there are up to there: read from the records alone."""
    at, messages, ends = 8, 0, []
    while at + 9 <= len(journal) and journal[at] != 0x0f:  # up to the end of the data
        opcode, size = journal[at], int.from_bytes(journal[at + 1:at + 9], "little")
        content = at + 9
        if opcode == 0x06:
            ends.append([content + size, messages])
        elif opcode == 0x07:  # a chunk's index of one channel: 16 bytes for each message
            messages += int.from_bytes(journal[content + 2:content + 6], "little") // 16
            ends[-1][1] = messages
        at = content + size
    return ends


def cut(cairn, folder, tap, jobs, **_):
    run(cairn, "maze", folder / "whole", "--physics", "planar", "--duration", "30")
    whole = (folder / "whole" / "journal.mcap").read_bytes()
    ends = chunk_ends(whole)

    def one(size):
        path = folder / f"cut-{size}.mcap"
        path.write_bytes(whole[:size])
        listed = subprocess.run([cairn, "replay", str(path), "--json"], capture_output=True, text=True)
        wrong = []
        wanted = max((messages for end, messages in ends if end <= size), default=0)
        found = json.loads(listed.stdout)["message_count"] if listed.stdout else 0
        if listed.returncode != 1 or found != wanted:
            wrong.append(f"status {listed.returncode}, {found} messages, expected {wanted}: {listed.stderr}")
        if ("is cut, as after a crash" if size >= 8 else "is not an MCAP file") not in listed.stderr:
            wrong.append(listed.stderr)
        if size // 1000 % 50 == 0:  # the station, as far as it goes
            checked = subprocess.run([cairn, "replay", str(path), "--verify"], capture_output=True, text=True)
            if checked.returncode != 1 or "differs" in checked.stdout or not checked.stderr:
                wrong.append(f"--verify: {checked}")
        path.unlink()
        return f"{size} bytes: {'; '.join(wrong)}" if wrong else ""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        wrong = [why for why in pool.map(one, range(0, len(whole), 1000)) if why]
    tap.case(len(ends) >= 4 and ends[-1][1] > 3000, "the journal has several chunks", str(ends))
    tap.case(not wrong, f"cut at every 1000th of {len(whole)} bytes, all before the cut is there, and it is said",
             f"{len(wrong)} times; {wrong[:3]}")


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("what")
    parser.add_argument("--seeds", default="1-2")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    first, last = map(int, options.seeds.split("-"))
    cairn, what, seeds, jobs, tap = options.cairn, options.what, range(first, last + 1), options.jobs, Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if what == "repeatable":
            repeatable(cairn, folder, tap)
        elif what in ("maps", "operator", "verify", "cut"):
            {"maps": maps, "operator": operator, "verify": verify, "cut": cut}[what](cairn, folder, tap, seeds=seeds,
                                                                                     jobs=jobs)
        elif what.startswith("rough-"):
            rough(cairn, what.removeprefix("rough-"), seeds, options.long, jobs, folder, tap)
        else:
            search(cairn, *what.rsplit("-", 1), seeds, jobs, folder, tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
