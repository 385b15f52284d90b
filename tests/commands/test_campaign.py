#!/usr/bin/env python3
"""`cairn campaign` as people use it: usage, a missing guard that is found, the command that repeats it. Prints TAP.

usage: test_campaign.py CAIRN
"""
import json
import pathlib
import shlex
import subprocess
import sys

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*arguments):
    return subprocess.run([sys.argv[1], "campaign", *map(str, arguments)], cwd=TOP, capture_output=True, text=True)


# About two minutes of one processor; tests/soak.py runs a hundred times as much.
SOME = (("planar", 200), ("mujoco", 20))


def same_for_any_workers():
    one, two = (run("--robot-minutes", 6, "--seed", 3, "--json", "--workers", n).stdout.splitlines()[:-1] for n in (1, 2))
    case("workers never change the result", one == two, [one, two])


def holds():
    """No violation in some robot-minutes."""
    for physics, minutes in SOME:
        done = run("--robot-minutes", minutes, "--physics", physics, "--data", TOP / "tests/missions", "--seed", 1)
        if physics == "mujoco" and "not in this build" in done.stderr:
            continue
        case(f"{minutes} robot-minutes on {physics} without violation", done.returncode == 0, done.stdout)


def main():
    done = run("--help")
    case("--help has examples", done.returncode == 0 and "Examples:" in done.stdout, done)
    for wrong in (["--without", "nothing"], ["--physics", "none"], ["--robot-minutes", "0"], ["--mutation", "--episode", "1"],
                  ["--mutation", "--aim", "drop"], ["--aim", "nothing"], ["--aim", "clock"]):
        done = run(*wrong)
        case(f"{' '.join(wrong)} is wrong usage", done.returncode == 2 and done.stderr != "", done)
    for guard in ("stop button", "obstacle", "drop", "tipping", "wheels spin", "clock", "area", "battery empty"):
        done = run("--without", guard, "--mutation")
        case(f"{guard} is the name of a guard", done.returncode == 2 and "there is no guard" not in done.stderr, done)
    for guard in ("drop", "area"):
        kind = {"drop": "edge"}.get(guard, guard)
        for without in ([], ["--without", guard]):
            found = json.loads(run("--aim", guard, "--episode", 0, "--json", *without).stdout.splitlines()[-1])["kinds"][kind]
            case(f"{kind} is found only without {guard}", (found > 0) == bool(without), [guard, without, found])
    done = run("--robots", "/nowhere")
    case("a folder without robots is told", done.returncode == 1 and "/nowhere" in done.stderr, done)
    done = run("--episode", 0, "--json")
    total = json.loads(done.stdout.splitlines()[-1])
    case("an episode has at least a robot-minute", total["robot_minutes"] >= 1 and total["episodes"] == 1, done)
    case("the exit status tells of violations", done.returncode == (1 if total["violations"] else 0), done)
    again = run("--episode", 0, "--json")
    case("an episode again is the same", done.stdout.splitlines()[:-1] == again.stdout.splitlines()[:-1], again)
    for line in done.stdout.splitlines()[:-1]:
        words = shlex.split(json.loads(line)["again"])
        case("a violation has the command that repeats it", words[:3] == ["cairn", "campaign", "--episode"], words)
    same_for_any_workers()
    holds()


main()
end()
