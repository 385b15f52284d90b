"""TAP for the scripts of this folder: states one fact a case, and counts."""
import sys

count = failures = 0


def case(name, good, why):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        print(f"# {why}")


def end():
    print(f"1..{count}")
    sys.exit(failures > 0)
