#!/usr/bin/env python3
"""Checks how the C looks: clang-format, clang-tidy, which room includes which; and that the tables of docs/ are true.

usage: lint.py [--fix] BUILD

The rooms and what each may include stand in the table of ARCHITECTURE.md, and nowhere else.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import failures
import limits

TOP = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_]+)/', re.M)
PURE = ("geometry", "maps", "matching", "slam", "terrain", "planning", "perception")
COLUMNS = int(re.search(r"^ColumnLimit: (\d+)$", (TOP / ".clang-format").read_text(), re.M)[1])
IMPURE = re.compile(r"^\s*#\s*include\s+<(stdio|pthread|time|unistd|fcntl|sys/[a-z]+)\.h>", re.M)


def allowed_includes():
    """Reads rows like `| maps | base, geometry | ... |` below the heading that says so."""
    text = (TOP / "ARCHITECTURE.md").read_text()
    table = text.split("## Which room may include which", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\|\s*`?([a-z0-9]+)`?\s*\|\s*([^|]*)\|", table, re.M)
    return {room: set(re.findall(r"[a-z0-9]+", rooms)) | {room} for room, rooms in rows if room != "room"}


def check_rooms(sources):
    allowed, wrong = allowed_includes(), []
    for path in sources:
        room = path.relative_to(TOP / "src").parts[0]
        text = path.read_text()
        for included in INCLUDE.findall(text):
            if included in allowed and included not in allowed.get(room, set()):
                wrong.append(f"{path.relative_to(TOP)}: {room} may not include {included} (ARCHITECTURE.md)")
        if room not in allowed:
            wrong.append(f"{path.relative_to(TOP)}: room {room} is not in ARCHITECTURE.md's table")
        if room in PURE and not path.name.endswith(("_io.c", "_io.h")):
            for header in IMPURE.findall(text):
                wrong.append(f"{path.relative_to(TOP)}: {room} is pure and may not use <{header}.h>")
        if room != "base" and re.search(r"\b(clock_gettime|gettimeofday|nanosleep|clock_nanosleep)\s*\(", text):
            wrong.append(f"{path.relative_to(TOP)}: only base reads the operating system's clock")
    return wrong


def check_format(sources, fix):
    arguments = ["-i"] if fix else ["--dry-run", "--Werror"]
    done = subprocess.run(["clang-format", *arguments, *map(str, sources)], capture_output=True, text=True)
    long = [f"{path.relative_to(TOP)}:{number}: a comment of more than {COLUMNS} columns" for path in sources
            for number, line in enumerate(path.read_text().split("\n"), 1)
            if len(line) > COLUMNS and line.lstrip().startswith("//")]
    return [line for line in done.stderr.splitlines() if "error:" in line] + long


def check_tidy(sources, build):
    def one(path):
        done = subprocess.run(["clang-tidy", "-p", build, "--quiet", "--warnings-as-errors=*", str(path)],
                              capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if "error:" in line or "warning:" in line]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(one, sources) for line in lines]


def main(arguments):
    fix = "--fix" in arguments
    build = [argument for argument in arguments if argument != "--fix"][0]
    subprocess.run(["meson", "setup", build] if not os.path.exists(f"{build}/build.ninja") else ["true"], check=True,
                   stdout=subprocess.DEVNULL)
    # Generated headers must exist before clang-tidy reads what includes them.
    subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
    rooms = sorted(TOP.glob("src/**/*.[ch]"))
    everything = rooms + sorted(p for d in ("tests", "fuzz", "bench", "include", "examples")
                                for p in TOP.glob(f"{d}/**/*.[ch]") if "node_modules" not in p.parts)
    compiled = (TOP / build / "compile_commands.json").read_text()
    trouble = check_format(everything, fix) + check_rooms(rooms) + failures.check() + limits.check()
    trouble += check_tidy([p for p in rooms if p.suffix == ".c" and p.name in compiled], build)
    print("\n".join(trouble) if trouble else f"lint: {len(everything)} files, nothing to say")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
