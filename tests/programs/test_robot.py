#!/usr/bin/env python3
"""`cairn robot` under what may happen to its processes and files: two at once, killed, hidden, taken away. Prints TAP.

usage: test_robot.py BUILD [CASE...]
"""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from team import PATIENCE_S, Program, Team

NAME = "emu1"


class Trouble(Exception):
    pass


def expect(good, words):
    if not good:
        raise Trouble(words)
    return good


class Case:
    """A simulator and one robot; no station."""

    def __init__(self, build, folder):
        self.team = Team(build, folder, robots=1)
        self.folder, self.sim, self.robot = folder, self.team.sim, self.team.robots[NAME]
        self.others = []

    def change(self, old, new, name=NAME):
        text = (self.folder / f"{NAME}.yaml").read_text()
        (self.folder / f"{name}.yaml").write_text(text.replace(old, new))

    def start(self):
        self.sim.start()
        self.robot.start()
        self.runs()

    def end(self):
        for program in [*self.others, self.robot, self.sim]:
            program.end()

    def other_robot(self, name):
        self.others.append(Program(name, [self.team.cairn, "robot", self.folder / f"{name}.yaml"], self.folder))
        self.others[-1].start()
        return self.others[-1]

    def pid(self, what):
        return expect(self.team.wait_until(lambda: self.team.children(NAME).get(what), PATIENCE_S), f"{what} is not there")

    def mind_speaks(self):
        """It keeps a checkpoint every 100 ms."""
        kept = self.folder / "state" / NAME / "checkpoint"
        before = kept.read_bytes()
        return self.team.wait_until(lambda: kept.read_bytes() != before, PATIENCE_S)

    def runs(self):
        def driven():
            truth = self.team.look()
            return truth and truth["pid"] and truth["robots"][0]["told_ms"] is not None and truth["robots"][0]["driven"]
        expect(self.team.wait_until(driven, PATIENCE_S), f"reflex does not run: {self.robot.log.lines[-5:]}")
        expect(self.mind_speaks(), f"mind does not run: {self.robot.log.lines[-5:]}")

    def comes_back(self, what, before):
        expect(self.team.wait_until(lambda: self.team.children(NAME).get(what) not in (None, before), PATIENCE_S),
               f"{what} is not started again: {self.robot.log.lines[-5:]}")
        self.runs()


def the_lock_is_held_until_reflex_is_gone_too(case):
    """The system gives a supervisor's lock back before it ends its children: for a moment there could be two reflexes."""
    case.start()
    folder = pathlib.Path(f"/proc/{case.pid('reflex')}/fd")
    lock = str((case.folder / "state" / NAME / "lock").resolve())
    expect(lock in [os.readlink(file) for file in folder.iterdir()], "reflex does not hold it")


def a_robot_that_is_killed_and_started_at_once_comes_back(case):
    case.start()
    for _ in range(10):
        mark = case.robot.log.mark()
        case.robot.kill()
        case.robot.start()
        expect(case.robot.log.wait("believes to stand where it stopped", mark, PATIENCE_S),
               f"it is not to be checked: {case.robot.log.lines[mark:]}")
        case.runs()


def a_robot_that_was_away_while_time_stood_still_waits_to_be_checked(case):
    """The last word of the reflex before does not grow old meanwhile, and is not that of the reflex now."""
    case.start()
    case.sim.signal(signal.SIGSTOP)
    case.robot.kill()
    mark = case.robot.log.mark()
    with open(case.folder / "sim" / f"{NAME}.motors", "rb") as motors:
        fcntl.flock(motors, fcntl.LOCK_EX)  # so that reflex comes later
        case.robot.start()
        expect(case.robot.log.wait("another reflex drives these wheels", mark, PATIENCE_S), "reflex starts all the same")
        time.sleep(1)  # enough for a mind that does not wait for it
    case.sim.signal(signal.SIGCONT)
    told = case.robot.log.wait("goes on at|believes to stand where it stopped", mark, PATIENCE_S)
    expect(told and "believes" in told[1], told)
    case.runs()


def a_second_program_does_not_drive_the_same_wheels(case):
    """Whatever its state folder: one was started by hand, say, and one by the system."""
    case.start()
    case.change(f"state: state/{NAME}", "state: state/other", "second")
    second = case.other_robot("second")
    expect(second.log.wait("drives these wheels", 0, PATIENCE_S), f"it is not refused: {second.log.lines}")
    case.runs()
    first = case.pid("reflex")
    case.robot.kill()
    expect(case.team.wait_until(lambda: not pathlib.Path(f"/proc/{first}").exists()), "its reflex does not end")
    at = case.team.now()

    def driven_by_another():
        truth = case.team.look()
        return truth["time_s"] > at + 1 and truth["robots"][0]["told_ms"] < 100
    expect(case.team.wait_until(driven_by_another), "the second one never takes over")


def a_second_program_with_the_same_folder_is_refused(case):
    case.start()
    shutil.copy(case.folder / f"{NAME}.yaml", case.folder / "second.yaml")
    second = case.other_robot("second")
    expect(second.log.wait("another `cairn robot` runs", 0, PATIENCE_S), f"it is not refused: {second.log.lines}")
    case.runs()


def children_come_back_whatever_the_parent_thought_of_its_own(case):
    """Who starts us may ignore the deaths of its children, and that is inherited."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        case.sim.start()
        case.robot.start()
    finally:
        signal.signal(signal.SIGCHLD, before)
    case.runs()
    for what in ("reflex", "mind"):
        pid = case.pid(what)
        os.kill(pid, signal.SIGKILL)
        case.comes_back(what, pid)


def a_log_that_nobody_reads_any_longer_ends_nothing(case):
    """`cairn robot FILE | tee LOG`, and tee is gone."""
    reader, writer = os.pipe()
    case.sim.start()
    case.robot.process = subprocess.Popen([str(a) for a in case.robot.arguments], stdout=writer, stderr=writer)
    os.close(writer)
    case.runs()
    os.close(reader)
    for what in ("mind", "reflex"):
        pid = case.pid(what)
        os.kill(pid, signal.SIGKILL)
        case.comes_back(what, pid)


def without_a_journal_the_robot_works_all_the_same(case):
    """A disk that has failed is read-only; it must not keep a mind from starting again."""
    (case.folder / "journals").write_text("not a folder\n")
    case.start()
    expect(case.robot.log.wait("there is no journal", 0, PATIENCE_S), "nobody is told")
    expect(not case.robot.log.wait("mind has ended", 0, 2), "mind does not do without")


def a_robot_that_ends_leaves_its_own_map(case):
    """Whoever comes for a robot that nobody heard finds what it saw beside its journal."""
    case.start()
    began = case.team.now()
    expect(case.team.wait_until(lambda: case.team.now() > began + 3, PATIENCE_S), "time stands still")
    case.robot.end()
    maps = list((case.folder / "journals").glob(f"{NAME}-*.tif"))
    expect(len(maps) == 1, f"{len(maps)} maps: {case.robot.log.lines[-5:]}")
    expect(maps[0].with_suffix(".mcap").exists(), f"no journal of the number of {maps[0].name}")
    told = subprocess.run([case.team.cairn, "map", "info", maps[0], "--json"], capture_output=True, text=True)
    expect(told.returncode == 0, told.stderr)
    info = json.loads(told.stdout)
    expect(info["cell_m"] == 0.05 and info["free"] > 1000 and info["obstacle"] > 100, info)


def files_that_were_taken_away_are_made_anew(case):
    case.start()
    for path in (case.folder / "state" / NAME).iterdir():
        path.unlink()
    pid = case.pid("reflex")
    os.kill(pid, signal.SIGKILL)
    case.comes_back("reflex", pid)


CASES = [the_lock_is_held_until_reflex_is_gone_too, a_robot_that_is_killed_and_started_at_once_comes_back,
         a_robot_that_was_away_while_time_stood_still_waits_to_be_checked,
         a_second_program_does_not_drive_the_same_wheels, a_second_program_with_the_same_folder_is_refused,
         children_come_back_whatever_the_parent_thought_of_its_own, a_log_that_nobody_reads_any_longer_ends_nothing,
         without_a_journal_the_robot_works_all_the_same, a_robot_that_ends_leaves_its_own_map,
         files_that_were_taken_away_are_made_anew]


def run(build, test):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-robot-"))
    case, trouble = Case(build, folder), None
    try:
        test(case)
    except Trouble as found:
        trouble = found
    finally:
        case.sim.signal(signal.SIGCONT)
        case.end()
    print(f"{'not ok' if trouble else 'ok'} - {test.__name__}{f': {trouble}' if trouble else ''}", flush=True)
    if trouble:
        for program in [case.sim, case.robot, *case.others]:
            print("\n".join(f"# {program.log.name}: {line}" for line in program.log.lines[-30:]))
    else:
        shutil.rmtree(folder)
    return bool(trouble)


def main():
    wanted = sys.argv[2:]
    tests = [test for test in CASES if not wanted or test.__name__ in wanted]
    print(f"1..{len(tests)}")
    return 1 if sum([run(sys.argv[1], test) for test in tests]) else 0


if __name__ == "__main__":
    sys.exit(main())
