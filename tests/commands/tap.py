"""TAP for scripts that test: states one fact a case, and counts."""
import sys

count = failures = 0


def case(name, good, why=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        print("# " + str(why)[-3000:].replace("\n", "\n# "), flush=True)


def end():
    print(f"1..{count}")
    sys.exit(failures > 0)
