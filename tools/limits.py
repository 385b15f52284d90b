#!/usr/bin/env python3
"""Checks docs/LIMITS.md: every constant that it names exists in the file that it names, with the value that it states.

usage: limits.py

A row ends in a name and a file. The name is that of a macro or enumerator (`CAIRN_FLEET_MAX`), of a default in a def
(`.mtu_bytes`), of a field of a config file with its upper bound (`"speed_mps_max"`), or of a key of a YAML file
(`watchdog_ms:`).
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs" / "LIMITS.md"
ROW = re.compile(r"^\|[^|]*\|\s*(?P<value>[^|]*?)\s*\|[^|]*\|\s*`(?P<name>[^`]+)`\s*\|\s*`(?P<file>[^`]+)`\s*\|$")
# In nanoseconds and bytes; whatever has another unit is a plain number.
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
SIZES = {"B": 1, "bytes": 1, "kB": 1e3, "KiB": 1 << 10, "MiB": 1 << 20}
NUMBER = r"[0-9][0-9.]*(?:[eE][0-9]+)?"


def stated(text):
    """The number at the beginning of a cell, in nanoseconds or bytes if it has such a unit; None if there is none."""
    found = re.match(rf"({NUMBER}(?: [0-9]{{3}})*)\s*([A-Za-z/]*)", text)
    if not found:
        return None
    return float(found.group(1).replace(" ", "")) * {**TIMES, **SIZES}.get(found.group(2), 1)


def definition(name, text):
    """The expression that gives a name its value in this text; None if there is none."""
    if name.endswith(":"):
        found = re.search(rf"^\s*{re.escape(name)}\s*({NUMBER})", text, re.M)
    elif name.startswith('"'):
        found = re.search(rf'{re.escape(name)},\s*"[^"]*",\s*[^,]+,\s*([^,]+?)[,)]', text)
    elif name.startswith("."):
        found = re.search(rf"{re.escape(name)} = ([^,}}]+)", text)
    else:
        found = (re.search(rf"^#define {name}\s+(.+?)\s*(?://.*)?$", text, re.M) or
                 re.search(rf"\b{name} = ([^,}}]+)", text))
    return found.group(1).strip() if found else None


def value(expression, text):
    """What an expression of the C in these files is: numbers, sums, products, shifts, and names from the same file."""
    plain = re.sub(r"\((?:size_t|u?int\d+_t)\)", "", expression)
    plain = re.sub(r"CAIRN_MS\(([^)]*)\)", r"(\1*10**6)", plain)
    plain = re.sub(r"CAIRN_S\(([^)]*)\)", r"(\1*10**9)", plain)
    plain = re.sub(rf"\b({NUMBER})[uUlLf]+\b", r"\1", plain)
    for name in set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", plain)):
        inner = definition(name, text)
        if inner is None:
            raise ValueError(f"'{name}' is not in the same file")
        plain = re.sub(rf"\b{name}\b", f"({value(inner, text)})", plain)
    if not re.fullmatch(r"[0-9eE.+*/<()\s-]+", plain):
        raise ValueError(f"'{expression}' is more than limits.py can work out")
    return eval(plain, {"__builtins__": {}})  # pylint: disable=eval-used; nothing but numbers is left


def check_row(row):
    path = TOP / row["file"]
    if not path.is_file():
        return f"there is no {row['file']}"
    text, name, wanted = path.read_text(), row["name"], stated(row["value"])
    expression = definition(name, text)
    if wanted is None:
        return f"`{name}`: '{row['value']}' does not begin with a number"
    if expression is None:
        return f"`{name}` is not in {row['file']}"
    try:
        found = value(expression, text)
    except (ValueError, SyntaxError) as problem:
        return f"`{name}`: {problem}"
    unit = re.search(r"(?<!per)_(ms|s)(?:_|:|$)", name.lower().replace('"', ""))
    found *= TIMES[unit.group(1)] if unit else 1
    if abs(found - wanted) > 1e-9 * max(abs(found), 1):
        return f"`{name}` is {expression} in {row['file']}, not {row['value']}"
    return None


def check():
    """What is wrong, a line each; for lint.py."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|") and "`" in line]
    rows = [ROW.match(line) for line in lines]
    wrong = [f"docs/LIMITS.md: cannot be read: {line}" for line, row in zip(lines, rows) if not row]
    problems = [check_row(row) for row in rows if row]
    wrong += [f"docs/LIMITS.md: {problem}" for problem in problems if problem]
    return wrong if rows else ["docs/LIMITS.md: has no rows"]


if __name__ == "__main__":
    trouble = check()
    print("\n".join(trouble) if trouble else "limits: all as stated")
    sys.exit(1 if trouble else 0)
