#!/usr/bin/env python3
"""The runner of the tests refuses a build without its unit tests, and a folder that was set up before their packages
were there finds them when it is set up again. Prints TAP.

usage: test_runner.py SOURCE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from tap import case, end

SOURCE = pathlib.Path(sys.argv[1])
ROOMS = sorted(file.parent.name for file in (SOURCE / "tests").glob("*/meson.build"))


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment})


def run_tests(build, *names):
    return run(sys.executable, SOURCE / "tests" / "run.py", build, *names)


def small_build(folder, rooms):
    """A build folder whose tests all pass, one in the suite of each of these rooms."""
    folder.mkdir()
    tests = "\n".join(f"test('{room}_fact', find_program('echo'), args: 'ok 1 - a fact', suite: '{room}')"
                      for room in rooms)
    (folder / "meson.build").write_text(f"project('small')\n{tests}\n")
    run("meson", "setup", folder / "build", folder).check_returncode()
    return folder / "build"


def refusals(folder):
    bare = run_tests(small_build(folder / "bare", ["fuzz"]))
    case("a build that has only the fuzz seeds is refused", bare.returncode == 1 and " passed" not in bare.stdout, bare)
    case("the refusal says what to do", "meson setup --reconfigure" in bare.stderr and "cmocka" in bare.stderr, bare)
    lacking = run_tests(small_build(folder / "lacking", ["fuzz", *(room for room in ROOMS if room != "slam")]))
    case("a build without the tests of one room is refused, and the room is named",
         lacking.returncode == 1 and "no tests of: slam\n" in lacking.stderr, lacking)
    whole = run_tests(small_build(folder / "whole", ROOMS))
    case("a build with tests of every room is run",
         whole.returncode == 0 and f"{len(ROOMS)} passed, 0 failed" in whole.stdout, whole)
    pageless = run_tests(small_build(folder / "pageless", [room for room in ROOMS if room != "web"]))
    case("a build without the page is run, and the runner says what it lacks",
         pageless.returncode == 0 and "without the tests of: web" in pageless.stdout, pageless)
    nobody = run_tests(folder / "whole" / "build", "base_fact", "base_fiction")
    case("a name that no test has is refused", nobody.returncode == 1 and "base_fiction" in nobody.stderr, nobody)


def hide(folder):
    """An environment without cmocka and libwebsockets, and while a file HIDE is there without MuJoCo and Embree."""
    for name in ("pc", "bin"):
        (folder / name).mkdir()
    folders = run("pkg-config", "--variable", "pc_path", "pkg-config").stdout.strip().split(":")
    for file in (file for place in reversed(folders) for file in pathlib.Path(place).glob("*.pc")):
        if file.stem not in ("cmocka", "libwebsockets"):
            (folder / "pc" / file.name).unlink(missing_ok=True)
            (folder / "pc" / file.name).symlink_to(file)
    (folder / "HIDE").touch()
    programs = {"cmake": "exit 1", "compiler": f"""
if [ -e {folder}/HIDE ]; then
    for word in "$@"; do
        case $word in *.c) ! grep -q 'mujoco\\|embree' "$word" || exit 1 ;; esac
    done
fi
exec cc "$@"
"""}
    for name, words in programs.items():
        (folder / "bin" / name).write_text("#!/bin/sh\n" + words)
        (folder / "bin" / name).chmod(0o755)
    return {"PKG_CONFIG_LIBDIR": str(folder / "pc"), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "CC": str(folder / "bin" / "compiler")}


def tests_of(build):
    return {test["name"] for test in json.loads(run("meson", "introspect", build, "--tests").stdout)}


def set_up_again(folder):
    build = folder / "build"
    run("meson", "setup", build, SOURCE, **hide(folder)).check_returncode()
    early = run_tests(build)
    case("a folder of ours that was set up without cmocka is refused",
         early.returncode == 1 and "no tests of: base, body" in early.stderr, early)
    before = tests_of(build)
    (folder / "HIDE").unlink()
    again = run("meson", "setup", "--reconfigure", build, SOURCE)
    after = tests_of(build)
    case("set up again, it finds cmocka and has the unit tests", {"arena_new", "cell"} <= after - before, again.stdout)
    fresh = run("meson", "setup", folder / "fresh", SOURCE, CC=str(folder / "bin" / "compiler"))
    case("set up again, it has all that a new folder has, MuJoCo and page too", after == tests_of(folder / "fresh"),
         f"{sorted(after ^ tests_of(folder / 'fresh'))}\n{again.stdout}\n{fresh.stdout}")


with tempfile.TemporaryDirectory() as top:
    refusals(pathlib.Path(top))
    os.mkdir(f"{top}/ours")
    set_up_again(pathlib.Path(top) / "ours")
end()
