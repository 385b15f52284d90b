#!/usr/bin/env python3
"""Reads the files of every version that there was, and compares with the facts kept beside them. Prints TAP.

usage: test_corpus.py BUILD [VERSION...]
"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "commands"))
import readers  # noqa: E402
import store_rows  # noqa: E402
from tap import case, end  # noqa: E402


def reads(name, wanted, read):
    """What is read today is what was read then; what was not there then may be more."""
    try:
        found = read()
    except (ValueError, KeyError, IndexError) as trouble:
        case(name, False, trouble)
        return None
    case(name, holds(found, wanted), f"wanted {wanted}\nfound {found}")
    return found


def holds(found, wanted):
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and holds(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(holds, found, wanted))
    return found == wanted


class Corpus:
    def __init__(self, build, source, place):
        self.build, self.version, self.place = build, source.name, place
        self.at = readers.copy(source, place / source.name)
        self.facts = json.loads((source / "facts.json").read_text())
        self.now, self.then = build.formats(), self.facts["formats"]

    def check(self, name, wanted, read):
        return reads(f"{self.version}: {name}", wanted, read)

    def people(self):
        self.check("files of people are read", self.facts["people"], lambda: readers.read_people(self.build, self.at))
        self.check("keys are read", self.facts["keys"], lambda: readers.read_keys(self.build, self.at / "team/keys"))

    def journal(self, what, key, files):
        self.check(f"{what}: every message of every channel is there", self.facts[key],
                   lambda: readers.read_journal(self.build, *files))
        wrong = []
        for file, facts in zip(files, self.facts[key]):
            for topic, (_, message_count) in facts["channels"].items():
                try:
                    if len(readers.read_channel(self.build, file, topic)) != message_count:
                        wrong.append((file.name, topic))
                except ValueError as trouble:
                    wrong.append((file.name, topic, trouble))
        case(f"{self.version}: {what}: every message can be printed", not wrong, wrong)

    def verify(self, what, key, files):
        found, outcome = readers.verify(self.build, *files)
        # A later station may decide otherwise: then the comparison ends at the first difference, which is no fault.
        good = found["steps"] > 0 if outcome == "differs" else found == self.facts[key] and outcome == "agrees"
        case(f"{self.version}: {what}: the station can be run again on what it was told", good, (found, outcome))
        print(f"# {self.version}: {what}: {outcome}")

    def journals(self):
        mission = [self.at / "mission/journal.mcap"]
        self.facts["mission_journals"] = [self.facts["mission"]]
        self.journal("a mission's journal", "mission_journals", mission)
        self.verify("a mission's journal", "mission_verify", mission)
        self.check("a mission's journal: whom it found", self.facts["mission_victims"],
                   lambda: readers.read_channel(self.build, mission[0], self.facts["mission_victims_topic"]))
        folder = self.at / "team/journals"
        stations, robots = sorted(folder.glob("station-*")), sorted(folder.glob("emu1-*"))
        self.journal("a station's journals", "station_journals", stations)
        self.verify("a station's journals", "station_verify", stations)
        self.journal("a robot's journals", "robot_journals", robots)

    def store(self):
        store = self.at / "team/station.db"
        case(f"{self.version}: a store has the hashes that its document says", store_rows.hashes_are_right(store))
        self.check("a store: all that the station was told", self.facts["inputs"],
                   lambda: readers.read_inputs(self.build, store))
        told = self.check("a store: whose it is, and how far it came", [self.facts["store"]],
                          lambda: [readers.read_store(self.build, store)[0]])
        by_state = readers.read_store(self.build, store)[1] if told else {}
        # Snapshots are of no use to a program that keeps its state otherwise: it must do with the records.
        store_rows.rewrite(store, layout=lambda number: number + 1)
        self.check("a store without a snapshot that is understood: as far", self.facts["store"],
                   lambda: readers.read_store(self.build, store)[0])
        by_records = readers.read_store(self.build, store)[1]
        case(f"{self.version}: by its records alone", by_records["snapshot_step"] == 0 and not by_records["cut"]
             and by_records["replayed"] >= self.facts["store"]["step"], by_records)
        same = by_state.get("state_hash") == by_records["state_hash"]
        print(f"# {self.version}: snapshot and records give {'the same' if same else 'another'} state")
        if self.now["snapshot"] == self.then["snapshot"]:
            case(f"{self.version}: a snapshot is read", by_state.get("snapshot_step", 0) > 0, by_state)

    def station(self):
        """Today's station opens the store, brings it up to date, and goes on where the one of then ended."""
        said = readers.run_station(self.build, self.at / "team", "started again; it goes on from")
        case(f"{self.version}: a station goes on from its store",
             f"it goes on from {self.facts['store']['time_s']:.1f} s" in said or readers.NO_PAGE in said, said)
        found = readers.read_inputs(self.build, self.at / "team/station.db")
        for one in (found, self.facts["inputs"]):
            one["heard"].pop("told", None)  # the new station may have told something of its own
        case(f"{self.version}: and nothing that it was told is lost", holds(found, self.facts["inputs"]), found)

    def small_files(self):
        packets = readers.read_packets(self.build, self.at / "packets.txt")
        if self.now["radio"] == self.then["radio"]:
            case(f"{self.version}: every packet is taken, and every message in it",
                 holds(packets, self.facts["packets"]), packets)
        else:
            case(f"{self.version}: every packet is refused as one of another version", not packets["messages"] and
                 {line["refused"] for line in packets["refused"]} == {"other version"}, packets)
        self.check("every terrain code is decoded", self.facts["terrain"],
                   lambda: readers.read_terrain(self.build, self.at / "terrain.txt"))
        found = readers.read_checkpoint(self.build, self.at / "team/state/emu1/checkpoint")
        same = self.now["checkpoint"] == self.then["checkpoint"] and self.now["state"] == self.then["state"]
        case(f"{self.version}: a checkpoint is " + ("gone on from" if same else "left alone"),
             holds(found, self.facts["checkpoint"] if same else {"sound": False}), found)


    def maps(self):
        self.check("maps in files are read", self.facts["maps"], lambda: readers.read_maps(self.build, self.at / "maps"))
        if self.now["grid"] == self.then["grid"]:
            self.check("coded grids are decoded", self.facts["grids"],
                       lambda: readers.read_grids(self.build, self.at / "maps"))
            return
        done = self.build.run(self.build.cairn, "map", "decode", self.at / "maps/both.grid", "-o", self.at / "out.pbm")
        case(f"{self.version}: a grid that another model coded is refused as such", done.returncode == 1
             and "another version" in done.stderr, done)

    def parts(self):
        if (self.at / "team").exists():
            for part in (self.people, self.journals, self.small_files, self.store, self.station):
                part()
        if (self.at / "maps").exists():
            self.maps()


def main():
    build, versions = readers.Build(sys.argv[1]), sys.argv[2:]
    sources = [path for path in sorted(HERE.glob("v*")) if path.is_dir() and (not versions or path.name in versions)]
    for source in sources:
        with tempfile.TemporaryDirectory(prefix="cairn-corpus-") as place:
            corpus = Corpus(build, source, pathlib.Path(place))
            corpus.parts()
    case("there is a corpus", bool(sources))
    newest = {}  # the later corpus has the last word on what it has
    for path in sorted(HERE.glob("v*"), key=lambda path: int(path.name[1:])):
        newest.update(json.loads((path / "facts.json").read_text())["formats"])
    case("the newest corpora have all formats of this program; if not, tools/make_corpus.py makes the next",
         newest == build.formats(), f"{newest}\n{build.formats()}")
    end()


main()
