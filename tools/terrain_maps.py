#!/usr/bin/env python3
"""Runs missions and keeps their terrain maps, to train (tools/terrain_train.c) and to measure the terrain codec with.

Of missions of a program that still sent terrain_code (before commit 82a8923): its weights are kept to read what is in older
stores and journals, and never change.

usage: terrain_maps.py CAIRN OUT [--arenas NAME...] [--seeds N...] [--duration S] [--every N]

Writes OUT/ARENA-SEED.maps: for each map width, height, code_bytes (uint16, little endian) and the code.
"""
import argparse
import base64
import json
import pathlib
import struct
import subprocess

TOPIC_END = "/radio/terrain_code"


def replay(cairn, journal, *options):
    return subprocess.run([cairn, "replay", journal, *options], check=True, capture_output=True, text=True).stdout


def codes_of(cairn, journal):
    topics = [channel["topic"] for channel in json.loads(replay(cairn, journal, "--json"))["channels"]]
    for topic in sorted(topic for topic in topics if topic.endswith(TOPIC_END)):
        for line in replay(cairn, journal, "--channel", topic).splitlines():
            message = json.loads(line)["message"]
            code = message["code"]
            yield message["width"], message["height"], base64.b64decode(code) if isinstance(code, str) else bytes(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairn")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--arenas", nargs="+", default=["office", "maze"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--duration", type=int, default=600)
    parser.add_argument("--every", type=int, default=1, help="keep each N-th map: neighbours are much alike")
    options = parser.parse_args()
    for arena in options.arenas:
        for seed in options.seeds:
            folder = options.out / f"{arena}-{seed}"
            subprocess.run([options.cairn, "mission", "run", f"missions/{arena}.yaml", "--physics", "planar", "--seed",
                            str(seed), "--duration", str(options.duration), "--out", str(folder)],
                           check=True, stdout=subprocess.DEVNULL)
            kept = list(codes_of(options.cairn, folder / "journal.mcap"))[::options.every]
            with open(options.out / f"{arena}-{seed}.maps", "wb") as file:
                for width, height, code in kept:
                    file.write(struct.pack("<HHH", width, height, len(code)) + code)
            mean = sum(len(code) for _, _, code in kept) / max(1, len(kept))
            print(f"{arena} {seed}: {len(kept)} maps, {mean:.1f} bytes on average")


if __name__ == "__main__":
    main()
