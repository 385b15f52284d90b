#!/usr/bin/env python3
"""cairn map on files: what GDAL, a program of other people, reads from our GeoTIFF; and the words of the commands.

usage: test_map.py CAIRN

Where there is no gdalinfo its cases are skipped, and say so. Prints TAP.
"""
import gzip
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from tap import case, end

CAIRN = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="cairn-map-")
HERE = pathlib.Path(FOLDER.name)
WIDTH, HEIGHT, CELL_M, CORNER = 40, 25, 0.25, (-3.0, 1.5)


def run(*words):
    return subprocess.run([CAIRN, "map", *map(str, words)], capture_output=True, text=True, check=False)


def near(a, b, within):
    return all(abs(x - y) <= within for x, y in zip(a, b)) and len(a) == len(b)


def gdal(path):
    return json.loads(subprocess.run(["gdalinfo", "-json", str(path)], capture_output=True, text=True, check=True).stdout)


# A frame of walls with a post that makes it unlike its mirror pictures; the first row is the uppermost.
pixels = bytearray(b"\xfe" * WIDTH * HEIGHT)
for y in range(HEIGHT):
    for x in range(WIDTH):
        if x in (2, WIDTH - 3) or y in (2, HEIGHT - 3) or (5 <= x < 9 and 6 <= y < 8):
            pixels[y * WIDTH + x] = 0
        if x < 2 or y < 2:
            pixels[y * WIDTH + x] = 205
(HERE / "a.pgm").write_bytes(b"P5\n# by hand\n%d %d\n255\n" % (WIDTH, HEIGHT) + pixels)
(HERE / "a.yaml").write_text(f"image: a.pgm\nresolution: {CELL_M}\norigin: [{CORNER[0]}, {CORNER[1]}, 0]\nnegate: 0\n"
                             "occupied_thresh: 0.65\nfree_thresh: 0.196\n")

done = run("convert", HERE / "a.yaml", "-o", HERE / "local.tif")
case("a ROS map becomes a GeoTIFF", done.returncode == 0 and "40 x 25 cells of 0.25 m" in done.stdout, done)
LAT, LON, HEADING = 52.5163, 13.3777, 30.0
done = run("convert", HERE / "a.yaml", "--survey", f"{LAT},{LON},{HEADING}", "-o", HERE / "earth.tif")
case("with a survey, too", done.returncode == 0 and "left out" not in done.stdout, done)
done = run("convert", HERE / "earth.tif", "-o", HERE / "b.yaml")
case("and comes back as the same picture; the survey, which it cannot hold, is told",
     done.returncode == 0 and "left out: the survey" in done.stdout
     and (HERE / "b.pgm").read_bytes().endswith(bytes(pixels)), done)
done = run("convert", HERE / "earth.tif", "-o", HERE / "c.cairnmap")
info = json.loads(run("info", HERE / "c.cairnmap", "--json").stdout)
case("a Cairn map holds the survey", done.returncode == 0 and info["format"] == "Cairn map"
     and near([info["survey"][k] for k in ("latitude_deg", "longitude_deg", "heading_deg")], [LAT, LON, HEADING], 1e-12)
     and info["corner"][:2] == list(CORNER) and info["obstacle"] == pixels.count(0), info)

if shutil.which("gdalinfo"):
    local, earth = gdal(HERE / "local.tif"), gdal(HERE / "earth.tif")
    case("GDAL finds the extent of a local map",
         local["size"] == [WIDTH, HEIGHT]
         and near(local["cornerCoordinates"]["lowerLeft"], CORNER, 1e-9)
         and near(local["cornerCoordinates"]["upperRight"], [CORNER[0] + WIDTH * CELL_M, CORNER[1] + HEIGHT * CELL_M], 1e-9),
         local["cornerCoordinates"])
    case("and that it is in metres of its own",
         local["coordinateSystem"]["wkt"].startswith("ENGCRS") and '"metre"' in local["coordinateSystem"]["wkt"],
         local["coordinateSystem"])
    case("GDAL knows the surveyed map's reference by its number",
         '"EPSG",32633]' in earth["coordinateSystem"]["wkt"].replace(" ", ""), earth["coordinateSystem"])
    # The corner in metres from the origin, turned by the heading; then in degrees, by GDAL, with PROJ's own projection.
    turn = math.radians(HEADING)
    east = CORNER[0] * math.cos(turn) + CORNER[1] * math.sin(turn)
    north = -CORNER[0] * math.sin(turn) + CORNER[1] * math.cos(turn)
    at = earth["cornerCoordinates"]["lowerLeft"]
    back = subprocess.run(["gdaltransform", "-s_srs", "EPSG:32633", "-t_srs", "EPSG:4326", "-output_xy"],
                          input=f"{at[0]!r} {at[1]!r}\n", capture_output=True, text=True, check=True).stdout.split()
    radius = 6378137.0
    sine = math.sin(math.radians(LAT))
    e2 = 0.00669437999014
    w = 1 - e2 * sine * sine
    found = (math.radians(float(back[0]) - LON) * radius / math.sqrt(w) * math.cos(math.radians(LAT)),
             math.radians(float(back[1]) - LAT) * radius * (1 - e2) / w**1.5)
    # gdalinfo's corners are rounded to millimetres.
    case("its corner is where the survey puts it, to millimetres", near(found, [east, north], 0.002),
         (found, (east, north)))
    band = earth["bands"][0]
    case("cells are classes with colours, unknown is no data",
         band["type"] == "Byte" and band["colorInterpretation"] == "Palette" and band["noDataValue"] == 0
         and band["colorTable"]["entries"][2][:3] == [0, 40, 120], band)
    # Another program crops the map and keeps our description, which is a lie from then on.
    subprocess.run(["gdal_translate", "-q", "-srcwin", "4", "0", "30", "20", str(HERE / "local.tif"),
                    str(HERE / "crop.tif")], check=True)
    info = json.loads(run("info", HERE / "crop.tif", "--json").stdout)
    case("a map that GDAL cropped lies where it lay",
         near(info["corner"], [CORNER[0] + 4 * CELL_M, CORNER[1] + 5 * CELL_M, 0], 1e-9)
         and (info["width"], info["height"]) == (30, 20), info)
    done = run("compare", HERE / "local.tif", HERE / "crop.tif", "--json")
    case("and agrees in every cell", json.loads(done.stdout)["agreeing"] == json.loads(done.stdout)["both_known"], done)
    subprocess.run(["gdal_translate", "-q", "-srcwin", "4", "0", "30", "20", str(HERE / "earth.tif"),
                    str(HERE / "crop-earth.tif")], check=True)
    done = run("compare", HERE / "earth.tif", HERE / "crop-earth.tif")
    figures = json.loads(run("compare", HERE / "earth.tif", HERE / "crop-earth.tif", "--json").stdout)
    case("a surveyed map that GDAL cropped has another frame, and is compared where it lies on the earth",
         figures["agreeing"] == figures["both_known"] == figures["map_known"]
         and near(figures["truth_T_map"], [CORNER[0] + 4 * CELL_M, CORNER[1] + 5 * CELL_M, 0], 1e-4)
         and "by their surveys" in done.stdout, (figures, done))
else:
    print("# no gdalinfo: what GDAL reads is not checked; install gdal-bin")

# A picture in RoboCup Rescue's colours, which FIELD rules prescribe to the number; a victim and a way on it.
(HERE / "v.csv").write_text("id,time,name,x,y,z\n1,0:01:02,Ann,0.5,5.5,0\n")
(HERE / "q.csv").write_text("id,time,text,x,y,z\n2,0:01:02,exit,2.5,5.5,0\n")
(HERE / "w.csv").write_text("robot,x_m,y_m\nemu1,4,3\nemu1,6,3\n")
done = run("render", HERE / "a.yaml", "--style", "rrl", "-o", HERE / "r.tif", "--victims", HERE / "v.csv", "--things",
           HERE / "q.csv", "--ways", HERE / "w.csv", "--team", "Cairn", "--mission", "Prelim1")
case("a map is drawn", done.returncode == 0 and "pixels" in done.stdout, done)
case("with its CSV files beside it",
     (HERE / "r_victims.csv").read_text().startswith('"victims"\n"1.0"\n"Cairn"\n""\n')
     and "1,0:01:02,Ann,0.500,5.500,0.000" in (HERE / "r_victims.csv").read_text()
     and '"qr codes"' in (HERE / "r_qr.csv").read_text() and "2,0:01:02,exit,2.500" in (HERE / "r_qr.csv").read_text(),
     list(HERE.iterdir()))
if shutil.which("gdallocationinfo"):
    def colour(path, x, y):
        at = subprocess.run(["gdallocationinfo", "-valonly", "-geoloc", str(path), str(x), str(y)], capture_output=True,
                            text=True, check=True)
        return tuple(map(int, at.stdout.split()))

    wall_y = CORNER[1] + (HEIGHT - 2.5) * CELL_M
    wanted = {"wall": ((1.0, wall_y), {(0, 40, 120)}), "free": ((3.6, 4.2), {(255, 255, 255)}),
              "grid": ((3.6, 4.01), {(190, 190, 191)}), "way": ((5.3, 3.0), {(120, 0, 140)}),
              "unknown": ((-2.9, 3.0), {(226, 226, 227), (237, 237, 238)})}
    got = {name: colour(HERE / "r.tif", *at) for name, (at, _) in wanted.items()}
    case("in the colours of the rules, each where it lies in metres",
         all(got[name] in colours for name, (_, colours) in wanted.items()), got)
    # Beside its number, which is white; a disc has a radius of 11 pixels, and there are 9 to a cell.
    beside = 8.5 / 9 * CELL_M
    case("victims are red, things blue", colour(HERE / "r.tif", 0.5 - beside, 5.5) == (240, 10, 10)
         and colour(HERE / "r.tif", 2.5 - beside, 5.5) == (10, 10, 240),
         (colour(HERE / "r.tif", 0.5 - beside, 5.5), colour(HERE / "r.tif", 2.5 - beside, 5.5)))
    done = run("render", HERE / "a.yaml", "--style", "rrl", "-o", HERE / "r2.tif", "--victims", HERE / "v.csv",
               "--ways", HERE / "w.csv", "--without", "victims,ways,grid")
    case("what is left out is not there", colour(HERE / "r2.tif", 0.5 - beside, 5.5) == (255, 255, 255)
         and colour(HERE / "r2.tif", 5.3, 3.0) == (255, 255, 255) and colour(HERE / "r2.tif", 3.6, 4.01) == (255, 255, 255),
         done)

# The same picture half a metre to the right: two cells.
(HERE / "moved.yaml").write_text((HERE / "a.yaml").read_text().replace("[-3.0", "[-2.5"))
figures = json.loads(run("compare", HERE / "a.yaml", HERE / "moved.yaml", "--json").stdout)
case("a map that is off by two cells is off", figures["error_m_max"] == 0.5 and figures["wall_iou"] < 0.6, figures)
figures = json.loads(run("compare", HERE / "a.yaml", HERE / "moved.yaml", "--align", "1", "--json").stdout)
case("and is found by alignment", figures["error_m_max"] == 0 and figures["wall_iou"] == 1
     and near(figures["truth_T_map"], [-0.5, 0, 0], 0.02), figures)

# What cannot be said of maps that know nothing is said in whole sentences.
(HERE / "blank.pgm").write_bytes(b"P5\n2 2\n255\n" + b"\xcd" * 4)
(HERE / "free.pgm").write_bytes(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"\xfe" * WIDTH * HEIGHT)
done = run("compare", HERE / "blank.pgm", HERE / "a.pgm", "--cell", CELL_M)
case("what cannot be known is told in words", done.returncode == 0 and all(words in done.stdout for words in (
    "not known: TRUTH knows no cell", "not known: there is no cell that both know", "not known: TRUTH has no wall",
    "not known: no wall of MAP's was judged")), done)
done = run("compare", HERE / "free.pgm", HERE / "a.pgm", "--cell", CELL_M)
case("walls on free ground are wrong, also where the truth has no wall at all",
     f"precision    0.00 % of MAP's {pixels.count(0)} judged" in done.stdout and "error" not in done.stdout, done)

# As a spreadsheet writes it.
(HERE / "bom.csv").write_bytes(b"\xef\xbb\xbf" + (HERE / "v.csv").read_bytes().replace(b"\n", b"\r\n"))
(HERE / "bom-ways.csv").write_bytes(b"\xef\xbb\xbf" + (HERE / "w.csv").read_bytes().replace(b"\n", b"\r\n"))
done = run("render", HERE / "a.yaml", "-o", HERE / "bom.png", "--victims", HERE / "bom.csv", "--ways", HERE / "bom-ways.csv")
case("CSV files with a byte order mark are read", done.returncode == 0, done)

def png(name, bits, row, *chunks):
    """One row of grey; unknown must not become free because somebody's program noted a gamma."""
    head = (b"IHDR", struct.pack(">IIBBBBB", len(row) * 8 // bits, 1, bits, 0, 0, 0, 0))
    parts = [head, *chunks, (b"IDAT", zlib.compress(b"\0" + row)), (b"IEND", b"")]
    (HERE / name).write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts))
    return json.loads(run("info", HERE / name, "--cell", "0.1", "--json").stdout or "{}")


greys = bytes([0, 50, 100, 127, 160, 205, 206, 254, 255])
plain = png("plain.png", 8, greys)
for name, info in (("a note of gamma", png("gamma.png", 8, greys, (b"gAMA", struct.pack(">I", 100000)))),
                   ("16 bits", png("deep.png", 16, b"".join(bytes([v, v]) for v in greys))),
                   ("both", png("both.png", 16, b"".join(bytes([v, v]) for v in greys),
                                (b"gAMA", struct.pack(">I", 100000)), (b"tEXt", b"Title\0x")))):
    case(f"greys of a PNG are numbers, with {name}", plain["unknown"] == 4
         and all(info.get(key) == plain[key] for key in ("free", "obstacle", "unknown")), (plain, info))

(HERE / "z.pgm.gz").write_bytes(gzip.compress((HERE / "a.pgm").read_bytes()))
(HERE / "z.yaml").write_text((HERE / "a.yaml").read_text().replace("a.pgm", "z.pgm"))
figures = json.loads(run("compare", HERE / "a.yaml", HERE / "z.yaml", "--json").stdout)
case("a picture that was gzipped since its header was written is found", figures["agreeing"] == figures["truth_known"],
     figures)

# What a team should make of an arena, as a map: the truth that others are compared with.
subprocess.run([CAIRN, "arena", "new", "--kind", "maze", "--seed", "3", "-o", str(HERE / "maze.yaml")], check=True,
               capture_output=True)
done = [subprocess.run([CAIRN, "arena", "map", str(HERE / "maze.yaml"), "-o", str(HERE / name), *more], capture_output=True,
                       text=True, check=False) for name, more in (("truth.tif", []), ("fine.cairnmap", ["--cell", "0.05"]))]
case("an arena becomes a map", all(one.returncode == 0 and "m2 free" in one.stdout for one in done), done)
figures = json.loads(run("compare", HERE / "truth.tif", HERE / "fine.cairnmap", "--json").stdout)
case("in finer cells too, and they agree", figures["precision"] == 1 and figures["recall"] == 1
     and figures["agreeing"] > 0.95 * figures["both_known"] > 1000, figures)
done = subprocess.run([CAIRN, "arena", "map", str(HERE / "maze.yaml")], capture_output=True, text=True, check=False)
case("where to write it must be said", done.returncode == 2 and "-o MAP is missing" in done.stderr, done)

for words, status, wanted in (
        (("info", HERE / "a.pgm"), 1, "--cell"),
        (("info", HERE / "a.pgm", "--cell", "0.25"), 0, "PGM picture"),
        (("info",), 2, "MAP is missing"),
        (("convert", HERE / "a.yaml"), 2, "-o OUT is missing"),
        (("convert", HERE / "a.yaml", "-o", HERE / "a.bmp"), 1, "none of .cairnmap"),
        (("convert", HERE / "a.yaml", "--survey", "91,0,0", "-o", HERE / "x.tif"), 2, "--survey wants latitude"),
        (("convert", HERE / "a.yaml", "--survey", "1,2,3", "--local", "-o", HERE / "x.tif"), 2, "exclude"),
        (("render", HERE / "a.yaml", "-o", HERE / "p.png", "--style", "oil"), 2, "clean, team or rrl"),
        (("render", HERE / "a.yaml", "-o", HERE / "p.png", "--without", "grid,sky"), 2, "--without wants layers"),
        (("render", HERE / "a.yaml", "-o", HERE / "p.png", "--ways", HERE / "v.csv"), 1, "v.csv:1: expected robot,x_m"),
        (("render", HERE / "a.yaml", "-o", HERE / "p.png"), 0, "p.png"),
        (("render", HERE / "a.yaml", "-o", HERE / "p.jpg"), 1, "p.jpg: the name's ending is none of .png and .tif"),
        (("compare", HERE / "a.yaml"), 2, "expected two maps"),
        (("compare", HERE / "a.yaml", HERE / "nowhere.tif"), 1, "nowhere.tif: cannot be read"),
        (("paint",), 2, "there is no 'paint'")):
    done = run(*words)
    case(f"cairn map {' '.join(str(word).replace(FOLDER.name + '/', '') for word in words)}: {wanted}",
         done.returncode == status and wanted in done.stdout + done.stderr, done)
end()
