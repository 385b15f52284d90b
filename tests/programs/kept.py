"""What a robot saw acknowledged must be in the station's store: its own journals against the station's."""
import json
import subprocess
import time

from team import PATIENCE_S

# The streams whose messages are acknowledged, as they stand in LinkState, and what tells two messages apart.
STREAMS = {"sighting": 5, "node": 7, "terrain": 8}
MESSAGES = {
    "victim_seen": ("sighting", lambda m: ("victim_seen", m["sighting"], m["mono_ns"])),
    "event": ("sighting", lambda m: ("event", m["mono_ns"], bytes_of(m["text"]))),
    "node": ("node", lambda m: ("node", m["node"], m["mono_ns"])),
    "terrain_grid": ("terrain", lambda m: ("terrain_grid", m["node"], len(m["code"]))),
}


CERTAIN_MIN = 5  # fewer show nothing
LOST_S = 3.0  # without telemetry
ROUNDED_S = 0.0011  # times are printed in milliseconds


def bytes_of(text):
    return tuple(text) if isinstance(text, list) else text


def lines_of(cairn, journal, channel):
    done = subprocess.run([cairn, "replay", journal, "--channel", channel], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def acknowledged_by(team, name):
    """Every start of a robot's mind has a journal of its own, and counts anew."""
    certain = []
    for journal in sorted((team.folder / "journals").glob(f"{name}-*.mcap")):
        links = lines_of(team.cairn, journal, f"/{name}/link")
        if not links:
            continue
        counts = links[-1]["message"]["acknowledged_count"]
        put = {stream: [] for stream in STREAMS}
        for message, (stream, identity) in MESSAGES.items():
            for line in lines_of(team.cairn, journal, f"/{name}/radio/{message}"):
                put[stream].append((line["log_time_ns"], identity(line["message"])))
        for stream, at in STREAMS.items():
            # Acknowledgements count from the front of what was put, in its order; of one moment any order will do,
            # so the last moment that is not wholly acknowledged is left out.
            ordered = sorted(put[stream], key=lambda entry: entry[0])
            count = counts[at]
            while 0 < count < len(ordered) and ordered[count][0] == ordered[count - 1][0]:
                count -= 1
            certain += [identity for _, identity in ordered[:count]]
    return certain


def inputs_of(team):
    """What the station was told, each with the time of its step."""
    done = subprocess.run([team.cairn, "store", team.folder / "station.db", "--inputs"], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


def heard_from(team, name):
    number = team.names.index(name) + 1
    inputs, status, said = inputs_of(team)
    return {MESSAGES[told["heard"]][1](told["message"]) for told in inputs
            if told.get("heard") in MESSAGES and told["message"]["robot"] == number}, status, said


def steps_too_late(team, name, told_s):
    """Of the station, that came LOST_S after the robot's last telemetry, and yet before it was told to be silent.

    By the station's own time: how often a busy machine lets it step does not matter.
    """
    number, inputs = team.names.index(name) + 1, inputs_of(team)[0]
    heard = [told["time_s"] for told in inputs if told.get("heard") == "telemetry" and told["message"]["robot"] == number]
    last_s = max((at_s for at_s in heard if at_s < told_s), default=None)
    if last_s is None:
        return [f"{name} was never heard before {told_s} s"]
    return sorted({told["time_s"] for told in inputs
                   if last_s + LOST_S + ROUNDED_S < told["time_s"] < told_s - ROUNDED_S})


def wait_for_enough(team, seconds=PATIENCE_S):
    """On a slow disk little is acknowledged between two kills: the team goes on until there is enough to judge by."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(len(acknowledged_by(team, name)) < CERTAIN_MIN for name in team.names):
        time.sleep(5)


def what_is_missing(team, name):
    """Words; empty when nothing is."""
    certain = acknowledged_by(team, name)
    heard, status, said = heard_from(team, name)
    if status != 0:
        return f"the store cannot be read: {said}"
    if len(certain) < CERTAIN_MIN:
        return f"only {len(certain)} messages are known to be acknowledged: this shows nothing"
    missing = [identity for identity in certain if identity not in heard]
    return f"{len(missing)} of {len(certain)}: {missing[:3]}" if missing else ""
