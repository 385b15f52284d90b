#!/usr/bin/env python3
"""The report of a mission: well-formed, whole, without network, and with the figures of score.json.

report.py CAIRN [SOURCE_ROOT]
"""
import base64
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

CAIRN = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve()
H = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'a<b>"&\'</td>'  # a robot's name is whatever people write

MISSION = f"""
name: "maze </title><script>"
arena: {ROOT}/arenas/maze.yaml
physics: planar
phases: [{{name: first, for_s: 12}}, {{name: "second & last", for_s: 18}}]
end_when_done: false
home_at_s: 25
robots:
  - file: {ROOT}/robots/emu.yaml
  - {{file: {ROOT}/robots/emu.yaml, name: {json.dumps(NASTY)}}}
events:
  - {{at_s: 5, do: fail, robot: emu1, sensor: laser, for_s: 2}}
  - {{at_s: 10, do: reboot, for_s: 5}}
  - {{at_s: 20, do: kill, robot: {json.dumps(NASTY)}}}
"""


def run(folder):
    (folder / "mission.yaml").write_text(MISSION)
    out = folder / "out"
    command = [CAIRN, "mission", "run", str(folder / "mission.yaml"), "--seed", "3", "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


def at(score, key):
    for part in key.split("."):
        score = score[int(part)] if isinstance(score, list) else score[part]
    return score


def shown(element):
    """The number that an element shows first; its digits after the point tell how exact it is."""
    word = "".join(element.itertext()).split()[0]
    digits = len(word.split(".")[1]) if "." in word else 0
    return float(word), 0.5 * 10.0 ** -digits


def check_figures(page, score):
    """Every figure that names its key is that of score.json, as far as it is shown."""
    checked = 0
    scale = {"explored_fraction": 100, "map_wall_rms_m": 1000}
    for element in page.iter():
        key = element.get("data-key")
        if key is None or key.split(".")[0] in ("position_error_m", "found_s", "error_m", "lost", "hash"):
            continue
        value, half = shown(element)
        expected = at(score, key) * scale.get(key, 1)
        assert abs(value - expected) <= half + 0.006, (key, value, expected)
        checked += 1
    assert checked >= 25, checked


def check_plots(page, score):
    plots = {svg.get("id"): svg for svg in page.iter(SVG + "svg")}
    assert set(plots) == {"plot-area", "plot-victims", "plot-radio", "plot-modes", "plot-distance"}, set(plots)
    last = {name: float(svg.get("data-last")) for name, svg in plots.items()}
    assert abs(last["plot-area"] - score["explored_fraction"]) < 1e-4
    assert last["plot-victims"] == score["victims"]["found"]
    assert abs(last["plot-radio"] - score["radio"]["kbit_per_s"]) < 0.01
    for name, svg in plots.items():
        words = ["".join(text.itertext()) for text in svg.iter(SVG + "text")]
        marks = [text.text for text in svg.iter(SVG + "text") if text.get("class") == "mark"]
        assert marks == ["1", "2", "3", "4", "5"], (name, marks)
        assert "time [s]" in words and "first" in words and "second & last" in words, (name, words)
        assert sum(len(path.get("d")) for path in svg.iter(SVG + "path")) > 100, name
    for text in plots["plot-area"].iter(SVG + "text"):
        assert -1 <= float(text.get("x")) <= 721


def check_tables(page, score):
    tables = {table.get("id"): table for table in page.iter(H + "table")}
    assert set(tables) >= {"robocup", "magic", "subt", "phases", "robots", "victims", "events"}, set(tables)
    rows = {name: [["".join(cell.itertext()) for cell in row] for row in table.find(H + "tbody")]
            for name, table in tables.items()}
    assert [row[0] for row in rows["robots"]] == ["emu1", NASTY]
    assert rows["robots"][1][-1].startswith("dead at 20")
    assert [row[2] for row in rows["events"]] == [event["what"] for event in score["events"]]
    assert len(rows["victims"]) == score["victims"]["total"]
    assert [row[0] for row in rows["phases"]] == ["first", "second & last"]


def check_network(text, page):
    """Nothing is fetched: the only addresses are names of XML and the picture itself."""
    for word in ("http://", "https://", "//", "url(", "@import", "<script", "<link"):
        rest = text.replace("http://www.w3.org/1999/xhtml", "").replace("http://www.w3.org/2000/svg", "")
        start = rest.find("data:image")
        rest = rest[:start] + rest[rest.find('"', start):]
        assert word not in rest, word
    picture = page.find(f".//{H}img").get("src").removeprefix("data:image/png;base64,")
    return base64.b64decode(picture, validate=True)


def check_series(out, score):
    with open(out / "series.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["t_s"]) for row in rows] == [2.0 * i for i in range(16)]
    assert abs(float(rows[-1]["explored_fraction"]) - score["explored_fraction"]) < 1e-4
    assert rows[6]["station"] == "down" and rows[3]["station"] == "up"
    assert rows[-1][NASTY + ".state"] == "dead" and rows[-1]["emu1.state"] == "well"
    spent_kbit = sum(2 * float(row["radio_kbit_per_s"]) for row in rows)
    assert math.isclose(spent_kbit, 8e-3 * score["radio"]["bytes"], rel_tol=0.02), spent_kbit


def main():
    with tempfile.TemporaryDirectory() as name:
        out = run(pathlib.Path(name))
        score = json.loads((out / "score.json").read_text())
        text = (out / "report.html").read_text()
        page = xml.fromstring(text)  # fails on anything that is not well-formed
        check_figures(page, score)
        check_plots(page, score)
        check_tables(page, score)
        assert check_network(text, page) == (out / "map.png").read_bytes()
        check_series(out, score)
        assert sorted(path.name for path in out.glob("map_*.tif")) == ["map_a_b______td_-2.tif", "map_emu1.tif"]
        assert "--seed 3 --physics planar" in page.find(f".//{H}pre[@id='command']").text
        assert score["hash"] in text
        again = run(pathlib.Path(name))
        assert (again / "report.html").read_text() == text, "the same seed gives the same page"
    print("ok 1 - the report is well-formed, whole and true")
    print("1..1")


main()
