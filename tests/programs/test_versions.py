#!/usr/bin/env python3
"""Programs of different versions meet: what each says of the other, in words and once. Prints TAP.

usage: test_versions.py BUILD
"""
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from tap import case, end  # noqa: E402
from team import PATIENCE_S, Team  # noqa: E402

STATION_OLDER = r"something in emu1's name, unproven, speaks version 2 of the radio protocol, this station version 1: if emu1 does not join"
STATION_KNOWS_NOT = r"emu1 says things that this station does not understand \(message 127\): update the station"
ROBOT_OLDER = r"something in the station's name, unproven, speaks version 2 of the radio protocol, this robot version 1: if they do not meet"
ROBOT_KNOWS_NOT = r"the station says things that this robot does not understand \(message 127\): update the robot"
STATE_OTHER = r"what was kept in `state` is of another version of cairn"
REFLEX_OTHER = r"reflex\.setup: is a setup of version {}, and this cairn-reflex is of another build \(it knows version {}\): install"


def packet(version, robot):
    """Of a version that is not there yet: the first two bytes are all that is agreed."""
    return bytes([version << 4 | 1, robot]) + bytes(46)


def said(log, words):
    with log.news:
        return sum(1 for line in log.lines if re.search(words, line))


def strange_radio(build, role, team, address):
    return subprocess.run([build / "tests/programs/strange_radio", role, team.folder / "keys", "emu1", address],
                          capture_output=True, text=True)


class FakeStation:
    """Hears a robot, and answers everything in version 2."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.2)
        self.port, self.over, self.heard = self.socket.getsockname()[1], False, 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over:
            try:
                data, robot = self.socket.recvfrom(2048)
            except socket.timeout:
                continue
            self.heard += 1
            self.socket.sendto(packet(2, data[1]), robot)
            self.socket.sendto(packet(2, 99), robot)  # for somebody else: nothing is said of it

    def close(self):
        self.over = True
        self.thread.join()
        self.socket.close()


def station(build, team):
    """Whoever speaks in a robot's name: its version is told before anything is proven, and so is what it says."""
    log, address = team.station.log, re.search(r"listen: (\S+)", (team.folder / "station.yaml").read_text())[1]
    host, port = address.split(":")
    team.station.start()
    if not team.wait_until(lambda: said(log, "operator's page|no web server"), PATIENCE_S) or said(log, "no web server"):
        case("a station starts, or this build has no page", said(log, "no web server"), log.lines)
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        told = None
        for _ in range(PATIENCE_S):
            other.sendto(packet(2, 1), (host, int(port)))
            told = log.wait(STATION_OLDER, 0, 1)
            if told:
                break
        case("a station says that a robot speaks another version", told, log.lines)
        case("that is a warning", told and "WARN" in told[1], told)
        done = strange_radio(build, "robot", team, address)
        case("a message of an unknown kind is acknowledged by the station", done.stdout == "acknowledged\n", done)
        case("and told, once the robot has proved who it is", log.wait(STATION_KNOWS_NOT, 0, PATIENCE_S), log.lines)
        for _ in range(50):
            other.sendto(packet(2, 1), (host, int(port)))
    done = strange_radio(build, "robot", team, address)
    case("a robot that was started again is taken, too", done.stdout == "acknowledged\n", done)
    case("each is told once, whatever comes later", said(log, STATION_OLDER) == 1 and said(log, STATION_KNOWS_NOT) == 1, log.lines)
    team.station.end()


def robot(build, team, fake):
    """A robot whose station answers in another version, and then in its own with words that it does not know."""
    robot, log = team.robots["emu1"], team.robots["emu1"].log
    robot.start()
    told = log.wait(ROBOT_OLDER, 0, PATIENCE_S)
    case("a robot says that its station speaks another version", told and "WARN" in told[1], log.lines)
    heard = fake.heard
    case("it goes on greeting", team.wait_until(lambda: fake.heard > heard + 5, PATIENCE_S), log.lines)
    fake.close()
    done = strange_radio(build, "station", team, f"127.0.0.1:{fake.port}")
    case("a message of an unknown kind is acknowledged by the robot", done.stdout == "acknowledged\n", done)
    case("and told", log.wait(ROBOT_KNOWS_NOT, 0, PATIENCE_S), log.lines)
    case("each is told once", said(log, ROBOT_OLDER) == 1 and said(log, ROBOT_KNOWS_NOT) == 1, log.lines)


def state(team):
    """What an older or newer cairn left in the robot's state folder, and a reflex that does not fit its supervisor."""
    robot, log, folder = team.robots["emu1"], team.robots["emu1"].log, team.folder / "state/emu1"
    robot.end()
    case("a robot goes on with the state of its own version", said(log, STATE_OTHER) == 0, log.lines)
    for name, change in (("checkpoint", lambda data: data[:4] + struct.pack("<I", 2) + data[8:]),
                         ("from_reflex", lambda data: data + bytes(64))):
        page, mark = folder / name, log.mark()
        page.write_bytes(change(page.read_bytes()))
        robot.start()
        case(f"a {name} of another version is left out, and told", log.wait(STATE_OTHER, mark, PATIENCE_S), log.lines)
        case("and the robot begins anew", log.wait("has a body; begins anew", mark, PATIENCE_S), log.lines)
        robot.end()
    setup = folder / "reflex.setup"
    data = setup.read_bytes()
    ours = struct.unpack("<I", data[:4])[0]
    newer = struct.pack("<I", ours + 1) + data[4:]
    for name, other in (("version", newer), ("length", newer[:-100])):
        setup.write_bytes(other)
        done = subprocess.run([team.cairn.parent / "cairn-reflex", setup], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        case(f"cairn-reflex refuses the setup of another version, by its {name}", done.returncode == 1
             and re.search(REFLEX_OTHER.format(ours + 1, ours), done.stderr), done)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="cairn-versions-") as folder:
        team, fake = Team(build, folder, robots=1), FakeStation()
        config = team.folder / "emu1.yaml"
        config.write_text(re.sub(r"station: \S+", f"station: 127.0.0.1:{fake.port}", config.read_text()))
        team.sim.start()
        try:
            station(build, team)
            robot(build, team, fake)
            state(team)
        finally:
            fake.close()
            team.end()
    end()


main()
