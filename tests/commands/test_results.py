#!/usr/bin/env python3
"""What a mission leaves behind when something goes wrong at its end: a journal that cannot be finished or a file that
cannot be written costs no other, and a mission that is told to end leaves what it has. Prints TAP.

usage: test_results.py CAIRN
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 120  # for a machine that is busy with other things; nothing is measured by it
FILES = {"report.html", "map.png", "map.tif", "map_emu1.tif", "map_emu2.tif", "map_victims.csv", "map_ways.csv",
         "graph.g2o", "closures.csv", "collisions.csv", "score.json", "series.csv", "journal.mcap"}


def command(folder, *options):
    return [sys.argv[1], "mission", "run", folder / "mission.yaml", "--out", folder / "out", "--workers", "1", *options]


def make_mission(folder):
    """The maze, but one that nobody ends for having found all."""
    (folder / "out").mkdir(parents=True)
    text = (TOP / "missions" / "maze.yaml").read_text().replace("../", f"{TOP}/")
    text = text.replace("end_when_done: true", "end_when_done: false").replace("duration_s: 600", "duration_s: 80000")
    (folder / "mission.yaml").write_text(re.sub(r"physics: \w+", "physics: planar", text))


def missing(folder, but=()):
    """Names of files that are not there, or empty."""
    return {name for name in FILES - set(but)
            if not (folder / "out" / name).is_file() or (folder / "out" / name).stat().st_size == 0}


def score_of(folder):
    return json.loads((folder / "out" / "score.json").read_text())


def journal_on_a_full_disk(folder):
    make_mission(folder)
    (folder / "out" / "journal.mcap").symlink_to("/dev/full")
    done = subprocess.run(command(folder, "--duration", "5"), capture_output=True, text=True)
    case("a journal on a full disk is a failure, told by name",
         done.returncode == 1 and "journal.mcap" in done.stderr and "not complete" in done.stderr, done)
    case("a journal on a full disk costs no other result", not missing(folder, {"journal.mcap"}), missing(folder))
    case("the words about the mission are said all the same", "explored" in done.stdout, done)
    score = score_of(folder)
    case("the score tells of no journal that is not whole", score["hash"] is None and score["sim_s"] == 5, score)


def one_file_at_a_time(folder):
    for name in sorted(FILES - {"journal.mcap"}):
        place = folder / name
        make_mission(place)
        (place / "out" / name).mkdir()  # nobody can write a file there
        done = subprocess.run(command(place, "--duration", "1", "--json"), capture_output=True, text=True)
        case(f"{name} that cannot be written is a failure that is told, and costs no other result",
             done.returncode == 1 and f"{name}: " in done.stderr and not missing(place, {name}),
             (missing(place, {name}), done))
        case(f"the score is said without {name}, too", json.loads(done.stdout or "{}").get("sim_s") == 1, done.stdout)


def until(what):
    stop = time.monotonic() + PATIENCE_S
    while not what() and time.monotonic() < stop:
        time.sleep(0.05)
    return what()


def begin(words, folder, **more):
    """A mission that has run for about a second."""
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    until(lambda: (folder / "out" / "journal.mcap").exists() or running.poll() is not None)
    time.sleep(1)
    return running


def interrupted(folder, how, *options):
    make_mission(folder)
    running = begin(command(folder, *options), folder)
    running.send_signal(how)
    said = running.communicate(timeout=PATIENCE_S)
    name = f"{how.name}{' in real time' if options else ''}"
    case(f"a mission that {name} ends leaves all results", running.returncode == 0 and not missing(folder),
         (running.returncode, missing(folder), said))
    score = score_of(folder) if (folder / "out" / "score.json").exists() else {}
    case(f"its score says that it was ended by {name}", score.get("ended") == "interrupted"
         and score["sim_s"] < 80000 and "interrupted" in said[0], (score.get("ended"), score.get("sim_s"), said))
    replayed = subprocess.run([sys.argv[1], "replay", folder / "out" / "journal.mcap"], capture_output=True, text=True)
    case(f"its journal is whole after {name}",
         replayed.returncode == 0 and "cut" not in replayed.stdout + replayed.stderr, replayed)


def time_is_up(folder):
    make_mission(folder)
    done = subprocess.run(command(folder, "--duration", "2"), capture_output=True, text=True)
    case("a mission whose time is up says so in its score", score_of(folder)["ended"] == "time is up", done)


def demo(folder, how):
    make_mission(folder)
    running = begin([sys.argv[1], "demo", folder / "mission.yaml", "--out", folder / "out", "--port", "0"], folder,
                    env={**os.environ, "XDG_RUNTIME_DIR": str(folder)})
    running.send_signal(how)
    said = running.communicate(timeout=PATIENCE_S)
    case(f"a demo that {how.name} ends leaves all results", running.returncode == 0 and not missing(folder)
         and score_of(folder)["ended"] == "interrupted", (running.returncode, missing(folder), said))


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    journal_on_a_full_disk(top / "journal")
    one_file_at_a_time(top / "files")
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and a mission keeps it so
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        interrupted(top / number.name, number)
        demo(top / f"demo-{number.name}", number)
    interrupted(top / "realtime", signal.SIGTERM, "--realtime")
    time_is_up(top / "time")
end()
