"""A whole deployment for tests: `cairn sim`, three `cairn robot`, `cairn station`, each a process that can be killed.

All run in real time on the planar simulator, in a folder of their own and on ports of their own.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 300  # only ends a test that hangs: machines stall for half a minute, and nothing here measures real time
LINE = re.compile(r"^\s*([0-9]+\.[0-9]+) (DEBUG|INFO|WARN|ERROR|FATAL) ([^:]+): (.*)$")


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def here(folder):
    """Programs of this folder find each other, and nobody else's: `cairn stop` stops what runs here."""
    return {**os.environ, "CAIRN_RUN": str(pathlib.Path(folder) / "run")}


class Log:
    """What a program says, line by line, as it says it; kept over restarts."""

    def __init__(self, name):
        self.name, self.lines, self.news = name, [], threading.Condition()

    def follow(self, stream):
        def read():
            for raw in stream:
                with self.news:
                    self.lines.append(raw.rstrip("\n"))
                    self.news.notify_all()
        threading.Thread(target=read, daemon=True).start()

    def mark(self):
        with self.news:
            return len(self.lines)

    def wait(self, pattern, since=0, seconds=PATIENCE_S):
        """The first line after the mark that has the pattern: (simulated time, text); None after so long."""
        wanted, until = re.compile(pattern), time.monotonic() + seconds
        with self.news:
            at = since
            while True:
                while at < len(self.lines):
                    line, at = self.lines[at], at + 1
                    if wanted.search(line):
                        told = LINE.match(line)
                        return (float(told.group(1)) if told else None, line)
                left = until - time.monotonic()
                if left <= 0:
                    return None
                self.news.wait(left)


class Program:
    def __init__(self, name, arguments, folder):
        self.log, self.arguments, self.folder, self.process = Log(name), arguments, folder, None
        self.environment = here(folder)

    def start(self):
        self.process = subprocess.Popen([str(a) for a in self.arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, errors="replace", cwd=TOP,
                                        env=self.environment)
        self.log.follow(self.process.stdout)

    def signal(self, number):
        os.kill(self.process.pid, number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Team:
    def __init__(self, build, folder, robots=3, arena="arenas/office.yaml", starts=((6.4, 8.5), (6.4, 16.5), (6.4, 12.5)),
                 store_quota_mb=0):
        self.cairn, self.folder = pathlib.Path(build).resolve() / "cairn", pathlib.Path(folder)
        self.watch_robot = pathlib.Path(build).resolve() / "tests/programs/watch_robot"
        air, listen = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
        self.page = free_port(socket.SOCK_STREAM)
        self.names = [f"emu{i + 1}" for i in range(robots)]
        self.write_files(air, listen, starts, store_quota_mb)
        files = [self.folder / f"{name}.yaml" for name in self.names]
        self.sim = Program("sim", [self.cairn, "sim", arena, *files, "--port", air, "--station", f"127.0.0.1:{listen}"],
                           folder)
        self.robots = {name: Program(name, [self.cairn, "robot", self.folder / f"{name}.yaml"], folder)
                       for name in self.names}
        self.station = Program("station", [self.cairn, "station", self.folder / "station.yaml"], folder)

    def write_files(self, air, listen, starts, store_quota_mb):
        entries = []
        for number, name in enumerate(self.names, 1):
            (self.folder / f"{name}.yaml").write_text(f"""version: 1
name: {name}
number: {number}
body: {TOP}/robots/emu.yaml
station: 127.0.0.1:{air}
keys: keys
state: state/{name}
sim: sim
journal: {{folder: journals, level: operations}}
""")
            x, y = starts[number - 1]
            entries.append(f"  - {{name: {name}, number: {number}, body: {TOP}/robots/emu.yaml, start_m: [{x}, {y}]}}")
            subprocess.run([self.cairn, "keys", "make", name, "--robot", str(number), "--folder", self.folder / "keys"],
                           check=True, stdout=subprocess.DEVNULL)
        (self.folder / "station.yaml").write_text(f"""version: 1
name: test
listen: 127.0.0.1:{listen}
page: {{port: {self.page}}}
store: {{file: station.db, quota_mb: {store_quota_mb}}}
keys: keys
sim: sim
journal: {{folder: journals, level: operations}}
robots:
""" + "\n".join(entries) + "\n")

    def programs(self):
        return [self.sim, *self.robots.values(), self.station]

    def start(self):
        for program in self.programs():
            program.start()

    def set_going(self, page):
        """As a person does: robots wait for an order."""
        for number in range(1, len(self.names) + 1):
            page.do(do="mode", robot=number, mode="autonomous")

    def end(self):
        for program in reversed(self.programs()):
            program.end()

    def look(self):
        """The truth, from the simulator's own file."""
        done = subprocess.run([self.cairn, "sim", "--look", self.folder / "sim"], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def now(self):
        truth = self.look()
        return truth["time_s"] if truth else None

    def truth_of(self, name):
        return next(robot for robot in self.look()["robots"] if robot["name"] == name)

    def children(self, name):
        """Pids of a robot's processes: {"reflex": pid, "mind": pid}."""
        parent, found = self.robots[name].process.pid, {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text()
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            fields = stat.rsplit(")", 1)[1].split()
            if int(fields[1]) != parent or fields[0] == "Z":
                continue
            found["reflex" if b"cairn-reflex" in words[0] else "mind"] = int(entry.name)
        return found

    def child(self, name, what):
        """The pid of one of them, once it is there: it may have just been started again."""
        return self.wait_until(lambda: self.children(name).get(what))

    def wait_until(self, what, seconds=PATIENCE_S, pause=0.05):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            value = what()
            if value:
                return value
            time.sleep(pause)
        return None
