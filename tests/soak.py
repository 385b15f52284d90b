#!/usr/bin/env python3
"""Many seeds of the link, of stations that are replayed, of pairs that are matched, of grids that are coded, of arenas that are made of whole missions and of robots in trouble, and many moments of killing: what `make test` checks on a few. Takes a while.

usage: soak.py BUILD
"""
import os
import pathlib
import subprocess
import sys

MISSIONS = pathlib.Path(__file__).resolve().parent / "missions" / "missions.py"
KILLS = MISSIONS.parent.parent / "programs" / "test_kill.py"


def main(build):
    status = subprocess.run([f"{build}/tests/link/test_link_bad_radio"], env={**os.environ, "CAIRN_SEEDS": "200"}).returncode
    status |= subprocess.run([f"{build}/tests/station/test_station_replay"], env={**os.environ, "CAIRN_SEEDS": "10"}).returncode
    status |= subprocess.run([f"{build}/tests/sim/test_make"], env={**os.environ, "CAIRN_SEEDS": "100"}).returncode
    status |= subprocess.run([f"{build}/tests/matching/test_correlative"], env={**os.environ, "CAIRN_PAIRS": "2000"}).returncode
    status |= subprocess.run([f"{build}/tests/maps/test_grid_codec"], env={**os.environ, "CAIRN_GRIDS": "100000"}).returncode
    energy = f"{build}/tests/sim/test_mujoco_energy"
    for seed in range(1, 11) if os.path.exists(energy) else ():  # ten hours of driving at random
        status |= subprocess.run([energy], env={**os.environ, "CAIRN_ENERGY_S": "3600",
                                                "CAIRN_ENERGY_SEED": str(seed)}).returncode
    for what, seeds in (("maze-planar", "1-100"), ("maze-mujoco", "1-10"), ("maze-magic-planar", "1-10"),
                        ("maze-magic-mujoco", "1-10"), ("office-planar", "1-20"), ("office-mujoco", "1-5"), ("verify", "1-4")):
        status |= subprocess.run([sys.executable, MISSIONS, f"{build}/cairn", what, "--seeds", seeds]).returncode
    for what, seeds in (("collapsed", "1-10"), ("yard", "1-10"), ("radio-dropout", "1-10"), ("maze-magic", "1-10"),
                        ("office-14", "1-10"), ("nist", "1-10"), ("magic", "1-2")):
        status |= subprocess.run([sys.executable, MISSIONS, f"{build}/cairn", f"rough-{what}", "--seeds", seeds,
                                  "--long"]).returncode
    for physics, minutes in (("planar", "20000"), ("mujoco", "2000")):
        status |= subprocess.run([f"{build}/cairn", "campaign", "--robot-minutes", minutes, "--physics", physics,
                                  "--robots", MISSIONS.parent.parent.parent / "robots", "--data", MISSIONS.parent]).returncode
    for part in ("mind", "reflex", "robot", "station", "sim"):
        status |= subprocess.run([sys.executable, KILLS, build, f"{part}_killed", f"{part}_hung", "--moments",
                                  "20"]).returncode
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
