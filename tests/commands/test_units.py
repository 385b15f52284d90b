#!/usr/bin/env python3
"""The services of deploy/systemd, as systemd itself reads them. Prints TAP.

usage: test_units.py CAIRN SYSTEMD_ANALYZE UNIT...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, end

CAIRN, ANALYZE, UNITS = sys.argv[1], sys.argv[2], [pathlib.Path(unit) for unit in sys.argv[3:]]


def verify(unit, text):
    """What systemd says of a unit; a template is read as one of its instances."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name) / unit.name.replace("@.", "@emu1.")
        place.write_text(text)
        done = subprocess.run([ANALYZE, "verify", "--man=no", place], capture_output=True, text=True)
        return [line for line in done.stderr.splitlines() if place.name in line]


for unit in UNITS:
    # What is installed need not be on this machine.
    text = re.sub(r"^ExecStart=\S+/cairn", f"ExecStart={CAIRN}", unit.read_text(), flags=re.M)
    said = verify(unit, text)
    case(f"{unit.name} has nothing that systemd does not know", not said, said)
    said = verify(unit, text.replace("[Service]", "[Service]\nRestartEver=yes"))
    case("and systemd would say so", any("RestartEver" in line for line in said), said)
    case(f"{unit.name} is started again, however often it fails",
         "Restart=always" in text and "StartLimitIntervalSec=0" in text, text)
    case(f"{unit.name} leaves no path of the build open", "@" not in re.sub(r"@system-service|robot@|^#.*$", "", text,
                                                                           flags=re.M), text)
end()
