"""What is read of each kind of file, with the programs of a build: facts that must survive. For the test and the maker.

Whoever adds a fact takes care that it is none that may change for a good reason: what was written is a fact, what today's
station makes of it is not.
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time


class Build:
    def __init__(self, folder):
        folder = pathlib.Path(folder).resolve()
        self.cairn, self.files = folder / "cairn", folder / "tests/corpus/corpus_files"

    def run(self, *words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace")

    def said(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise ValueError(f"{' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def lines(self, *words):
        return [json.loads(line) for line in self.said(*words).splitlines()]

    def one(self, *words):
        return json.loads(self.said(*words))

    def formats(self):
        return self.one(self.cairn, "version", "--json")["formats"]


def copy(source, target):
    """A corpus to work on, with the rights that keys must have and git does not keep."""
    shutil.copytree(source, target)
    for path in pathlib.Path(target).rglob("*.key"):
        os.chmod(path.parent, 0o700)
        os.chmod(path, 0o600)
    return pathlib.Path(target)


def read_journal(build, *files):
    """Channels with their types and counts, and the hash, which covers every byte of every message."""
    facts = []
    for file in files:
        told = build.one(build.cairn, "replay", file, "--json")
        facts.append({"hash": told["files"][0]["hash"], "format": told["files"][0]["format"],
                      "channels": {c["topic"]: [c["type"], c["count"]] for c in told["channels"]}})
    return facts


def read_channel(build, file, topic):
    return [line["message"] for line in build.lines(build.cairn, "replay", file, "--channel", topic)]


def verify(build, *files):
    """That the station can be run again on all of it. Whether it comes out the same is not for a corpus to say."""
    done = build.run(build.cairn, "replay", *files, "--verify", "--json")
    told = json.loads(done.stdout or "{}")
    return {"steps": told.get("steps"), "gaps": told.get("gaps")}, told.get("outcome") or done.stderr.strip()


def read_inputs(build, store):
    """All that the station was told."""
    kinds, words, victims = collections.Counter(), [], []
    for line in build.lines(build.cairn, "store", store, "--inputs"):
        if "heard" in line:
            kinds[f"{line['heard']} {line['message']['robot']}"] += 1
            if line["heard"] == "victim_seen":
                victims.append(line["message"])
        elif "action" in line:
            words.append(line["action"])
        else:
            kinds["told"] += 1
    return {"heard": dict(sorted(kinds.items())), "actions": words, "victims_seen": victims}


def read_store(build, store):
    """Whom it is about, how far it came. Where today's station believes that things are is no fact."""
    told = build.one(build.cairn, "store", store, "--json")
    return {"time_s": told["time_s"], "step": told["step"], "robots": {r["name"]: r["number"] for r in told["robots"]}}, told


NO_PAGE = "this build has no web server"  # nor, then, a station that goes on


def run_station(build, team, words, patience_s=60):
    """Runs the team's station alone, by this machine's clock, until it says the words; all that it said."""
    config = team / "alone.yaml"
    lines = [line for line in (team / "station.yaml").read_text().splitlines() if not line.startswith("sim:")]
    config.write_text("\n".join("listen: 127.0.0.1:0" if line.startswith("listen:") else line for line in lines) + "\n")
    log = team / "alone.log"
    with log.open("w") as out:
        station = subprocess.Popen([build.cairn, "station", config, "--port", "0"], stdout=out, stderr=out)
    until = time.monotonic() + patience_s
    while words not in log.read_text(errors="replace") and station.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    station.terminate()
    station.wait(patience_s)
    return log.read_text(errors="replace")


def read_packets(build, file):
    lines = build.lines(build.files, "packets", file)
    return {"messages": [line for line in lines if "message" in line],
            "refused": [line for line in lines if "refused" in line], "end": lines[-1]}


def read_terrain(build, file):
    return build.lines(build.files, "terrain", file)


def read_checkpoint(build, file):
    return build.one(build.files, "checkpoint", file)


def read_maps(build, folder):
    """Where each map lies, and its cells, or their probabilities, as the pixels of a picture."""
    facts = {}
    for file in sorted(folder.glob("*.cairnmap")):
        told = build.one(build.cairn, "map", "info", file, "--json")
        build.said(build.cairn, "map", "convert", file, "-o", folder / "again.pgm")
        facts[file.name] = {"told": {key: told[key] for key in told if key not in ("file", "path")},
                            "cells": hashlib.sha256(pixels_of(folder / "again.pgm")).hexdigest()}
    return facts


def pixels_of(picture):
    """Of a PGM or PBM, whatever its head says."""
    data = picture.read_bytes()
    return data[re.match(rb"P[45]\s(?:#.*\n)*\d+\s+\d+\s+(?:255\s)?", data).end():]


def read_grids(build, folder):
    """The planes of each coded grid: by itself, or after the one that it needs."""
    facts = {}
    after = ["--after", folder / "earlier.pbm", "--after-known", folder / "earlier_known.pbm"]
    for file in sorted(folder.glob("*.grid")):
        planes = [folder / f"{file.stem}_{name}.out" for name in ("obstacle", "known")]
        build.said(build.cairn, "map", "decode", file, "-o", planes[0], "--known", planes[1],
                   *(after if file.stem.startswith("after") else []))
        facts[file.name] = [hashlib.sha256(pixels_of(plane)).hexdigest() for plane in planes if plane.exists()]
    return facts


def read_keys(build, folder):
    return build.lines(build.cairn, "keys", "list", "--folder", folder, "--json")


def read_people(build, corpus):
    """Files of people: today's program reads them without a complaint, and says what it read."""
    said = {}
    for name, words in {"robot": ["robot", corpus / "team/emu1.yaml", "--check"],
                        "station": ["station", corpus / "team/station.yaml", "--check"],
                        "arena": ["arena", "check", corpus / "mission/arena.yaml"]}.items():
        done = build.run(build.cairn, *words)
        said[name] = "read" if done.returncode == 0 else done.stderr.strip()
    out = corpus / "mission/again"
    done = build.run(build.cairn, "mission", "run", corpus / "mission/mission.yaml", "--duration", "1", "--no-journal",
                     "--out", out, "--json")
    said["mission"] = "read" if done.returncode == 0 else done.stderr.strip()
    return said


MAP_FORMATS = ("map", "grid")
PARTS = ("programs", "maps")  # what a corpus may consist of: one is made anew when its formats change


def facts_of(build, corpus, parts):
    """Everything, for facts.json: the formats are those of the parts that are there."""
    facts = {"cairn": build.one(build.cairn, "version", "--json")["cairn"],
             "formats": {name: number for name, number in build.formats().items()
                         if ("maps" if name in MAP_FORMATS else "programs") in parts}}
    if "programs" in parts:
        facts.update(facts_of_programs(build, corpus))
    if "maps" in parts:
        facts.update(maps=read_maps(build, corpus / "maps"), grids=read_grids(build, corpus / "maps"))
    return facts


def facts_of_programs(build, corpus):
    mission, team = corpus / "mission/journal.mcap", corpus / "team"
    stations, robots = sorted(team.glob("journals/station-*.mcap")), sorted(team.glob("journals/emu1-*.mcap"))
    seen = next(c for c in read_journal(build, mission)[0]["channels"] if c.endswith("victim_seen"))
    return {"people": read_people(build, corpus), "keys": read_keys(build, team / "keys"),
            "mission": read_journal(build, mission)[0], "mission_verify": verify(build, mission)[0],
            "mission_victims_topic": seen, "mission_victims": read_channel(build, mission, seen),
            "mission_setup_bytes": len(read_channel(build, mission, "/station/setup")[0]["bytes"]),
            "station_journals": read_journal(build, *stations), "station_verify": verify(build, *stations)[0],
            "robot_journals": read_journal(build, *robots),
            "store": read_store(build, team / "station.db")[0], "inputs": read_inputs(build, team / "station.db"),
            "packets": read_packets(build, corpus / "packets.txt"),
            "terrain": read_terrain(build, corpus / "terrain.txt"),
            "checkpoint": read_checkpoint(build, team / "state/emu1/checkpoint")}
