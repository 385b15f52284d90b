#!/usr/bin/env python3
"""What `cairn bench reflex` says, with a peer and a load that are known to the test. Prints TAP.

usage: test_bench_reflex.py CAIRN
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
NOBODY = 65534
# 100 wake-ups: 90 late by 10 us, 9 by 20 us, and one beyond the histogram, by 70 ms.
PEER = """#!/bin/sh
echo '# /dev/cpu_dma_latency set to 0us'
echo '# Histogram'
echo '000010 000090'
echo '000020 000009'
echo '# Total: 000000099'
echo '# Max Latencies: 70000'
"""
LOAD = "#!/bin/sh\necho $$ >> LOG\nexec sleep 600\n"


def program(folder, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)


def bench(folder, **process):
    """The lines that it says, with nothing but this folder and the shell's own tools in its path."""
    done = subprocess.run([sys.argv[1], "bench", "reflex", "--seconds", "1", "--json"], cwd=TOP, capture_output=True,
                          text=True, env={**os.environ, "PATH": f"{folder}:/usr/bin/none"}, **process)
    assert done.returncode == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_rights():
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def alone(folder):
    lines = bench(folder, preexec_fn=without_rights)
    why = {line["case"]: line["why"] for line in lines if "why" in line}
    case("SCHED_FIFO that is not permitted is said so", "not permitted" in why.get("idle, SCHED_FIFO", ""), lines)
    case("a load that is not installed is said so", "not installed" in why.get("stress-ng --cpu 2", ""), lines)
    figures = {(line["case"], line["metric"]): line for line in lines if "why" not in line}
    steps, late = ([figures[("idle, no priority", f"{what}, {part}")]["ours"] for part in ("p50", "p99", "max")]
                   for what in ("step", "late"))
    case("half is no more than 99 of 100, and that no more than all", steps == sorted(steps) and late == sorted(late),
         figures)
    case("a step costs something, and no thread wakes early", steps[0] > 0 and late[0] >= 0 and
         figures[("back to back", "step")]["ours"] > 0, figures)
    case("without a peer there is none", all(line["peer_name"] is None for line in figures.values()), figures)


def with_peer(folder):
    program(folder, "cyclictest", PEER)
    program(folder, "stress-ng", LOAD.replace("LOG", str(folder / "loads")).replace("sleep", "/usr/bin/sleep"))
    lines = bench(folder)
    peers = {line["metric"]: line["peer"] for line in lines
             if line.get("case") == "stress-ng --cpu 2, no priority" and line.get("peer_name") == "cyclictest"}
    case("the peer's half, 99 of 100 and latest are those of its histogram",
         peers == {"late, p50": 10.0, "late, p99": 20.0, "late, max": 70000.0}, lines)
    loads = (folder / "loads").read_text().split()
    case("the load is started once, and ended", len(loads) == 1 and not pathlib.Path(f"/proc/{loads[0]}").exists(), loads)


def broken_load(folder):
    program(folder, "stress-ng", "#!/bin/sh\nexit 1\n")
    lines = bench(folder)
    case("a load that ends at once is not taken for one", any(
        line.get("case") == "stress-ng --cpu 2" and "does not run" in line.get("why", "") for line in lines), lines)


with tempfile.TemporaryDirectory() as name:
    os.chmod(name, 0o755)
    for part in (alone, with_peer, broken_load):
        place = pathlib.Path(name) / part.__name__
        place.mkdir()
        part(place)
end()
