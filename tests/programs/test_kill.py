#!/usr/bin/env python3
"""Kills or hangs one part of a running team at random moments, and looks at what the others make of it. Prints TAP.

usage: test_kill.py BUILD WHAT... [--moments N] [--seed S] [--keep FOLDER]

WHAT: mind_killed mind_hung reflex_killed reflex_hung robot_killed robot_hung station_killed station_hung
      sim_killed sim_hung
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import kept
from page import Page
from team import Team

FOUND = re.compile(r"(Address|Leak|Thread)Sanitizer|runtime error:")  # by a sanitized build, in any process
STOP_NS = 308_000_000  # of the last valid command: its 300 ms, and one period of reflex


class Trouble(Exception):
    pass


def expect(good, words):
    if not good:
        raise Trouble(words)
    return good


class Watch:
    """Every step of a robot's reflex, as watch_robot prints it."""

    def __init__(self, team, name):
        self.team = team
        self.process = subprocess.Popen([team.watch_robot, team.folder / f"{name}.yaml"], stdout=subprocess.PIPE,
                                        text=True)
        self.steps = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            fields = line.split()
            if len(fields) == 10:
                self.steps.append([int(fields[0]), int(fields[1]), *map(float, fields[2:8]), *map(int, fields[8:])])

    def close(self):
        self.process.kill()
        self.process.wait()

    def check_stops(self):
        """No step tells the wheels to move on a command that is too old."""
        for at, issued, told_mps, told_radps, *_ in list(self.steps):
            if at - issued > STOP_NS and (told_mps != 0 or told_radps != 0):
                raise Trouble(f"told {told_mps} m/s, {told_radps} rad/s {(at - issued) / 1e6:.0f} ms after a command")

    def where(self):
        expect(self.team.wait_until(lambda: self.steps), "the robot's cells cannot be seen")
        return self.steps[-1][6], self.steps[-1][7]


class Case:
    def __init__(self, team, page, chance):
        self.team, self.page, self.chance = team, page, chance
        self.watches = {name: Watch(team, name) for name in team.names}
        self.idle, self.deaths, self.silences = set(), {}, []

    def close(self):
        for watch in self.watches.values():
            watch.close()

    def robot_that_moves(self):
        def moving():
            truth = self.team.look() or {"robots": []}
            names = [r["name"] for r in truth["robots"] if r["speed_mps"] > 0.1 and r["driven"] and
                     self.may_die(r["name"], truth["time_s"])]
            return self.chance.choice(names) if names else None
        return expect(self.team.wait_until(moving), "no robot moves")

    # A mind that dies more than five times in a minute is not set going again by itself: that is another test.
    def may_die(self, name, now_s):
        return sum(1 for at in self.deaths.get(name, []) if at > now_s - 60) < 4

    def moves_on(self, name, least_m=0.3):
        x, y = self.watches[name].where()

        def moved():
            now = self.watches[name].where()
            return (now[0] - x) ** 2 + (now[1] - y) ** 2 > least_m ** 2
        expect(self.team.wait_until(moved), f"{name} does not go on")

    def stands(self, name):
        def standing():
            robot = self.team.truth_of(name)
            return not robot["driven"] and robot["speed_mps"] < 0.01
        expect(self.team.wait_until(standing), f"{name} does not come to rest")

    # ---- mind

    def mind(self, number):
        name = self.robot_that_moves()
        station, before = self.team.station.log.mark(), self.team.child(name, "mind")
        self.deaths.setdefault(name, []).append(self.team.now())
        os.kill(before, number)
        log = self.team.robots[name].log
        expect(self.team.wait_until(lambda: self.team.children(name).get("mind") not in (None, before)),
               "mind is not started again")
        expect(self.team.station.log.wait(f"{name}: mind was started again", station),
               f"the station does not hear of it: {log.lines[-5:]}")
        self.moves_on(name)
        self.watches[name].check_stops()

    # ---- reflex

    def reflex(self, number):
        name = self.robot_that_moves()
        supervisor, before = self.team.robots[name], self.team.child(name, "reflex")
        # The base's watchdog brings it to rest. The supervisor waits until that is seen: it starts another reflex after
        # a second at most, and on a busy machine nobody would have looked meanwhile.
        supervisor.signal(signal.SIGSTOP)
        os.kill(before, number)
        try:
            self.stands(name)
        finally:
            supervisor.signal(signal.SIGCONT)
        expect(self.team.wait_until(lambda: self.team.children(name).get("reflex") not in (None, before)),
               "reflex is not started again")
        self.moves_on(name)
        self.watches[name].check_stops()

    # ---- the whole robot

    def robot(self, number):
        name = self.chance.choice(self.team.names)
        robot, log, mark = self.team.robots[name], self.team.station.log, self.team.station.log.mark()
        pids = [robot.process.pid, self.team.child(name, "reflex"), self.team.child(name, "mind")]
        if number == signal.SIGKILL:
            robot.kill()
        else:
            for pid in pids:
                os.kill(pid, number)
        works = name not in self.idle and self.last_known_task(name)
        self.silences.append((name, expect(log.wait(f"{name} is silent", mark), "the station does not notice")[0]))
        if works:
            expect(log.wait(f"the goal .* of {name} is open to others", mark), "its goal is not given away")
        self.stands(name)
        if number == signal.SIGKILL:
            robot.start()
            self.idle.add(name)  # it waits until somebody has looked at where it stands
        else:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        expect(log.wait(f"{name} is heard again", mark), "it does not come back")
        if number != signal.SIGKILL and name not in self.idle:
            self.moves_on(name)
        self.watches[name].check_stops()
        if number == signal.SIGKILL:
            self.set_going(name)

    # Of a robot that is gone, as the station knows it: what it said last has been heard by then.
    def last_known_task(self, name):
        at_s = self.page.shown_s
        expect(self.team.wait_until(lambda: self.page.shown_s > at_s + 1), "the station's time stands still")
        return self.page.robots.get(self.team.names.index(name) + 1, {}).get("task")

    # The operator has looked: it stands where the page shows it.
    def set_going(self, name):
        at = self.team.names.index(name) + 1
        expect(self.team.wait_until(lambda: self.page.robots.get(at, {}).get("mode") == 2),
               f"{name} is not idle after its return: {self.page.robots.get(at)}")
        self.page.do(do="mode", robot=at, mode="autonomous")
        self.idle.discard(name)
        self.moves_on(name)

    # ---- the station

    def station(self, number):
        station, log = self.team.station, self.team.station.log
        at = self.chance.randrange(len(self.team.names)) + 1
        name, last = self.team.names[at - 1], self.page.last_event()
        self.page.do(do="stop", robot=at)
        expect(self.team.wait_until(lambda: self.page.has_event(f"operator: stop {name}", last), pause=0.005),
               "the page is not told of the stop")
        time.sleep(self.chance.choice([0, 0, 0.01, 0.3]))
        told_of_disk = self.page.has_event("the disk is slow", last)  # then what is shown may not be kept
        hellos, mark = self.page.hellos, log.mark()
        victims = dict(self.page.victims)
        if number != signal.SIGKILL:
            station.signal(number)
            time.sleep(3)  # long enough for whoever watches it (systemd, by its missing signs of life) to end it
        station.kill()
        station.start()
        expect(log.wait("the station was started again; it goes on from", mark), "it begins anew")
        expect(self.team.wait_until(lambda: self.page.hellos > hellos), "the page does not come back")
        expect(self.team.wait_until(lambda: len(self.page.robots) == len(self.team.names) and
                                    not any(r["lost"] for r in self.page.robots.values())),
               "not all robots are back")
        expect(told_of_disk or self.team.wait_until(lambda: self.page.has_event(f"operator: stop {name}", last)),
               "the operator's stop is forgotten")
        expect(self.page.robots[at]["stop"]["wanted"], f"{name} is no longer to be stopped")
        for victim in victims.values():
            expect(self.team.wait_until(lambda: self.page.shows_victim_near(victim)), "a victim is forgotten")
        self.page.do(do="release", robot=at)
        expect(self.team.wait_until(lambda: not self.page.robots[at]["stop"]["wanted"] and
                                    self.page.robots[at]["stop"]["acknowledged"]), "it cannot be released")
        self.page.do(do="mode", robot=at, mode="autonomous")
        self.moves_on(name)

    # ---- the simulator

    def sim(self, number):
        sim, others = self.team.sim, [*self.team.robots.values(), self.team.station]
        marks = [program.log.mark() for program in others]
        before = self.team.look()
        if number == signal.SIGKILL:
            sim.kill()
        else:
            sim.signal(number)
        for program, mark in zip(others, marks):
            expect(program.log.wait("simulator is silent", mark), f"{program.log.name} does not say so")
        if number == signal.SIGKILL:
            sim.start()
        else:
            sim.signal(signal.SIGCONT)
        for program, mark in zip(others, marks):
            expect(program.log.wait("simulator is back", mark), f"{program.log.name} does not go on")
        after = self.team.look()
        expect(after["time_s"] >= before["time_s"], "time went back")
        self.moves_on(self.robot_that_moves())
        for watch in self.watches.values():
            watch.check_stops()


def wrong_ends(team):
    """Of programs that were asked to end, and what sanitizers said meanwhile."""
    return [f"{program.log.name} ended with status {program.process.returncode}" for program in team.programs()
            if program.process.returncode != 0] + [line for program in team.programs() for line in program.log.lines
                                                   if FOUND.search(line)]


def run(build, what, moments, seed, folder):
    part, how = what.rsplit("_", 1)
    number = signal.SIGKILL if how == "killed" else signal.SIGSTOP
    chance = random.Random(f"{what} {seed}")
    team = Team(build, folder)
    team.start()
    page, case, failed = Page(team.page), None, 0
    try:
        expect(team.wait_until(lambda: len(page.robots) == len(team.names)), "the team does not meet")
        team.set_going(page)
        case = Case(team, page, chance)
        case.robot_that_moves()
        for moment in range(1, moments + 1):
            time.sleep(chance.random() * 3)
            at = team.now()
            try:
                getattr(case, part)(number)
                print(f"ok - {what}, moment {moment}, at {at:.1f} s", flush=True)
            except Trouble as trouble:
                failed += 1
                print(f"not ok - {what}, moment {moment}, at {at:.1f} s (seed {seed}): {trouble}", flush=True)
                break
        case.close()
        page.close()
        kept.wait_for_enough(team)
        team.end()
        wrong = wrong_ends(team)
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} - {what}, all end in good order {wrong[:3] or ''}")
        for name, told_s in case.silences:
            late = kept.steps_too_late(team, name, told_s)
            failed += bool(late)
            print(f"{'not ok' if late else 'ok'} - {what}, {name} is shown lost at {told_s} s, not later {late[:3] or ''}")
        for name in team.names:
            lost = kept.what_is_missing(team, name)
            failed += bool(lost)
            print(f"{'not ok' if lost else 'ok'} - {what}, nothing that {name} saw acknowledged is lost {lost or ''}")
    except Trouble as trouble:
        failed += 1
        print(f"not ok - {what} (seed {seed}): {trouble}", flush=True)
    finally:
        if case:
            case.close()
        team.end()
        if failed:
            for program in team.programs():
                print("\n".join(f"# {program.log.name}: {line}" for line in program.log.lines[-40:]))
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("what", nargs="+")
    parser.add_argument("--moments", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    failed = 0
    for what in arguments.what:
        # In memory where there is such a folder: kill -9 loses nothing of a file either way, and a disk that others keep
        # busy for ten seconds is another test's matter (test_disk_full.py).
        in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        made = arguments.keep or tempfile.mkdtemp(prefix="cairn-kill-", dir=in_memory)
        folder = pathlib.Path(made) / (what if arguments.keep else "")
        folder.mkdir(parents=True, exist_ok=True)
        failed += run(arguments.build, what, arguments.moments, arguments.seed, folder)
        if not failed and not arguments.keep:
            shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
