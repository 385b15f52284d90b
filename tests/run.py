#!/usr/bin/env python3
"""Runs the tests of a build directory and counts test cases.

Every test program speaks TAP: cmocka does when asked through its environment, scripts print it themselves.
A program that dies, times out or states no case counts as one failed case. A build that lacks the tests of a room is
refused: few tests without a failure look like many.

usage: run.py BUILD [--without SUITE] [NAME...]
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

# Only to end what hangs: sanitizers make tests ten times slower, others use the machine too, and no test measures time.
TIMEOUT_S_MIN = 1800
WAITING_AT_ONCE = 3
CASE = re.compile(r"^\s*(ok|not ok)\b(.*)", re.M)
PAGE = {"web"}  # what only a build with the page (-Dpage=) has tests of
SKIP = re.compile(r"# skip\b", re.I)  # what this machine or build cannot do counts neither way; cmocka says "not ok" to it


def tests_of(build):
    listing = subprocess.run(["meson", "introspect", build, "--tests"], check=True, capture_output=True, text=True)
    return json.loads(listing.stdout)


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}  # they are "project:suite"


def is_mostly_waiting(test):
    """Whole teams in real time need a tenth of a processor each: more of them run at once than there are processors."""
    return "kills" in suites_of(test)


def lacking(tests):
    """The folders beside this file that the build has no tests of."""
    rooms = {file.parent.name for file in pathlib.Path(__file__).parent.glob("*/meson.build")}
    return rooms - {suite for test in tests for suite in suites_of(test)}


def refuse(tests, build, names):
    """Ends the program if a run would look better than it is."""
    rooms = lacking(tests) - PAGE
    if rooms:
        sys.exit(f"{build} has no tests of: {', '.join(sorted(rooms))}\n"
                 f"It was set up without them, or before cmocka was there. Try: meson setup --reconfigure {build}")
    unknown = names - {test["name"] for test in tests}
    if unknown:
        sys.exit(f"{build} has no test called: {', '.join(sorted(unknown))}")


def run(build, test):
    timeout = max(test["timeout"], TIMEOUT_S_MIN)
    environment = {**os.environ, **test["env"], "CMOCKA_MESSAGE_OUTPUT": "TAP"}
    try:
        done = subprocess.run(test["cmd"], env=environment, cwd=test["workdir"] or build, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace"), f"timed out after {timeout} s"
    cases = CASE.findall(output)
    passed = sum(1 for verdict, words in cases if verdict == "ok" and not SKIP.search(words))
    failed = sum(1 for verdict, words in cases if verdict == "not ok" and not SKIP.search(words))
    if not cases or (status != 0 and failed == 0):
        failed += 1
    return test, passed, failed, output, status


def main(arguments):
    without = set()
    while "--without" in arguments:
        at = arguments.index("--without")
        without.add(arguments[at + 1])
        del arguments[at:at + 2]
    build, names = arguments[0], set(arguments[1:])
    tests = tests_of(build)
    refuse(tests, build, names)
    chosen = [test for test in tests if not without & suites_of(test) and (not names or test["name"] in names)]
    passed = failed = 0
    alone = [test for test in chosen if not test["is_parallel"]]
    waiting = [test for test in chosen if test["is_parallel"] and is_mostly_waiting(test)]
    busy = [test for test in chosen if test["is_parallel"] and not is_mostly_waiting(test)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, \
            concurrent.futures.ThreadPoolExecutor(WAITING_AT_ONCE) as patient:
        slow = patient.map(lambda test: run(build, test), waiting)
        results = list(pool.map(lambda test: run(build, test), busy)) + list(slow)
    results += [run(build, test) for test in alone]
    for test, good, bad, output, status in results:
        passed, failed = passed + good, failed + bad
        print(f"{'FAIL' if bad else 'ok  '} {test['suite'][0].split(':')[-1]}/{test['name']}: {good} passed, {bad} failed")
        if bad:
            lines = output.splitlines()
            wrong = [line for line in lines[:-60] if re.match(r"\s*not ok\b", line)]
            print(f"  exit status {status}\n" + "\n".join("  | " + line for line in wrong + lines[-60:]))
    if lacking(tests):
        print(f"This build is without the tests of: {', '.join(sorted(lacking(tests)))}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
