#!/usr/bin/env python3
"""Puts a folder of files into a C file: the table of ports/embedded_page.h.

usage: embed.py FOLDER OUT.c      FOLDER "none": an empty table
"""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


def array(name, content):
    """One byte more than there are, so that an empty file is an array too."""
    lines = [", ".join(f"0x{byte:02x}" for byte in content[at:at + 20]) + "," for at in range(0, len(content), 20)]
    return f"static const uint8_t {name}[] = {{\n" + "\n".join(lines) + "\n0};\n"


def row(number, path, content):
    if path.suffix not in TYPES:
        sys.exit(f"embed.py: {path}: no type is known for {path.suffix or 'a name without an ending'}; add it to TYPES")
    packed = gzip.compress(content, 9, mtime=0)
    worth_it = len(packed) < 0.9 * len(content)
    arrays = array(f"file_{number}", content) + (array(f"gzip_{number}", packed) if worth_it else "")
    etag = hashlib.sha256(content).hexdigest()[:16]
    zipped = f"gzip_{number}, {len(packed)}" if worth_it else "NULL, 0"
    return arrays, f'    {{"/{path.as_posix()}", "{TYPES[path.suffix]}", "\\"{etag}\\"", file_{number}, {len(content)}, {zipped}}},\n'


def embed(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file()) if folder else []
    made = [row(number, path.relative_to(folder), path.read_bytes()) for number, path in enumerate(paths)]
    text = '// Made by tools/embed.py.\n#include "ports/embedded_page.h"\n\n' + "".join(arrays for arrays, _ in made)
    if not made:
        return text + "const cairn_web_files cairn_embedded_page = {NULL, 0};\n"
    table = "static const cairn_web_file files[] = {\n" + "".join(line for _, line in made) + "};\n"
    return text + table + f"const cairn_web_files cairn_embedded_page = {{files, {len(made)}}};\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = None if sys.argv[1] == "none" else pathlib.Path(sys.argv[1])
    pathlib.Path(sys.argv[2]).write_text(embed(folder))


if __name__ == "__main__":
    main()
