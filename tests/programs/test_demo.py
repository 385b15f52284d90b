#!/usr/bin/env python3
"""A whole mission in real time, all threads in one process, with an operator who takes part. Prints TAP.

Sanitizers watch it: what they find ends the demo with a status that is not 0, and is printed.

usage: test_demo.py BUILD [--duration S] [--keep FOLDER]
"""
import argparse
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from page import Page
from team import PATIENCE_S, Program, free_port

MODE_IDLE, MODE_TELEOPERATED, MODE_AUTONOMOUS = 2, 3, 7


class Trouble(Exception):
    pass


class Operator:
    """Takes robots in turn, and does to each all that a page can."""

    def __init__(self, port, demo):
        self.demo, self.page = demo, Page(port)

    def wait(self, what, words):
        until = time.monotonic() + PATIENCE_S
        while not what():
            if self.demo.process.poll() is not None:
                raise Trouble(f"the demo ended with status {self.demo.process.returncode} while: {words}")
            if time.monotonic() > until:
                raise Trouble(f"{words}: {self.page.robots}")
            time.sleep(0.05)

    def robot(self, number):
        return self.page.robots.get(number, {})

    def drive(self, number):
        at = self.robot(number)
        x, y, yaw = at["x"], at["y"], at["yaw"]

        def moved():
            self.page.do(do="drive", robot=number, forward=0.3, turn=1.0, dead_man=True, shown=self.page.shown_s)
            now = self.robot(number)
            return abs(now["x"] - x) + abs(now["y"] - y) > 0.05 or abs(now["yaw"] - yaw) > 0.2
        self.page.do(do="mode", robot=number, mode="teleoperated")
        self.wait(lambda: self.robot(number).get("mode") == MODE_TELEOPERATED, f"robot {number} cannot be taken")
        self.wait(moved, f"robot {number} cannot be driven")
        self.page.do(do="drive", robot=number, forward=0, turn=0, dead_man=False, shown=self.page.shown_s)

    def stop_and_release(self, number):
        which = {"robot": number} if number else {}
        numbers = [number] if number else list(self.page.robots)

        def all_of(wanted):
            return all(self.robot(n).get("stop") == {"wanted": wanted, "acknowledged": True} for n in numbers)
        self.page.do(do="stop", **which)
        self.wait(lambda: all_of(True), f"robots {numbers} do not stop")
        self.page.do(do="release", **which)
        self.wait(lambda: all_of(False), f"robots {numbers} cannot be released")
        self.wait(lambda: all(self.robot(n).get("mode") == MODE_IDLE for n in numbers), f"robots {numbers} are not idle")

    def set_going(self, number):
        self.page.do(do="mode", robot=number, mode="autonomous")
        self.wait(lambda: self.robot(number).get("mode") == MODE_AUTONOMOUS, f"robot {number} cannot be set going")

    def go_home(self, number):
        before = len(self.page.purposes)  # who is near is there at once
        self.page.do(do="home", robot=number)
        self.wait(lambda: (number, "home") in self.page.purposes[before:], f"robot {number} is not sent home")


def work(operator, number, port):
    operator.drive(number)
    operator.stop_and_release(number)
    operator.go_home(number)
    operator.stop_and_release(None)
    for each in list(operator.page.robots):
        operator.set_going(each)
    # A page that goes away while it holds the dead-man key, and another that begins anew.
    operator.drive(number)
    operator.page.do(do="drive", robot=number, forward=0.3, turn=0, dead_man=True, shown=operator.page.shown_s)
    operator.page.close()
    return Operator(port, operator.demo)


def run(build, duration_s, folder):
    port = free_port(socket.SOCK_STREAM)
    demo = Program("demo", [pathlib.Path(build).resolve() / "cairn", "demo", "missions/office.yaml", "--physics", "planar",
                            "--port", port, "--out", folder, "--duration", duration_s], folder)
    demo.start()
    failed, turn = 0, 0
    try:
        operator = Operator(port, demo)
        operator.wait(lambda: len(operator.page.robots) == 3, "the robots do not report")
        while operator.page.shown_s < duration_s * 2 / 3:
            turn += 1
            number = turn % 3 + 1
            operator = work(operator, number, port)
            operator.wait(lambda: len(operator.page.robots) == 3, "a new page is not told of the robots")
            operator.set_going(number)
            print(f"ok - robot {number} is driven, stopped, released, sent home and set going, until "
                  f"{operator.page.shown_s:.0f} s", flush=True)
        demo.process.wait(duration_s + PATIENCE_S)
        operator.page.close()
    except (Trouble, OSError, subprocess.TimeoutExpired) as trouble:
        failed += 1
        print(f"not ok - operator: {trouble}", flush=True)
    demo.end()
    status = demo.process.returncode
    failed += status != 0
    print(f"{'not ok' if status else 'ok'} - the mission ends by itself with status 0 (here {status})")
    if failed:
        time.sleep(1)  # for what is still in the pipe
        print("\n".join(f"# {line}" for line in demo.log.lines))
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--duration", type=float, default=130)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="cairn-demo-"))
    failed = run(arguments.build, arguments.duration, folder)
    if not failed and not arguments.keep:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
