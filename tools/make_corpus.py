#!/usr/bin/env python3
"""Makes a corpus of everything that is kept or sent, from a build: for tests/corpus/vN when a format has changed.

usage: make_corpus.py BUILD FOLDER [PART...]

FOLDER must not be there yet; tests/corpus/README.md tells when a new one is due. Parts, all if none is named:

  programs   what robots, stations and missions keep and send. Takes two minutes. The mission and its journal, the packets
             and the terrain codes come out the same again with the same build; the team runs in real time, and never
             does. BUILD must have the operator's page: an operator's actions belong into the store.
  maps       maps in files and coded grids.
"""
import json
import pathlib
import shutil
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP / "tests/corpus"), str(TOP / "tests/programs")]
import readers  # noqa: E402
from page import Page  # noqa: E402
from team import Team  # noqa: E402

MISSION = """version: 1
name: corpus
arena: arena.yaml
physics: planar
duration_s: 20
robots: [{file: emu.yaml}, {file: emu.yaml}]
journal: {scan_hz: 0.2, thermal_hz: 0.1}
operator:
  - {at_s: 12, do: stop}
  - {at_s: 13, do: release}
  - {at_s: 14, do: mode, robot: emu2, mode: autonomous}
  - {at_s: 15, do: go, robot: emu1, x_m: 0.76, y_m: 3.64}
"""
SEED = 1  # somebody is seen in these 20 s
TERRAIN_COUNT = 8
TEAM_S = 75  # a snapshot is kept every 60 s


class CorpusTeam(Team):
    """Two robots in the maze, with files that name each other by relative paths."""

    def write_files(self, air, listen, starts, store_quota_mb):
        entries = []
        shutil.copy(TOP / "robots/emu.yaml", self.folder / "emu.yaml")
        for number, name in enumerate(self.names, 1):
            (self.folder / f"{name}.yaml").write_text(
                f"version: 1\nname: {name}\nnumber: {number}\nbody: emu.yaml\nstation: 127.0.0.1:{air}\nkeys: keys\n"
                f"state: state/{name}\nsim: sim\njournal: {{folder: journals, level: operations, rotate_min: 0.6}}\n")
            x, y = starts[number - 1]
            entries.append(f"  - {{name: {name}, number: {number}, body: emu.yaml, start_m: [{x}, {y}]}}\n")
            build.run(self.cairn, "keys", "make", name, "--robot", number, "--folder", self.folder / "keys")
        (self.folder / "station.yaml").write_text(
            f"version: 1\nname: corpus\nlisten: 127.0.0.1:{listen}\npage: {{port: {self.page}}}\n"
            "store: {file: station.db}\nkeys: keys\nsim: sim\n"
            "journal: {folder: journals, level: operations, rotate_min: 0.6}\nrobots:\n" + "".join(entries))


def make_mission(folder):
    folder.mkdir()
    shutil.copy(TOP / "arenas/maze.yaml", folder / "arena.yaml")
    shutil.copy(TOP / "robots/emu.yaml", folder / "emu.yaml")
    (folder / "mission.yaml").write_text(MISSION)
    with tempfile.TemporaryDirectory() as out:
        done = build.run(build.cairn, "mission", "run", folder / "mission.yaml", "--seed", SEED, "--out", out)
        assert done.returncode == 0, done
        shutil.copy(pathlib.Path(out) / "journal.mcap", folder)
    channels = readers.read_journal(build, folder / "journal.mcap")[0]["channels"]
    assert any(c.endswith("victim_seen") for c in channels), "nobody is seen: choose another seed"


def make_terrain(journal, file):
    codes = list(readers.read_channel(build, journal, "/emu1/radio/terrain_grid"))[:TERRAIN_COUNT]
    assert any(m["after_node"] for m in codes), "no map refers to another"
    file.write_text("# Terrain maps of the mission: node, node that it refers to, column, row, width, height, bytes.\n" + "".join(
        f"grid {m['node']} {m['after_node']} {m['x_mm'] // m['cell_mm']} {m['y_mm'] // m['cell_mm']} {m['width']} {m['height']} "
        f"{bytes(m['code']).hex()}\n" for m in codes))


def act(team, page):
    """An operator does one of everything."""
    for action in ({"do": "stop", "robot": 1}, {"do": "release", "robot": 1},
                   {"do": "mode", "robot": 1, "mode": "autonomous"}, {"do": "go", "robot": 2, "x": 0.76, "y": 3.64},
                   {"do": "mode", "robot": 2, "mode": "autonomous"}, {"do": "home", "robot": 1}):
        start = team.now()
        page.do(**action)
        assert team.wait_until(lambda: team.now() > start + 3, 60)


def make_team(folder):
    with tempfile.TemporaryDirectory(prefix="cairn-corpus-") as place:
        team = CorpusTeam(build.cairn.parent, place, robots=2, arena="arenas/maze.yaml",
                          starts=((0.70, 0.96), (0.70, 1.96)))
        team.start()
        page = Page(team.page)
        try:
            assert team.wait_until(lambda: len(page.robots) == 2, 60), "the team does not meet"
            team.set_going(page)
            assert team.wait_until(lambda: page.victims, 120), "nobody is found"
            act(team, page)
            assert team.wait_until(lambda: team.now() > TEAM_S, 300)
        finally:
            page.close()
            team.end()
        shutil.copytree(place, folder, ignore=lambda at, names: [
            name for name in names if name in ("sim", "lock", "emu2") or name.endswith(".lock")
            or name.startswith("emu2-") or name.endswith(".tif")])


WIDTH, HEIGHT = 120, 90


def ground(x, y, shift):
    """A made-up floor plan, without a table or a random number: 0 unknown, 1 free, 2 wall. Later it knows more."""
    x, y = x + shift, y + shift // 2
    if (x - 60) ** 2 + (y - 45) ** 2 > (44 + 2 * shift + (x * y) % 3) ** 2:
        return 0
    wall = x % 24 < 2 and not 9 < y % 30 < 16 or y % 30 < 2 and not 5 < x % 24 < 12
    return 2 if wall or (x * 7 + y * 13) % 211 == 0 else 1


def write_plane(file, shift, is_set):
    rows = [bytes(sum(is_set(ground(x + bit, HEIGHT - 1 - y, shift)) << (7 - bit) for bit in range(8))
                  for x in range(0, WIDTH, 8)) for y in range(HEIGHT)]
    file.write_bytes(b"P4\n%d %d\n" % (WIDTH, HEIGHT) + b"".join(rows))


def make_maps(folder):
    folder.mkdir()
    with tempfile.TemporaryDirectory() as place:
        here = pathlib.Path(place)
        values = {0: 255, 1: 3, 2: 97}  # map_server's mode raw: percent, 255 unknown
        cells = bytes(values[ground(x, HEIGHT - 1 - y, 4)] for y in range(HEIGHT) for x in range(WIDTH))
        (here / "a.pgm").write_bytes(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + cells)
        (here / "a.yaml").write_text("image: a.pgm\nresolution: 0.05\norigin: [-3.5, 1.25, 0.5]\nnegate: 0\n"
                                     "occupied_thresh: 0.65\nfree_thresh: 0.196\nmode: raw\n")
        for file, words in (("local.cairnmap", ["a.yaml"]),
                            ("surveyed.cairnmap", ["a.yaml", "--survey", "52.5163,13.3777,30"])):
            build.said(build.cairn, "map", "convert", here / words[0], *words[1:], "-o", folder / file)
    for name, shift in (("earlier", 0), ("later", 4)):
        write_plane(folder / f"{name}.pbm", shift, lambda cell: cell == 2)
        write_plane(folder / f"{name}_known.pbm", shift, lambda cell: cell > 0)
    plane, known = [folder / "later.pbm"], ["--known", folder / "later_known.pbm"]
    after = ["--after", folder / "earlier.pbm", "--after-known", folder / "earlier_known.pbm", "--cell", "0.05", "--moved",
             "0.2,0.1,0"]
    for file, words in (("one.grid", plane), ("both.grid", plane + known), ("after.grid", plane + known + after)):
        build.said(build.cairn, "map", "encode", *words, "-o", folder / file)
    (folder / "later.pbm").unlink()
    (folder / "later_known.pbm").unlink()


def make_programs(target):
    make_mission(target / "mission")
    make_terrain(target / "mission/journal.mcap", target / "terrain.txt")
    assert build.run(build.files, "make-packets", target / "packets.txt").returncode == 0
    make_team(target / "team")


def main():
    target, parts = pathlib.Path(sys.argv[2]), sys.argv[3:] or readers.PARTS
    target.mkdir(parents=True)
    if "programs" in parts:
        make_programs(target)
    if "maps" in parts:
        make_maps(target / "maps")
    with tempfile.TemporaryDirectory() as place:
        facts = readers.facts_of(build, readers.copy(target, pathlib.Path(place) / "corpus"), parts)
    (target / "facts.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    for path in sorted(target.rglob("*")):
        if path.is_file():
            print(f"{path.stat().st_size:8} {path.relative_to(target)}")


if __name__ == "__main__":
    if len(sys.argv) < 3 or set(sys.argv[3:]) - set(readers.PARTS):
        sys.exit(__doc__)
    build = readers.Build(sys.argv[1])
    main()
