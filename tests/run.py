#!/usr/bin/env python3
"""Runs the tests of a build directory and counts test cases.

Every test program speaks TAP: cmocka does when asked through its environment, scripts print it themselves.
A program that dies, times out or states no case counts as one failed case. A build that lacks the tests of a room is
refused: few tests without a failure look like many.

Tests with a greater priority in their meson.build are begun first: the long ones, so that no processor idles in the end.

usage: run.py BUILD [--without SUITE] [NAME...]
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

# Only to end what hangs: sanitizers make tests ten times slower, others use the machine too, and no test measures time.
TIMEOUT_S_MIN = 1800
WAITING_AT_ONCE = 3
SLOWEST_COUNT = 12
CASE = re.compile(r"^\s*(ok|not ok)\b(.*)", re.M)
PAGE = {"web"}  # what only a build with the page (-Dpage=) has tests of
SKIP = re.compile(r"# skip\b", re.I)  # what this machine or build cannot do counts neither way; cmocka says "not ok" to it


def tests_of(build):
    listing = subprocess.run(["meson", "introspect", build, "--tests"], check=True, capture_output=True, text=True)
    return json.loads(listing.stdout)


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}  # they are "project:suite"


def is_mostly_waiting(test):
    """Teams in real time, and browsers that wait for them, need a part of a processor: they run beside those that are busy."""
    return bool({"kills", "web"} & suites_of(test))


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


def run_program(test, build, timeout):
    """What it said, its status, and the seconds of processors that it and those whom it waited for took."""
    environment = {**os.environ, **test["env"], "CMOCKA_MESSAGE_OUTPUT": "TAP"}
    process = subprocess.Popen(test["cmd"], env=environment, cwd=test["workdir"] or build, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    late = threading.Event()

    def end():
        late.set()
        process.kill()
    guard = threading.Timer(timeout, end)
    guard.start()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    guard.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, f"timed out after {timeout} s" if late.is_set() else process.returncode, usage.ru_utime + usage.ru_stime


def run(build, test):
    began_s = time.monotonic()
    output, status, cpu_s = run_program(test, build, max(test["timeout"], TIMEOUT_S_MIN))
    test["took_s"], test["cpu_s"] = time.monotonic() - began_s, cpu_s
    cases = CASE.findall(output)
    passed = sum(1 for verdict, words in cases if verdict == "ok" and not SKIP.search(words))
    failed = sum(1 for verdict, words in cases if verdict == "not ok" and not SKIP.search(words))
    if not cases or (status != 0 and failed == 0):
        failed += 1
    return test, passed, failed, output, status


def results_of(build, chosen):
    """As they come: what may run beside others, then what must be alone."""
    chosen = sorted(chosen, key=lambda test: -test["priority"])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as busy, \
            concurrent.futures.ThreadPoolExecutor(WAITING_AT_ONCE) as patient:
        begun = [(patient if is_mostly_waiting(test) else busy).submit(run, build, test) for test in chosen
                 if test["is_parallel"]]
        for done in concurrent.futures.as_completed(begun):
            yield done.result()
    for test in chosen:
        if not test["is_parallel"]:
            yield run(build, test)


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
    for test, good, bad, output, status in results_of(build, chosen):
        passed, failed = passed + good, failed + bad
        print(f"{'FAIL' if bad else 'ok  '} {test['suite'][0].split(':')[-1]}/{test['name']}: {good} passed, {bad} failed",
              flush=True)
        if bad:
            lines = output.splitlines()
            wrong = [line for line in lines[:-60] if re.match(r"\s*not ok\b", line)]
            print(f"  exit status {status}\n" + "\n".join("  | " + line for line in wrong + lines[-60:]), flush=True)
    slowest = sorted(chosen, key=lambda test: -test["took_s"])[:SLOWEST_COUNT]
    print("slowest: " + ", ".join(f"{test['name']} {test['took_s']:.0f} s (processor {test['cpu_s']:.0f} s)"
                                  for test in slowest))
    if lacking(tests):
        print(f"This build is without the tests of: {', '.join(sorted(lacking(tests)))}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
