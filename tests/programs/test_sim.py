#!/usr/bin/env python3
"""`cairn sim` as people and systemd use it: started, looked at, killed, started again, ended. Prints TAP.

usage: test_sim.py CAIRN
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from tap import case, end  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
ARENA = "arenas/office.yaml"
ROBOTS = ["deploy/office/emu1.yaml", "deploy/office/emu2.yaml"]
PATIENCE_S = 120  # for a machine that is busy with other things; nothing is measured by it


def run(*arguments):
    return subprocess.run([sys.argv[1], "sim", *map(str, arguments)], cwd=TOP, capture_output=True, text=True)


def start(folder, *options):
    return subprocess.Popen([sys.argv[1], "sim", ARENA, *ROBOTS, "--folder", folder, "--port", "0", "--station",
                             "127.0.0.1:9", *options], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def look(folder):
    done = run("--look", folder)
    return json.loads(done.stdout) if done.returncode == 0 else None


def wait_for(folder, wanted):
    """The first look that is as wanted, or the last one."""
    seen, until = None, time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        seen = look(folder)
        if seen is not None and wanted(seen):
            break
        time.sleep(0.02)
    return seen


def a_life(folder):
    sim = start(folder)
    seen = wait_for(folder, lambda seen: seen["time_s"] > 1)
    case("it runs, and can be looked at",
         seen and seen["time_s"] > 1 and seen["pid"] == sim.pid and seen["boot"] == 1
         and [robot["name"] for robot in seen["robots"]] == ["emu1", "emu2"], seen)
    case("a robot that nobody drives was never told anything, and stands",
         seen and all(robot["told_ms"] is None and not robot["driven"] and robot["speed_mps"] < 0.01
                      for robot in seen["robots"]), seen)
    second = start(folder)
    words = second.communicate()[1]
    case("a second one in the same folder is refused by name",
         second.returncode == 1 and f"process {sim.pid}" in words and "--folder" in words, words)
    sim.kill()
    sim.communicate()
    kept = look(folder)
    case("killed, its last moment is there, and that it is gone", kept and kept["pid"] is None
         and kept["time_s"] >= seen["time_s"], kept)

    sim = start(folder)
    later = wait_for(folder, lambda seen: seen["time_ns"] > kept["time_ns"])
    sim.send_signal(signal.SIGTERM)
    words = sim.communicate()[0]
    case("started again it goes on where it was",
         later and later["boot"] == 2 and later["time_ns"] > kept["time_ns"]
         and abs(later["robots"][0]["x_m"] - kept["robots"][0]["x_m"]) < 0.01
         and "going on at" in words and "--fresh" in words, (later, words))
    case("a signal ends it well, and it says where", sim.returncode == 0 and "ended at" in words, (sim.returncode, words))


def other_lives(folder):
    sim = start(folder, "--fresh", "--duration", "0.5")
    words = sim.communicate()[0]
    case("with --fresh it begins anew, and --duration ends it",
         sim.returncode == 0 and "going on" not in words and "ended at 0.5 s" in words, words)
    case("another team is not put into this world", (done := run(ARENA, ROBOTS[0], "--folder", folder, "--port", "0"))
         .returncode == 1 and "--fresh" in done.stderr, done)
    path = pathlib.Path(folder) / "world"
    whole = path.read_bytes()
    for size in (0, 1, 64, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        done = run(ARENA, *ROBOTS, "--folder", folder, "--port", "0", "--duration", "0.1")
        case(f"a world cut after {size} bytes is refused in words", done.returncode == 1 and "--fresh" in done.stderr, done)


def events(folder):
    mission = pathlib.Path(folder) / "mission.yaml"
    head = ("name: m\narena: a.yaml\nphysics: planar\nduration_s: 60\n"
            "robots: [{file: emu.yaml}, {file: emu.yaml}, {file: emu.yaml}]\nevents: [")
    mission.write_text(head + "{at_s: 0.5, do: fail, robot: emu2, sensor: laser, how: frozen, for_s: 0.25}]\n")
    sim = start(folder + "/sim", "--fresh", "--mission", mission, "--duration", "3")
    said = sim.communicate()[0]
    case("sensors fail as a mission file says, and it is told",
         sim.returncode == 0 and "0.5 s: laser of emu2 fails for 0.25 s: frozen" in said
         and "0.8 s: laser of emu2 works again" in said, said)
    for name, event, words in (
            ("a robot's death", "{at_s: 1, do: kill, robot: emu1}", ":6: events: kill does not happen in cairn sim"),
            ("a reboot", "{at_s: 1, do: reboot, for_s: 2}", ":6: events: reboot does not happen in cairn sim"),
            ("a robot that does not run", "{at_s: 1, do: fail, robot: emu3, sensor: laser}", ":6: events: fail: robot emu3"),
            ("a sensor that it has not", "{at_s: 1, do: fail, robot: emu1, sensor: gps}", ":6: events: fail: emu1 has no gps"),
            ("a door that is not there", "{at_s: 1, do: open, door: d9}", ":6: events:")):
        mission.write_text(head + event + "]\n")
        done = run(ARENA, *ROBOTS, "--folder", folder + "/sim", "--port", "0", "--mission", mission, "--duration", "1")
        case(f"{name} is refused with its line", done.returncode == 1 and words in done.stderr, done)


def words(folder):
    done = run("--help")
    case("help has an example and tells the exit status",
         done.returncode == 0 and "Example" in done.stdout and "Exit status: 0" in done.stdout, done)
    for name, status, said, arguments in (
            ("an arena alone is too little", 2, "at least one robot", [ARENA]),
            ("looking where nothing is", 1, "no simulator has run", ["--look", folder + "/nothing"]),
            ("one robot twice", 1, "same number, 1", [ARENA, ROBOTS[0], ROBOTS[0], "--folder", folder]),
            ("a robot's file that is none", 1, "maze.yaml", [ARENA, "missions/maze.yaml"]),
            ("a physics that there is not", 2, "planar or mujoco", [ARENA, *ROBOTS, "--physics", "string"])):
        done = run(*arguments)
        case(f"{name} is refused in words", done.returncode == status and said in done.stderr, done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        a_life(folder + "/sim")
        other_lives(folder + "/sim")
        events(folder)
        words(folder)
    end()


if __name__ == "__main__":
    main()
