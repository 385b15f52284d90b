#!/usr/bin/env python3
"""What `cairn doctor` finds on machines that lack something, and what it tells people to do. Prints TAP.

usage: test_doctor.py CAIRN
"""
import json
import os
import pathlib
import random
import resource
import socket
import subprocess
import sys
import tempfile

from tap import case, end

CHECKS = {"cairn", "speaks", "libraries", "processors", "instructions", "frequency", "memory", "kernel", "seccomp",
          "physics", "clock source", "timer", "date and time", "SCHED_FIFO", "locked memory", "real time", "wake-ups",
          "disk", "disk speed", "shared pages", "station port", "simulator port", "page port"}
NOBODY = 65534


def doctor(*arguments, **process):
    """Exit status and the findings by name. Ports that nobody has, unless told otherwise."""
    done = subprocess.run([sys.argv[1], "doctor", "--json", *map(str, arguments)], capture_output=True, text=True,
                          **process)
    return done.returncode, {one["check"]: one for one in map(json.loads, done.stdout.splitlines())}


def without_rights():
    """For preexec_fn: an ordinary user's limits, whoever runs the test."""
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def taken_port(kind):
    """A socket, and the port that it holds: none of those that the kernel gives to whoever asks for any."""
    taken = socket.socket(socket.AF_INET, kind)
    while True:
        try:
            taken.bind(("127.0.0.1", random.randrange(20000, 30000)))
            break
        except OSError:
            pass
    if kind == socket.SOCK_STREAM:
        taken.listen()
    return taken, taken.getsockname()[1]


def everything(folder):
    status, found = doctor(folder)
    case("every thing is looked at", set(found) == CHECKS, set(found) ^ CHECKS)
    case("whatever is not fine comes with what to do, and nothing else does",
         all((one["verdict"] == "ok") == (one["to_do"] is None) for one in found.values()), found)
    case("exit status 1 means that there is a problem",
         status == any(one["verdict"] == "problem" for one in found.values()), (status, found))
    text = subprocess.run([sys.argv[1], "doctor", folder], capture_output=True, text=True)
    marks = [line.split()[0] for line in text.stdout.splitlines() if line and not line.startswith(" ")]
    case("people get a line a check with OK, note or PROBLEM first, and a verdict in the end",
         set(marks[:-1]) <= {"OK", "note", "PROBLEM"} and len(marks) == len(CHECKS) + 1 and
         marks[-1] in ("Fit.", "Not"), text.stdout)
    case("nothing stays behind", not list(folder.iterdir()), list(folder.iterdir()))


def rights(folder):
    folder.chmod(0o777)
    _, found = doctor(folder, preexec_fn=without_rights)
    case("missing rights are notes on any machine",
         [found[name]["verdict"] for name in ("SCHED_FIFO", "locked memory", "real time")] == ["note"] * 3, found)
    status, found = doctor(folder, "--for", "robot", preexec_fn=without_rights)
    case("and problems on a robot", status == 1 and
         [found[name]["verdict"] for name in ("SCHED_FIFO", "locked memory", "real time")] == ["problem"] * 3, found)
    case("with the limit that rules and the file to edit",
         "rtprio 0" in found["SCHED_FIFO"]["found"] and "64 kB" in found["locked memory"]["found"] and
         all("/etc/security/limits.d/" in found[name]["to_do"] for name in ("SCHED_FIFO", "locked memory")), found)


def robot_files(folder):
    robots = pathlib.Path(__file__).resolve().parents[2] / "robots"
    _, found = doctor(folder, "--robot", robots / "emu.yaml")
    case("a robot that sees the ground is fine", found["ground"]["verdict"] == "ok", found["ground"])
    _, found = doctor(folder, "--robot", robots / "rover.yaml")
    case("one that does not, and accepts it, is noted", found["ground"]["verdict"] == "note", found["ground"])
    blind = folder / "blind.yaml"
    text = (robots / "rover.yaml").read_text().replace("accept_unseen_ground: true", "accept_unseen_ground: false")
    blind.write_text(text.replace("urdf/rover.urdf", str(robots / "urdf" / "rover.urdf")))
    status, found = doctor(folder, "--robot", blind)
    blind.unlink()
    case("one that does not, and does not accept it, is a problem",
         status == 1 and found["ground"]["verdict"] == "problem", found)


def ports(folder):
    for option, check, kind, word in (("--station-port", "station port", socket.SOCK_DGRAM, "udp"),
                                      ("--sim-port", "simulator port", socket.SOCK_DGRAM, "udp"),
                                      ("--page-port", "page port", socket.SOCK_STREAM, "tcp")):
        taken, port = taken_port(kind)
        with taken:
            _, found = doctor(folder, option, port)
        one = found[check]
        case(f"a {check} that is taken is told with its owner", one["verdict"] == "note" and
             f"{port}/{word} is taken by" in one["found"] and f"(process {os.getpid()})" in one["found"], one)
        _, found = doctor(folder, option, port)
        case(f"a {check} that is free again is fine", found[check]["verdict"] == "ok", found[check])
    taken, port = taken_port(socket.SOCK_DGRAM)
    with taken:
        status, found = doctor(folder, "--for", "station", "--station-port", port)
        case("a station cannot do without its port",
             status == 1 and found["station port"]["verdict"] == "problem", found)
        _, found = doctor(folder, "--for", "robot", "--station-port", port)
        case("a robot can", found["station port"]["verdict"] == "note", found)


def folders(folder):
    status, found = doctor(folder / "none")
    case("a folder that is not there is a problem, with how to make it",
         status == 1 and f"mkdir -p {folder}/none" in found["disk"]["to_do"], found)
    plain = folder / "plain"
    plain.write_text("")
    status, found = doctor(plain)
    case("so is a file in place of a folder", status == 1 and found["disk"]["verdict"] == "problem", found)
    plain.unlink()
    closed = folder / "closed"
    closed.mkdir(mode=0o755)
    os.chmod(closed, 0o555)
    status, found = doctor(closed, preexec_fn=without_rights)
    case("and one that may not be written to", status == 1 and found["disk speed"]["verdict"] == "problem" and
         "Permission denied" in found["disk speed"]["found"], found)
    _, found = doctor(folder, env={**os.environ, "XDG_RUNTIME_DIR": str(closed / "none")})
    case("pages that cannot be shared are told with their folder",
         found["shared pages"]["verdict"] == "note" and f"{closed}/none" in found["shared pages"]["found"], found)
    memory = pathlib.Path("/dev/shm")
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(memory)], capture_output=True, text=True).stdout.strip()
    if kind == "tmpfs":
        status, found = doctor(memory, "--for", "station")
        case("a station's store in memory is a problem", status == 1 and "gone with the power" in found["disk"]["to_do"],
             found)


def wrong_words():
    for words, said in ((["--for", "king"], "robot, station or sim"), (["--page-port", "0"], "1 to 65535"),
                        (["a", "b"], "one word too many")):
        done = subprocess.run([sys.argv[1], "doctor", *words], capture_output=True, text=True)
        case(f"cairn doctor {' '.join(words)} is wrong usage", done.returncode == 2 and said in done.stderr, done)


with tempfile.TemporaryDirectory() as name:
    for part in (everything, rights, robot_files, ports, folders):
        place = pathlib.Path(name) / part.__name__
        os.chmod(name, 0o755)
        place.mkdir()
        part(place)
wrong_words()
end()
