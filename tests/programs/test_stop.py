#!/usr/bin/env python3
"""`cairn stop` with the real programs: a simulator, two robots, a station whose page is full, and a demo. Prints TAP.

usage: test_stop.py BUILD
"""
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
import tap  # noqa: E402
from page import Page  # noqa: E402
from tap import case  # noqa: E402
from team import PATIENCE_S, TOP, Program, Team, here  # noqa: E402

PAGES = 20  # more than there are places
LONG = ("--wait", str(PATIENCE_S))  # for those who obey, however busy the machine


def stop(team, *words):
    return subprocess.run([team.cairn, "stop", *words], capture_output=True, text=True, env=here(team.folder),
                          timeout=2 * PATIENCE_S)


def told(done, status, *words):
    return done.returncode == status and all(each in done.stdout + done.stderr for each in words)


def refused(team, words, *asked):
    """A stop that cannot have its way waits in vain; a machine that stalls for longer than the first is given the second."""
    for wait_s in (4, 60):
        done = stop(team, *asked, "--wait", str(wait_s))
        if told(done, 1, *words):
            break
    return told(done, 1, *words), done


def alone(team):
    done = stop(team)
    case("without a station it fails, and says what to do", told(done, 1, "no station runs", "switch it off"), done)
    done = stop(team, "--wait", "never")
    case("wrong usage is told", told(done, 2, "--wait"), done)


def of_all(team):
    for name in team.names:
        team.station.log.wait(f"{name} has joined", 0, PATIENCE_S)
    pages = [Page(team.page) for _ in range(PAGES)]
    full = team.wait_until(lambda: sum(page.hellos > 0 for page in pages) >= 16, PATIENCE_S)
    case("the page's places are all taken", full, [page.hellos for page in pages])
    served = next(page for page in pages if page.hellos > 0)
    for robot in (1, 2):
        served.do(do="mode", robot=robot, mode="autonomous")
    case("the robots move", team.wait_until(lambda: abs(team.truth_of("emu1")["speed_mps"]) > 0.05, PATIENCE_S))
    done = stop(team, *LONG)
    case("a stop of all passes and tells who has obeyed",
         told(done, 0, "STOPPING", "emu1 has stopped", "emu2 has stopped", "ALL STOPPED, 2 robots"), done)
    case("and they stand", team.wait_until(
        lambda: all(abs(team.truth_of(name)["speed_mps"]) < 0.01 for name in team.names), PATIENCE_S), team.look())
    done = stop(team, *LONG)
    case("to stop who stands is no failure", told(done, 0, "ALL STOPPED"), done)
    case("after a stop of all, one alone is not released", *refused(team, ["release all"], "--release", "emu1"))
    done = stop(team, "--release", *LONG)
    case("all are", told(done, 0, "emu1 is released", "ALL RELEASED"), done)
    case("whoever had a place still has it", served.hellos == 1, served.hellos)
    return served, pages


def of_one(team, page):
    done = stop(team, "emu2", *LONG)
    case("one robot is stopped by its name", told(done, 0, "emu2 has stopped") and "emu1" not in done.stdout, done)
    case("and the other is left alone", team.wait_until(
        lambda: page.robots[2]["stop"]["wanted"] and not page.robots[1]["stop"]["wanted"]), page.robots)
    done = stop(team, "--release", "2", *LONG)
    case("and released by its number", told(done, 0, "emu2 is released"), done)
    done = stop(team, "emu7")
    case("who is not of the team is told", told(done, 2, "no station here has a robot 'emu7'"), done)


def of_the_deaf(team):
    stop(team, "emu1", *LONG)
    team.robots["emu2"].end()
    case("who does not obey is named, and the status says so",
         *refused(team, ["emu1 has stopped", "NOT STOPPED: emu2", "switch it off"]))
    team.station.signal(signal.SIGSTOP)
    done = stop(team, "--wait", "2")
    case("a station that hangs is told", told(done, 1, "does not answer", "switch it off"), done)
    done = stop(team, "emu1", "--wait", "2")
    case("also when one robot is meant", told(done, 1, "does not answer"), done)
    team.station.kill()
    done = stop(team)
    case("a station that was killed is none", told(done, 1, "no station runs"), done)


def of_a_demo(team):
    demo = Program("demo", [team.cairn, "demo", TOP / "missions/maze.yaml", "--physics", "planar", "--no-journal", "--port", "0",
                            "--out", team.folder / "demo"], team.folder)
    demo.start()
    demo.log.wait("operator's page", 0, PATIENCE_S)
    demo.log.wait("cairn stop", 0, PATIENCE_S)
    done = stop(team, *LONG)
    case("a demo is stopped, too", told(done, 0, "ALL STOPPED"), (done, demo.log.lines))
    demo.signal(signal.SIGINT)
    demo.process.wait(PATIENCE_S)
    case("and takes its door with it", list((team.folder / "run").glob("stop-*")) == [], list((team.folder / "run").iterdir()))


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-stop-"))
    team = Team(sys.argv[1], folder, robots=2)
    alone(team)
    team.start()
    try:
        served, pages = of_all(team)
        of_one(team, served)
        for page in pages:
            page.close()
        of_the_deaf(team)
    finally:
        team.end()
    of_a_demo(team)
    if tap.failures == 0:
        shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    main()
