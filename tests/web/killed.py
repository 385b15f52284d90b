#!/usr/bin/env python3
"""The operator's page in a headless browser while `cairn station` is killed and started again. TAP on standard output.

usage: killed.py BUILD NODE [options of page.mjs]

SIGHUP kills the station and starts it again; page.mjs asks for it.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "programs"))
from page import Page  # noqa: E402
from team import Team  # noqa: E402


def main():
    with tempfile.TemporaryDirectory(prefix="cairn-killed-") as folder:
        team = Team(sys.argv[1], folder, robots=2)

        def kill_station(*_):
            team.station.kill()
            team.station.start()
        signal.signal(signal.SIGHUP, kill_station)
        team.start()
        try:
            team.station.log.wait("operator's page")
            page = Page(team.page)
            team.wait_until(lambda: len(page.robots) == len(team.names))
            team.set_going(page)
            page.close()
            done = subprocess.run([sys.argv[2], HERE / "page.mjs", f"http://127.0.0.1:{team.page}/", "--killed",
                                   "--restart", f"kill -HUP {os.getpid()}", *sys.argv[3:]])
        finally:
            team.end()
        if done.returncode != 0:
            print("\n".join(f"# {line}" for line in team.station.log.lines[-40:]))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
