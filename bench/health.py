#!/usr/bin/env python3
"""Do robots know where they are, and do they say so when they do not? Runs missions, and prints one table.

usage: health.py CAIRN [--sets flat,wet,yard,collapsed,magic,nist] [--seeds 1-3] [--seconds S] [--maps DIR] [--keep DIR]

For each mission, of its worst robot: how much of the time it said degraded or lost, for how long it was more than
0.5 m off while it said good (must be 0), how far it was off at most; and how far the map's walls are off.
Sets: flat    maze, office and an office made by each seed at difficulty 1; degraded and lost should stay under 1 %
      wet     missions/office-slip.yaml      yard, collapsed, magic   missions of these names
      nist    arenas of --maps DIR (nist-*.raf), two emus each
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = {"flat": 300, "wet": 600, "yard": 600, "collapsed": 600, "magic": 600, "nist": 400}
TWO = """name: {name}
arena: {arena}
physics: {physics}
duration_s: 600
end_when_done: false
robots:
  - {{file: {robots}/emu.yaml, name: emu1}}
  - {{file: {robots}/emu.yaml, name: emu2}}
"""


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def write_two(folder, name, arena, physics):
    path = folder / f"{name}.yaml"
    path.write_text(TWO.format(name=name, arena=arena, physics=physics, robots=ROOT / "robots"))
    return path


def made(cairn, folder, seed):
    arena = folder / f"flat-{seed}-arena.yaml"
    subprocess.run([cairn, "arena", "new", "--kind", "office", "--difficulty", "1", "--seed", str(seed), "-o", arena],
                   check=True, stdout=subprocess.DEVNULL)
    return write_two(folder, f"flat-{seed}", arena, "planar")


def imported(cairn, folder, raf):
    name = raf.stem
    arena = folder / f"{name}-arena.yaml"
    run = subprocess.run([cairn, "arena", "import", raf, "-o", arena], capture_output=True, text=True)
    if run.returncode != 0:
        print(f"{name}: not imported: {run.stderr.strip()}", file=sys.stderr)
        return None
    return write_two(folder, name, arena, "mujoco")


def missions(cairn, which, seeds, folder, maps):
    """Pairs of a mission file and a seed."""
    if which == "flat":
        for seed in seeds:
            yield made(cairn, folder, seed), seed
        for name in ("maze", "office"):
            yield ROOT / "missions" / f"{name}.yaml", seeds[0]
    elif which == "nist":
        for raf in sorted(pathlib.Path(maps).glob("nist-*.raf")):
            path = imported(cairn, folder, raf)
            if path is not None:
                yield path, seeds[0]
    else:
        name = "office-slip" if which == "wet" else which
        for seed in seeds:
            yield ROOT / "missions" / f"{name}.yaml", seed


def run(cairn, path, seed, seconds, out):
    command = [cairn, "mission", "run", path, "--seed", str(seed), "--duration", str(seconds), "--workers", "1",
               "--json", "--out", out / f"{path.stem}-{seed}"]
    done = subprocess.run([*command, "--no-journal"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{path.stem} {seed}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def row(which, score):
    health = score["health"]
    part = lambda name, of: 100 * of[name] / max(1e-9, of["good_s"] + of["degraded_s"] + of["lost_s"])
    liar = max(health, key=lambda name: health[name]["off_while_good_s"])
    return {"mission": f"{score['mission']} {score['seed']}", "set": which, "seconds": score["sim_s"],
            "degraded": max(part("degraded_s", of) for of in health.values()),
            "lost": max(part("lost_s", of) for of in health.values()),
            "off": health[liar]["off_while_good_s"], "off_max": health[liar]["off_while_good_s_max"], "who": liar,
            "error": max(of["max"] for of in score["position_error_m"].values()),
            "walls": score["map_wall_rms_m"] or 0.0}


def show(of):
    liar = of["who"] if of["off"] > 0 else ""
    print(f"{of['mission']:34} {of['seconds']:6.0f} {of['degraded']:9.2f} {of['lost']:7.2f} {of['off']:8.1f} "
          f"{of['off_max']:8.1f} {of['error']:9.3f} {of['walls']:9.3f}  {liar}", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("cairn")
    parser.add_argument("--sets", default="flat")
    parser.add_argument("--seeds", default="1-8")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--maps", default="maps")
    parser.add_argument("--keep")
    options = parser.parse_args()
    print(f"{'mission':34} {'s':>6} {'degr. %':>9} {'lost %':>7} {'off s':>8} {'longest':>8} {'error m':>9} {'walls m':>9}")
    failed = False
    with tempfile.TemporaryDirectory() as made_here:
        folder = pathlib.Path(options.keep or made_here)
        folder.mkdir(parents=True, exist_ok=True)
        for which in options.sets.split(","):
            for path, seed in missions(options.cairn, which, seeds_of(options.seeds), folder, options.maps):
                score = run(options.cairn, path, seed, options.seconds or SECONDS[which], folder)
                failed |= score is None
                if score is None:
                    continue
                of = row(which, score)
                failed |= of["off"] > 0 or of["walls"] > 0.10
                failed |= which == "flat" and of["degraded"] + of["lost"] > 1.0
                show(of)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
