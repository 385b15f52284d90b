#!/usr/bin/env python3
"""Makes docs/FAILURES.md and the table in docs/SAFETY.md from docs/failures.def and the table of guards in src/robot/reflex/guards.c.

usage: failures.py [--check]

--check writes nothing: it says whether the page is up to date, and which named tests do not exist.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
DEFINITION, PAGE = TOP / "docs" / "failures.def", TOP / "docs" / "FAILURES.md"
SAFETY = TOP / "docs" / "SAFETY.md"
SAFETY_MARKS = "<!-- guards: made by tools/failures.py -->\n", "<!-- end of guards -->\n"
GUARDS = TOP / "src" / "robot" / "reflex" / "guards.c"
FIELDS = {"failure": ("noticed", "outcome", "told", "test"), "cause": ("words", "lets go", "hazard", "needs", "without", "residual", "test"), "group": ()}
ROW = re.compile(r"\{CAIRN_GUARD_(\w+),\s*(\w+),\s*CAIRN_HALT_(\w+),\s*(\w+),\s*([^,]+),\s*([^,}]+)\}")
HALTS = {"BRAKE": "brake with all the torque there is, then hold", "STOP": "stop within what wheels grip, then hold",
         "limit_by_touch": "limit: no motion into the touch, slow along it",
         "limit_by_near": "limit: slower along the same arc, down to creeping",
         "limit_by_drop": "limit: slower along the same arc, down to standing; creeping where no eyes see ground",
         "limit_by_tip": "limit: gains no speed, and loses it within its own acceleration, down to creeping",
         "limit_by_spin": "limit: no motion the way that spins; every other",
         "limit_by_area": "limit: slower along the same arc, down to standing; outside it creeps back or turns slowly"}
NONE_YET = "none yet"


def read_blocks(text):
    """Blocks in their order: (kind, title, {field: text}). A line that begins no field goes on with the one before."""
    blocks, field = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not line.startswith(" "):
            if key not in FIELDS or not value:
                raise SystemExit(f"{DEFINITION}:{number}: expected one of {', '.join(FIELDS)}, with a colon and words")
            blocks.append((key, value, {}))
            field = None
        elif blocks and colon and key in FIELDS[blocks[-1][0]] and key not in blocks[-1][2]:
            field = key
            blocks[-1][2][field] = value
        elif field:
            blocks[-1][2][field] += " " + line.strip()
        else:
            raise SystemExit(f"{DEFINITION}:{number}: belongs to no field")
    for kind, title, fields in blocks:
        missing = [name for name in FIELDS[kind] if not fields.get(name)]
        if missing:
            raise SystemExit(f"{DEFINITION}: {kind} '{title}' lacks {', '.join(missing)}")
    return blocks


def tests_of(fields):
    return [] if fields["test"] == NONE_YET else [test.strip() for test in fields["test"].split(";")]


def test_cell(fields):
    names = [f"`{test}`" if re.fullmatch(r"\w+", test) else test for test in tests_of(fields)]
    return "<br>".join(names) or NONE_YET


def milliseconds(text):
    """'CAIRN_MS(40)' or '0', in words."""
    found = re.fullmatch(r"CAIRN_MS\((\d+)\)", text.strip())
    if not found and text.strip() != "0":
        raise SystemExit(f"{GUARDS}: '{text}' is no time that failures.py knows")
    return f"{found.group(1)} ms" if found else "at once"


def table_rows(causes):
    """Of the table in guards.c: (guard, cause, halt, limit, act after, let go after)."""
    table = GUARDS.read_text().split("} table[] = {", 1)[1].split("\n};", 1)[0]
    rows = ROW.findall(table)
    if {row[1] for row in rows} != set(causes):
        raise SystemExit(f"{DEFINITION}: causes {sorted(causes)} are not those of {GUARDS}: {sorted(r[1] for r in rows)}")
    return rows


def lets_go_of(fields, let_go_after):
    wait = milliseconds(let_go_after)
    return fields["lets go"] + ("" if wait == "at once" else f", for {wait}")


def guard_rows(causes):
    for guard, cause, halt, limit, act_after, let_go_after in table_rows(causes):
        fields = causes[cause]
        yield (f"`{guard.lower()}`", fields["words"], milliseconds(act_after), HALTS[limit if halt == "NONE" else halt],
               lets_go_of(fields, let_go_after), test_cell(fields))


def safety_page(blocks, text):
    """The page with its table made anew; the words around it are people's."""
    causes = {title: fields for kind, title, fields in blocks if kind == "cause"}
    before, begin, rest = text.partition(SAFETY_MARKS[0])
    _, end, after = rest.partition(SAFETY_MARKS[1])
    if not begin or not end:
        raise SystemExit(f"{SAFETY}: the marks around the table are missing")
    rows = [(causes[cause]["hazard"], f"`{guard.lower()}`", causes[cause]["needs"], causes[cause]["without"],
             lets_go_of(causes[cause], let_go_after), test_cell(causes[cause]), causes[cause]["residual"])
            for guard, cause, _, _, _, let_go_after in table_rows(causes)]
    heads = ("hazard", "guard", "sensors", "without them", "lets go", "tests", "what is left")
    return before + begin + table(heads, rows) + end + after


def table(heads, rows):
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def page(blocks):
    causes = {title: fields for kind, title, fields in blocks if kind == "cause"}
    failures = [(title, fields) for kind, title, fields in blocks if kind == "failure"]
    untested = sum(1 for _, fields in failures if not tests_of(fields))
    parts = ["# What happens when each thing fails\n",
             "Made by `tools/failures.py` from `docs/failures.def` and the guards' table in "
             "`src/robot/reflex/guards.c`: change those.\n`make lint` checks that every test named here exists. "
             f"{len(failures)} failures, {untested} of them without a test.\n",
             "## The guards\n",
             "They run in reflex, 125 times a second, and have the last word ([control.md](control.md)). What acts is shown "
             "in the robot's\nrow on the page.\n",
             table(("guard", "cause", "acts after", "effect", "lets go", "tests"), guard_rows(causes))]
    rows = []
    for kind, title, fields in blocks + [("group", "", {})]:
        if kind == "failure":
            rows.append((title, fields["noticed"], fields["outcome"], fields["told"], test_cell(fields)))
        elif kind == "group":
            if rows:
                parts.append(table(("what fails", "noticed", "outcome", "who is told", "tests"), rows))
                rows = []
            if title:
                parts.append(f"## {title}\n")
    return "\n".join(parts)


def has_phrase(text, phrase):
    """Not as a part of longer words at its ends."""
    at = text.find(phrase)
    while at >= 0:
        ends = text[max(at - 1, 0):at], text[at + len(phrase):at + len(phrase) + 1]
        if not any(re.match(r"\w", end) for end in ends):
            return True
        at = text.find(phrase, at + 1)
    return False


def missing_tests(blocks):
    """Named tests that no file of tests/ or web/test/ has: as a whole word, or as the words of a case."""
    files = [path for folder in (TOP / "tests", TOP / "web" / "test") for path in folder.rglob("*")
             if path.suffix in (".c", ".py", ".mjs", ".ts") and "node_modules" not in path.parts]
    everything = "\n".join(path.read_text(errors="replace") for path in files)
    named = {test for _, _, fields in blocks if "test" in fields for test in tests_of(fields)}
    words = set(re.findall(r"\w+", everything))  # asked once: a search for each name took twenty seconds
    return sorted(test for test in named if test not in words and not has_phrase(everything, test))


def check():
    """What is wrong, a line each; for lint.py."""
    blocks = read_blocks(DEFINITION.read_text())
    wrong = [f"docs/failures.def: there is no test '{test}'" for test in missing_tests(blocks)]
    if not PAGE.exists() or PAGE.read_text() != page(blocks):
        wrong.append("docs/FAILURES.md is not up to date: run tools/failures.py")
    if SAFETY.read_text() != safety_page(blocks, SAFETY.read_text()):
        wrong.append("docs/SAFETY.md is not up to date: run tools/failures.py")
    return wrong


def main(arguments):
    if arguments == ["--check"]:
        wrong = check()
        print("\n".join(wrong) if wrong else "failures: up to date")
        return 1 if wrong else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    blocks = read_blocks(DEFINITION.read_text())
    PAGE.write_text(page(blocks))
    SAFETY.write_text(safety_page(blocks, SAFETY.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
