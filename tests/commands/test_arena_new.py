#!/usr/bin/env python3
"""`cairn arena new` and `check` as people use them: shipped arenas made again, usage, what is told. Prints TAP.

usage: test_arena_new.py CAIRN
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MADE = ("collapsed", "radio-dropout", "showground", "stepfield", "yard")


def run(*arguments):
    return subprocess.run([sys.argv[1], *map(str, arguments)], cwd=TOP, capture_output=True, text=True)


def command_of(arena):
    """The command in the comment at the top of an arena file, without its program and its -o."""
    lines = [line[2:].strip().rstrip("\\") for line in arena.read_text().splitlines() if line.startswith("#")]
    words = shlex.split(" ".join(lines[1:3]))
    return words[1:words.index("-o")]


def same_again(folder):
    for name in MADE:
        arena, again = TOP / "arenas" / f"{name}.yaml", folder / f"{name}.yaml"
        done = run(*command_of(arena), "-o", again)
        case(f"the command in arenas/{name}.yaml still makes it, byte for byte",
             done.returncode == 0 and again.read_bytes() == arena.read_bytes(), done)
        case(f"arenas/{name}.yaml is below 1 MiB", arena.stat().st_size < 1 << 20, arena.stat().st_size)


def usage():
    for words, status, told in (
            ([], 2, ["--kind wants maze, office"]),
            (["--kind", "castle", "-o", "x"], 2, ["not 'castle'"]),
            (["--kind", "maze"], 2, ["-o is missing"]),
            (["--kind", "maze", "-o", "x", "--size", "9"], 2, ["--size of a maze wants X,Y", "'9'"]),
            (["--kind", "maze", "-o", "x", "--size", "2,9"], 2, ["each 6 to 80 m"]),
            (["--kind", "maze", "-o", "x", "--size", "nan,9"], 2, ["--size of a maze wants X,Y"]),
            (["--kind", "maze", "-o", "x", "--difficulty", "6"], 2, ["--difficulty", "1 to 5"]),
            (["--kind", "maze", "-o", "x", "--hazards", "1"], 2, ["--hazards wants S,M"]),
            (["--kind", "maze", "-o", "x", "--hazards", "30,3"], 2, ["32 together at most"]),
            (["--kind", "maze", "-o", "x", "--name", "a b"], 2, ["--name wants one word"]),
            (["--kind", "maze", "-o", "/no/such/folder/x.yaml"], 1, ["cannot be written"])):
        done = run("arena", "new", *words)
        case(f"arena new {' '.join(words)}: {told[0]}",
             done.returncode == status and all(word in done.stderr for word in told), done)


def failures(folder):
    out = folder / "full.yaml"
    done = run("arena", "new", "--kind", "maze", "--size", "6,6", "--victims", "60", "-o", out)
    case("what cannot be made is told, and nothing is written",
         done.returncode == 1 and "of 60 victims found a place" in done.stderr and not out.exists(), done)


def pipes(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    done = run("arena", "new", "--kind", "maze", "--size", "6,6", "-o", pipe)
    case("what is no file is written to and stays what it is, as /dev/null should",
         done.returncode == 0 and pipe.is_fifo() and b"walls" in os.read(handle, 65536), done)
    os.close(handle)


def checks(folder):
    out = folder / "small.yaml"
    made = run("arena", "new", "--kind", "office", "--size", "18,14", "--victims", "3", "--json", "-o", out)
    case("machines are told what was made", json.loads(made.stdout)["victims"] == 3, made)
    said = run("arena", "check", out, "--robot", "robots/emu.yaml")
    case("people are told what can be reached and how hard it is",
         said.returncode == 0 and all(word in said.stdout for word in (
             "all is well", "3 of 3 within reach", "narrowest passage", "difficulty", "dead ends")), said)
    told = json.loads(run("arena", "check", out, "--json").stdout)
    case("the parts of difficulty are told to machines",
         1 <= told["difficulty"] <= 10 and len(told["parts"]) == 10 and told["ok"], told)
    case("a robot that is not there is told", run("arena", "check", out, "--robot", "x.yaml").returncode == 1, "")


with tempfile.TemporaryDirectory() as scratch:
    same_again(pathlib.Path(scratch))
    failures(pathlib.Path(scratch))
    pipes(pathlib.Path(scratch))
    checks(pathlib.Path(scratch))
usage()
end()
