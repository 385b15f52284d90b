#!/usr/bin/env python3
"""Builds the operator's page with npm, and puts it into a C file.

usage: build_page.py NPM WEB OUT.c DEPFILE

Packages are installed into WEB/node_modules when package-lock.json is newer than what is there; the page itself is built
beside OUT.c. DEPFILE names what the page is made from, for Ninja.
"""
import fcntl
import os
import pathlib
import subprocess
import sys

import embed

NOT_THE_PAGE = {"node_modules", "dist", "dev", "test"}


def run(command, folder, what_to_do):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nbuild_page.py: {' '.join(map(str, command))} failed in {folder}; {what_to_do}")


def install(npm, web):
    """npm writes its own list of what is installed last, so that a broken installation is done again."""
    wanted, there = web / "package-lock.json", web / "node_modules" / ".package-lock.json"
    if there.exists() and there.stat().st_mtime >= wanted.stat().st_mtime:
        return
    run([npm, "ci", "--prefer-offline", "--no-audit", "--no-fund"], web,
        "it needs the network once; -Dpage=disabled builds without the page")
    os.utime(there)


def sources(web):
    """Files and folders: a new file changes its folder."""
    found = [web]
    for folder, folders, files in os.walk(web):
        if pathlib.Path(folder) == web:
            folders[:] = [name for name in folders if name not in NOT_THE_PAGE]
        folders.sort()
        found += [pathlib.Path(folder) / name for name in sorted(folders + files) if not name.startswith(".")]
    return found


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    npm, web, out, depfile = sys.argv[1], *(pathlib.Path(argument).resolve() for argument in sys.argv[2:])
    built = out.parent / "page"
    # Two build folders share the packages.
    with open(web / "package-lock.json", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install(npm, web)
    run([npm, "run", "--silent", "build", "--", "--outDir", built, "--emptyOutDir"], web, "see above")
    out.write_text(embed.embed(built))
    names = " ".join(str(path).replace(" ", "\\ ") for path in sources(web))
    depfile.write_text(f"{sys.argv[3]}: {names}\n")


if __name__ == "__main__":
    main()
