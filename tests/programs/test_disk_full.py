#!/usr/bin/env python3
"""A station whose store is full: it says so, acknowledges nothing, and goes on in everything else. Prints TAP.

usage: test_disk_full.py BUILD [--keep FOLDER]

The store is filled up by its quota, which needs no disk of its own; test_store.c has disks that are really full.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kept
from page import Page
from team import PATIENCE_S, Team

QUOTA_MB = 0.12
IDLE, AUTONOMOUS = 2, 7


class Trouble(Exception):
    pass


def expect(good, words):
    if not good:
        raise Trouble(words)
    return good


class Case:
    def __init__(self, team, page):
        self.team, self.page = team, page

    def until(self, what, words, pause=0.1):
        return expect(self.team.wait_until(what, PATIENCE_S, pause), words)

    # ---- what is known of robots

    def journal(self, name):
        return max((self.team.folder / "journals").glob(f"{name}-*.mcap"))

    def counts(self, name):
        """Of the streams that are acknowledged: messages put, messages seen acknowledged."""
        links = kept.lines_of(self.team.cairn, self.journal(name), f"/{name}/link")
        said = sum(len(kept.lines_of(self.team.cairn, self.journal(name), f"/{name}/radio/{m}")) for m in kept.MESSAGES)
        return said, sum(links[-1]["message"]["acknowledged_count"][at] for at in kept.STREAMS.values()) if links else 0

    def all_counts(self):
        return {name: self.counts(name) for name in self.team.names}

    def robots(self):
        with self.page.lock:
            return [self.page.robots.get(i + 1, {}) for i in range(len(self.team.names))]

    def all_stopped(self):
        return all(r.get("stop", {}).get("wanted") and r["stop"]["acknowledged"] for r in self.robots())

    def none_stopped(self):
        return all(not r["stop"]["wanted"] and r["stop"]["acknowledged"] for r in self.robots() if "stop" in r)

    def all_stand(self):
        return all(robot["speed_mps"] < 0.01 for robot in self.team.look()["robots"])

    def start_again(self, quota_mb):
        config = self.team.folder / "station.yaml"
        config.write_text(re.sub(r"quota_mb: [0-9.]+", f"quota_mb: {quota_mb}", config.read_text()))
        hellos = self.page.hellos
        self.team.station.kill()
        self.team.station.start()
        self.until(lambda: self.page.hellos > hellos, "the page does not come back")
        self.until(lambda: all(r and not r["lost"] for r in self.robots()), "not all robots are back")

    # ---- one after the other

    def it_is_told_when_the_store_is_full(self):
        self.until(lambda: self.page.has_event("quota is used up"), "the operator is not told", 0.5)
        expect(self.page.has_event("start the station again with a larger one"), "nor what to do about it")

    def nothing_is_acknowledged_while_it_is(self):
        at = self.team.now()  # acknowledgements of what was kept before are on their way
        self.until(lambda: self.team.now() > at + 5, "time stands still", 0.5)
        before = self.all_counts()
        self.until(lambda: all(self.counts(name)[0] > before[name][0] + 5 for name in self.team.names),
                   f"robots have nothing to say: {before}", 1)
        after = self.all_counts()
        for name in self.team.names:
            expect(before[name][1] > 0, f"{name} never saw anything acknowledged: {before}")
            expect(after[name][1] == before[name][1], f"{name} sees acknowledged what is not kept: {before} {after}")
        self.full = after

    def a_stop_works_at_once_without_the_disk(self):
        self.page.do(do="stop")
        self.until(self.all_stopped, f"not all are stopped: {self.robots()}")
        self.until(self.all_stand, "not all stand")

    # What was asked since the store is full is in the robots alone.
    def a_station_killed_now_finds_its_robots_stopped(self):
        self.start_again(QUOTA_MB)
        self.until(self.all_stopped, f"a stop is forgotten: {self.robots()}")
        expect(self.all_stand(), "a stopped robot moves")
        self.until(lambda: self.page.has_event("quota is used up"), "a store that is still full is not told")

    def robots_are_released_and_ordered_without_the_disk(self):
        for number in range(1, len(self.team.names) + 1):
            self.page.do(do="release", robot=number)
        self.until(self.none_stopped, f"not all are released: {self.robots()}")
        for number in range(2, len(self.team.names) + 1):
            self.page.do(do="mode", robot=number, mode="autonomous")
        self.until(lambda: [r["mode"] for r in self.robots()][1:] == [AUTONOMOUS] * (len(self.team.names) - 1),
                   f"the order is not taken: {self.robots()}")
        expect(self.robots()[0]["mode"] == IDLE, f"the first one is to stay idle: {self.robots()[0]}")

    def with_more_room_acknowledgements_flow_again(self):
        self.start_again(50)
        self.until(lambda: all(self.counts(name)[1] > self.full[name][1] + 3 for name in self.team.names),
                   f"acknowledgements do not leave: {self.full} {self.all_counts()}", 1)
        expect(not self.page.has_event("quota is used up", self.page.has_event("the station was started again")),
               "it is told to be full")

    # The first was stopped, released and left idle while nothing was kept: the store says that it searches.
    def a_robot_that_was_left_idle_stays_idle(self):
        at = self.team.now()
        self.until(lambda: self.team.now() > at + 6, "time stands still", 0.5)
        robot = self.robots()[0]
        expect(robot["mode"] == IDLE or robot["stop"]["wanted"], f"it was set going by nobody: {robot}")

    def the_journal_of_all_three_stations_agrees(self):
        self.team.end()
        files = sorted((self.team.folder / "journals").glob("station-*.mcap"))
        done = subprocess.run([self.team.cairn, "replay", *files, "--verify", "--json"], capture_output=True, text=True)
        outcome = json.loads(done.stdout or "{}")
        expect(outcome.get("outcome") == "agrees", f"{outcome} {done.stderr}")

    def nothing_acknowledged_is_missing(self):
        for name in self.team.names:
            missing = kept.what_is_missing(self.team, name)
            expect(not missing, f"{name}: {missing}")


def run(build, folder):
    team = Team(build, folder, robots=2, store_quota_mb=QUOTA_MB)
    team.start()
    page, failed = Page(team.page), 0
    case = Case(team, page)
    try:
        expect(team.wait_until(lambda: len(page.robots) == len(team.names), PATIENCE_S), "the team does not meet")
        team.set_going(page)
        for number, step in enumerate((case.it_is_told_when_the_store_is_full, case.nothing_is_acknowledged_while_it_is,
                                       case.a_stop_works_at_once_without_the_disk,
                                       case.a_station_killed_now_finds_its_robots_stopped,
                                       case.robots_are_released_and_ordered_without_the_disk,
                                       case.with_more_room_acknowledgements_flow_again,
                                       case.a_robot_that_was_left_idle_stays_idle,
                                       case.the_journal_of_all_three_stations_agrees,
                                       case.nothing_acknowledged_is_missing), 1):
            try:
                step()
                print(f"ok {number} - {step.__name__}", flush=True)
            except Trouble as trouble:
                failed += 1
                print(f"not ok {number} - {step.__name__}: {trouble}", flush=True)
                break
        print(f"1..{number}")
    finally:
        page.close()
        team.end()
        if failed:
            for program in team.programs():
                print("\n".join(f"# {program.log.name}: {line}" for line in program.log.lines[-40:]))
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="cairn-full-"))
    folder.mkdir(parents=True, exist_ok=True)
    failed = run(arguments.build, folder)
    if not failed and not arguments.keep:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
