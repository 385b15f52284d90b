#!/usr/bin/env python3
"""`cairn station` alone, by the machine's clock: started twice, anew, on a damaged store, without its port. Prints TAP.

usage: test_station.py BUILD
"""
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
import tap  # noqa: E402
from page import Page  # noqa: E402
from tap import case  # noqa: E402
from team import PATIENCE_S, Program, Team  # noqa: E402



def start(team, *options):
    """A station of the team's files, once it serves its page; None: it ended instead."""
    station = Program("station", [*team.station.arguments, *options], team.folder)
    station.start()
    while station.process.poll() is None and not station.log.wait("operator's page", 0, 0.1):
        pass
    return station


def steps_of(team, path):
    done = subprocess.run([team.cairn, "store", path, "--json"], capture_output=True, text=True)
    return int(done.stdout.split('"step":')[1].split(",")[0]) if done.returncode == 0 else None


def wait_for_steps(team, count=40):
    """Until so many more are in the store: there is something to go on from, or to be damaged."""
    before = steps_of(team, team.folder / "station.db") or 0
    team.wait_until(lambda: (steps_of(team, team.folder / "station.db") or 0) > before + count, pause=0.3)


def two_stations(team):
    first = start(team)
    config = team.folder / "second.yaml"
    config.write_text(re.sub("listen: .*", "listen: 127.0.0.1:0", (team.folder / "station.yaml").read_text()))
    second = Program("second", [team.cairn, "station", config, "--fresh", "--port", "0"], team.folder)
    second.start()
    second.process.wait(PATIENCE_S)
    second.log.wait("store", 0, PATIENCE_S)
    case("a second station, even for a new mission, is refused while one runs",
         second.process.poll() == 1 and "has this store open" in "\n".join(second.log.lines), second.log.lines)
    case("and leaves the store of the first where it is", list(team.folder.glob("station.db.before-*")) == [],
         list(team.folder.iterdir()))
    page = Page(team.page)
    wait_for_steps(team)
    first.kill()
    again = start(team)
    case("the first, killed and started again, goes on from it",
         again.log.wait("the station was started again; it goes on from", 0, PATIENCE_S), again.log.lines)
    again.end()
    page.close()
    kept = steps_of(team, team.folder / "station.db")
    fresh = start(team, "--fresh")
    fresh.end()
    case("a new mission begins anew, and the old one is kept beside it whole",
         kept == steps_of(team, team.folder / "station.db.before-1") and
         steps_of(team, team.folder / "station.db") < kept, (kept, fresh.log.lines))


def without_its_port(team):
    before = sorted((team.folder / "journals").iterdir())
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", team.page))
        taken.listen()
        for _ in range(3):
            station = start(team)
    case("without its port it ends and says which", station.process.poll() == 1 and
         str(team.page) in "\n".join(station.log.lines), station.log.lines)
    case("and however often that happens, no journal is begun that pushes older ones out",
         sorted((team.folder / "journals").iterdir()) == before, list((team.folder / "journals").iterdir()))


def for_other_machines(team):
    config = team.folder / "open.yaml"
    config.write_text(re.sub("page: .*", "page: {bind: 0.0.0.0, port: 0, names: station.example}",
                             (team.folder / "station.yaml").read_text()))
    told = []
    for _ in range(2):
        station = Program("open", [team.cairn, "station", config], team.folder)
        station.start()
        told.append((station.log.wait("other machines", 0, PATIENCE_S) or ("", ""))[1])
        station.end()
    tokens = [re.search("http://station.example:[0-9]+/#token=([0-9a-f]{32})$", line) for line in told]
    case("a station that others can reach prints the address with the token", all(tokens), told)
    case("which stays the same, so that pages come back", all(tokens) and tokens[0][1] == tokens[1][1], told)
    kept = team.folder / "page.token"
    case("and is its owner's alone", kept.stat().st_mode & 0o777 == 0o600 and kept.read_text().strip() == tokens[0][1])
    kept.chmod(0o644)
    station = Program("open", [team.cairn, "station", config], team.folder)
    station.start()
    station.process.wait(PATIENCE_S)
    case("one that others may read is refused", station.process.poll() == 1 and station.log.wait("chmod 600", 0, PATIENCE_S),
         station.log.lines)
    kept.unlink()


def who_came_and_what_they_asked(team):
    station, page = start(team), Page(team.page)
    log = station.log
    case("who connects to the page is in the log, with the address",
         log.wait(r"page \d+ \(127.0.0.1\) connected", 0, PATIENCE_S), log.lines)
    page.do(do="stop")
    page.do(do="mode", robot=1, mode="danc\ning")
    case("and what they ask", log.wait(r"page \d+ \(127.0.0.1\) asks of all robots: stop", 0, PATIENCE_S), log.lines)
    case("and what is refused, and why", log.wait(r"page \d+ \(127.0.0.1\) was refused: .*mode", 0, PATIENCE_S), log.lines)
    with socket.create_connection(("127.0.0.1", team.page), PATIENCE_S) as other:
        other.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        other.recv(100)
    case("so are those who never became a page", log.wait("somebody at 127.0.0.1 was refused with status 403", 0, PATIENCE_S),
         log.lines)
    page.close()
    case("and until when they stayed", log.wait(r"page \d+ \(127.0.0.1\) left after \d+ s: asked 1 times, refused 1 times", 0,
                                                PATIENCE_S), log.lines)
    station.end()


def a_damaged_store(team):
    station = start(team)
    wait_for_steps(team)
    station.kill()
    log = team.folder / "station.db-wal"
    whole = bytearray(log.read_bytes())
    for at in range(len(whole) // 2, len(whole), 500):
        whole[at] ^= 1
    log.write_bytes(whole)
    station, page = start(team), Page(team.page)
    told = team.wait_until(lambda: page.has_event("damaged"), PATIENCE_S)
    case("a damaged store is told to the operator, not to the log alone", told, (page.events, station.log.lines))
    page.close()
    station.end()


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-station-"))
    team = Team(sys.argv[1], folder, robots=1)
    config = folder / "station.yaml"
    config.write_text(config.read_text().replace("sim: sim\n", ""))
    two_stations(team)
    without_its_port(team)
    for_other_machines(team)
    who_came_and_what_they_asked(team)
    a_damaged_store(team)
    if tap.failures == 0:
        shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    main()
