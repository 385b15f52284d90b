#!/usr/bin/env python3
"""Runs every fuzz target of a build directory, two at a time, on the kept seeds.

usage: fuzz.py BUILD [--seconds N] [TARGET...]

New inputs go to BUILD/corpus/TARGET; a finding is left there too, and is printed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent


def run(build, target, seconds):
    name = target.name.removeprefix("fuzz_")
    corpus = build / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = TOP / "fuzz" / "seeds" / name
    made, kept = build / "src" / "messages" / f"{name}.dict", TOP / "fuzz" / f"{name}.dict"
    dictionary = made if made.exists() else kept
    command = [str(target), f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
               f"-artifact_prefix={corpus}/finding-", str(corpus)]
    command += [str(seeds)] if seeds.is_dir() else []
    command += [f"-dict={dictionary}"] if dictionary.exists() else []
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    runs = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    return name, done.returncode, runs[0] if runs else "?", done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    targets = sorted(path for path in (options.build / "fuzz").glob("fuzz_*") if path.is_file() and os.access(path, os.X_OK)
                     and (not options.targets or path.name.removeprefix("fuzz_") in options.targets))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda target: run(options.build, target, options.seconds), targets))
    for name, status, runs, output in results:
        print(f"{name}: {runs} inputs in {options.seconds} s, {'no finding' if status == 0 else 'FINDING'}")
        if status != 0:
            print("\n".join("  | " + line for line in output.splitlines()[-40:]))
    return 1 if any(status for _, status, _, _ in results) or not results else 0


if __name__ == "__main__":
    sys.exit(main())
