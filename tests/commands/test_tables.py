#!/usr/bin/env python3
"""The tables of docs/FAILURES.md and docs/LIMITS.md: true now, and a lie would be noticed. Prints TAP."""
import pathlib
import sys

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tools"))

import failures  # pylint: disable=wrong-import-position
import limits  # pylint: disable=wrong-import-position


def row(value, name, file):
    return limits.check_row({"value": value, "name": name, "file": file})


case("docs/LIMITS.md is true", limits.check() == [], limits.check())
for value, name, file in (("31", "CAIRN_FLEET_MAX", "src/station/fleet.h"),
                          ("301 ms", "CAIRN_COMMAND_AGE_NS_MAX", "src/robot/reflex/reflex.h"),
                          ("8 kB", "CAIRN_LINK_MESSAGE_BYTES_MAX", "src/link/link.h"),
                          ("1201 bytes", ".mtu_bytes", "src/link/link.c"),
                          ("11 m/s", '"speed_mps_max"', "src/body/description_io.c"),
                          ("200 s", "watchdog_ms:", "robots/emu.yaml"),
                          ("many", "CAIRN_FLEET_MAX", "src/station/fleet.h"),
                          ("30", "CAIRN_FLEET_LEAST", "src/station/fleet.h"),
                          ("30", "CAIRN_FLEET_MAX", "src/station/flet.h")):
    case(f"{name} is not {value} in {file}", row(value, name, file) is not None, "taken for true")

BLOCKS = failures.read_blocks(failures.DEFINITION.read_text())
case("docs/FAILURES.md is up to date and its tests exist", failures.check() == [], failures.check())
# Put together here, so that this file does not have them.
NOWHERE, PART = "_".join(("no", "such", "test")), "_".join(("silent", "robot", "is", "lost"))


def missing(test):
    return failures.missing_tests([*BLOCKS, ("failure", "x", {"test": test})])


case("a test that does not exist is named", missing(NOWHERE) == [NOWHERE], missing(NOWHERE))
case("part of a name is no name", missing(PART) == [PART], missing(PART))
case("what has no test counts as such", failures.page([*BLOCKS, ("failure", "x", {
    "noticed": "x", "outcome": "x", "told": "x", "test": "none yet"})]) != failures.page(BLOCKS), "")
for text, why in (("failure: x\n  noticed: y\n", "a missing field"), ("fault: x\n", "an unknown word"),
                  ("  noticed: y\n", "a field of nothing")):
    try:
        failures.read_blocks(text)
        told = ""
    except SystemExit as said:
        told = str(said)
    case(f"{why} is told", "failures.def" in told, told)
end()
