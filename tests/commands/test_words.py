#!/usr/bin/env python3
"""What `cairn` says to people: help with examples, errors with file and line, exit status 0, 1 or 2. Prints TAP.

usage: test_words.py CAIRN
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from tap import case, end

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MAZE = "missions/maze.yaml"


def run(*arguments):
    return subprocess.run([sys.argv[1], *map(str, arguments)], cwd=TOP, capture_output=True, text=True)


def says(name, status, words, *arguments):
    """The command ends with this status and says all of these words on stderr."""
    done = run(*arguments)
    case(name, done.returncode == status and all(word in done.stderr for word in words), done)


def helps():
    for words in (["mission"], ["mission", "run"], ["arena"], ["arena", "list"], ["arena", "check"],
                  ["arena", "render"], ["arena", "import"], ["arena", "new"], ["keys"], ["keys", "make"], ["keys", "list"], ["keys", "revoke"], ["replay"], ["bench"],
                  ["robot"], ["station"], ["stop"], ["sim"], ["store"], ["doctor"], ["version"], []):
        done = run(*words, "--help")
        good = done.returncode == 0 and "usage: cairn " + " ".join(words[:1]) in done.stdout
        case(f"cairn {' '.join([*words, '--help'])} has an example and tells the exit status",
             good and "Example" in done.stdout and "Exit status: 0" in done.stdout, done)


def usage_errors():
    says("without a command there is wrong usage", 2, ["usage: cairn COMMAND"])
    says("an unknown command is named", 2, ["no command 'fly'", "cairn --help"], "fly")
    says("an unknown subcommand is named", 2, ["no 'walk'", "expected run"], "mission", "walk")
    says("an unknown option is named", 2, ["no option '--fast'"], "mission", "run", MAZE, "--fast")
    says("a number is told its range", 2, ["--seed", "0 to 9000000000000000", "'x'"], "mission", "run", MAZE, "--seed", "x")
    says("an empty value is no value", 2, ["--out wants a value"], "mission", "run", MAZE, "--out", "")
    says("a short option is named as it was written", 2, ["-o wants a value"], "arena", "render", "x.yaml", "-o")
    says("what a picture of the radio needs is refused without one", 2, ["want --radio"], "arena", "render", "x.yaml",
         "--from", "3,4")
    for place in ("3", "3;4", "3,4,5", "nan,1", "a,b", "3,99999"):
        says(f"{place} is no place to send from", 2, ["--from wants a place", "3.5,12"], "arena", "render", "x.yaml",
             "--radio", "--from", place)
    for option, value, reason in (("--view", "sphere", "plan, 3d or both"), ("--size", "10x10", "64 to 8192"),
                                  ("--size", "800x600x", "like 1600x1000"), ("--from", "0,91", "5 to 90"),
                                  ("--from", "0", "5 to 90"), ("--scale", "20", "--view 3d wants --size")):
        says(f"{option} {value} is no view in space", 2, [reason], "arena", "render", "x.yaml", "--view", "3d", option, value)
    says("a plan has no size and no cut", 2, ["want --view 3d"], "arena", "render", "x.yaml", "--cut-above", "2")
    says("the radio is drawn on the plan", 2, ["--radio draws on the plan"], "arena", "render", "x.yaml", "--radio",
         "--view", "3d")
    says("an import without a place to write to is refused", 2, ["-o is missing"], "arena", "import", "x.yaml")
    says("an import with two scales is refused", 2, ["--cell and --width"], "arena", "import", "x.pgm", "-o", "y.yaml",
         "--cell", "0.1", "--width", "20")
    says("an arena's name is one word", 2, ["--name wants one word", "'a b'"], "arena", "import", "x.pgm", "-o", "y.yaml",
         "--name", "a b")
    says("an unknown physics is refused with the known ones", 2, ["planar or mujoco"], "mission", "run", MAZE,
         "--physics", "string")
    says("options that need a channel are refused without one", 2, ["--channel"], "replay", "x.mcap", "--limit", "3")
    says("a time that ends before it begins is refused", 2, ["--from 3 is later"], "replay", "x.mcap", "--channel", "/a",
         "--from", "3", "--to", "1")


def wrong_programs(folder):
    robot = (TOP / "deploy/office/emu1.yaml").read_text().replace("../../", f"{TOP}/")
    station = (TOP / "deploy/office/station.yaml").read_text().replace("../../", f"{TOP}/")
    files = {name: folder / f"{name}.yaml" for name in ("good", "name", "number", "body", "later", "twins", "sunk", "team")}
    files["good"].write_text(robot)
    files["name"].write_text(robot.replace("name: emu1", "name: ../emu1"))
    files["number"].write_text(robot.replace("number: 1 ", "number: 300 "))
    files["body"].write_text(robot.replace("robots/emu.yaml", "robots/none.yaml"))
    files["later"].write_text(robot.replace("version: 1", "version: 2"))
    files["team"].write_text(station)
    files["twins"].write_text(station.replace("number: 2", "number: 1"))
    files["sunk"].write_text(station.replace("heading_deg: 0}", "mode: autonomous}", 1))
    for name in ("good", "team"):
        done = run("robot" if name == "good" else "station", files[name], "--check")
        case(f"{name}.yaml is read and told", done.returncode == 0 and "emu1" in done.stdout, done)
    for name, words in (("name", ["name: found '../emu1'"]), ("number", ["number: found 300", "250"]),
                        ("body", ["none.yaml", "body: names"]), ("later", ["version: found 2", "newer cairn"])):
        says(f"a robot file with a wrong {name} is refused in words", 1, [str(files[name]), *words], "robot", files[name])
    says("two robots with one number are refused in words", 1, [f"{files['twins']}:", "emu1 has 1 too"], "station",
         files["twins"])
    says("a station file sets no robot going", 1, ["unknown key: mode"], "station", files["sunk"])
    says("a station without keys says which is missing", 1, ["emu1", "key"], "station", files["team"])
    says("a store that is not there is told", 1, ["nowhere.db"], "store", folder / "nowhere.db")
    (folder / "text.db").write_text("this is no database, but long enough to be looked at" * 100)
    says("a store that is none is told", 1, ["text.db"], "store", folder / "text.db")
    for command in ("robot", "station", "store"):
        says(f"cairn {command} wants a file", 2, ["wants a"], command)


def wrong_files(folder):
    arena, robot = TOP / "arenas" / "maze.yaml", TOP / "robots" / "emu.yaml"
    head = f"name: crowd\narena: {arena}\nphysics: planar\nduration_s: 5\nrobots:\n"
    crowd, lost, ten, plain = folder / "crowd.yaml", folder / "lost.yaml", folder / "ten.yaml", folder / "plain"
    crowd.write_text(head + f"  - file: {robot}\n" * 5)
    lost.write_text(head.replace("maze.yaml", "none.yaml") + f"  - file: {robot}\n  - file: none-too.yaml\n")
    ten.write_text("nam: x\narena: 7\nphysics: string\nduration_s: -3\nend_when_done: maybe\n"
                   "robots:\n  - {mode: flying}\njournal: [1]\nextra: 1\n")
    plain.write_text("")
    says("a robot without a start is told with file and line", 1, [f"{crowd}:9:", "5 robots", "3 starts"], "mission",
         "run", crowd, "--out", folder / "out")
    says("missing files are told all at once, with who names them", 1,
         ["none.yaml: cannot be read", "none-too.yaml: cannot be read", f"{lost}:7: robots[1].file"], "mission", "run",
         lost, "--out", folder / "out")
    says("all mistakes of a file are told at once", 1,
         [f"{ten}:{line}:" for line in (1, 3, 4, 5, 7, 8, 9)] + ['did you mean "name"'], "mission", "run", ten)
    says("a file in place of a folder is told before anything runs", 1, [f"{plain}: is not a folder", "--out"],
         "mission", "run", MAZE, "--out", plain)
    says("a folder in place of a file is told", 1, [f"{folder}: cannot be read"], "arena", "check", folder)
    says("an empty journal is told", 1, [f"{plain}: is not an MCAP file"], "replay", plain)
    case("nothing was written by any of these", not (folder / "out").exists(), list(folder.iterdir()))


def imports(folder):
    picture, arena = folder / "room.pgm", folder / "room.yaml"
    rows = ["#" * 40, *["#" + "." * 38 + "#"] * 28, "#" * 40]
    picture.write_text("P2 40 30 9\n" + "\n".join(" ".join("0" if at == "#" else "9" for at in row) for row in rows))
    says("a picture without a scale is told what to give", 1, [f"{picture}: does not say", "--cell", "--width"], "arena",
         "import", picture, "-o", arena)
    case("nothing is written that fails", not list(folder.glob("room.yaml*")), list(folder.iterdir()))
    done = run("arena", "import", picture, "-o", arena, "--cell", 0.2, "--json")
    made = json.loads(done.stdout)
    case("what an import made is told to machines", made["walls"] + made["boxes"] == 4 and made["victims"] == 4 and
         made["cells"]["missed_cells"] == made["cells"]["covered_cells"] == 0, done)
    case("what was imported is in order", run("arena", "check", arena).returncode == 0, arena.read_text())
    says("a place where nothing can be written is told", 1, ["nowhere/a.yaml: cannot be written"], "arena", "import",
         picture, "-o", folder / "nowhere" / "a.yaml", "--cell", 0.2)


def keys(folder):
    place = folder / "a" / "keys"
    at = ["--folder", place]
    says("a subcommand of keys is named", 2, ["no 'burn'", "make, list or revoke"], "keys", "burn")
    says("a key wants a robot's name", 2, ["NAME is missing"], "keys", "make")
    says("a path is no robot's name", 2, ["NAME wants", "'../x'"], "keys", "make", "../x", *at)
    says("a robot's number is told its range", 2, ["--robot", "1 to 250", "'0'"], "keys", "make", "emu1", "--robot", 0)
    case("an empty folder is told with what to do", "cairn keys make" in run("keys", "list", *at).stdout, "")
    case("nothing was made by any of these", not place.exists(), "")

    made = run("keys", "make", "emu1", *at)
    case("a made key is told with its place and what to do", made.returncode == 0 and
         all(word in made.stdout for word in (f"{place}/emu1.key: robot number 1", "same file", "scp")), made)
    text = (place / "emu1.key").read_text()
    secret = next(line.split()[1] for line in text.splitlines() if line.startswith("key "))
    run("keys", "make", "emu2", "--robot", 9, *at)
    says("a living key is not overwritten", 1, [f"{place}/emu1.key", "revoke it first"], "keys", "make", "emu1", *at)
    says("a taken number is refused", 1, ["emu2.key: robot number 9"], "keys", "make", "emu3", "--robot", 9, *at)
    listed, objects = run("keys", "list", *at), run("keys", "list", "--json", *at)
    found = [json.loads(line) for line in objects.stdout.splitlines()]
    case("keys are listed for machines", [(key["name"], key["robot"], key["revoked"]) for key in found] ==
         [("emu1", 1, None), ("emu2", 9, None)], objects)
    case("keys are listed for people", all(key["fingerprint"] in listed.stdout for key in found), listed)
    case("no secret is printed", not any(secret[i:i + 9] in done.stdout + done.stderr for i in range(55)
                                         for done in (made, listed, objects)), listed)

    revoked = run("keys", "revoke", "emu1", *at)
    case("a key is revoked", revoked.returncode == 0 and secret not in (place / "emu1.key").read_text(), revoked)
    says("a revoked key cannot be revoked", 1, ["was revoked at", "nothing left"], "keys", "revoke", "emu1", *at)
    says("a key that is not there cannot be revoked", 1, ["no key for emu7"], "keys", "revoke", "emu7", *at)
    case("a revoked key is listed", "revoked 2" in run("keys", "list", *at).stdout, "")
    (place / "emu2.key").chmod(0o644)
    says("a key that others may read is told with what to do", 1, [f"chmod 600 {place}/emu2.key"], "keys", "list", *at)


def full_disk():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([sys.argv[1], "arena", "list"], cwd=TOP, stdout=full, stderr=subprocess.PIPE, text=True)
    case("results that cannot be written are a failure", done.returncode == 1 and "No space" in done.stderr, done)


helps()
usage_errors()
with tempfile.TemporaryDirectory() as name:
    wrong_files(pathlib.Path(name))
    imports(pathlib.Path(name))
    keys(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    wrong_programs(pathlib.Path(name))
full_disk()
end()
