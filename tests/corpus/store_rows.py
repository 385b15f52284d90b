"""The rows of a station's store with other content, and hashes that fit it: docs/store.md, and docs/journal.md for the hash."""
import sqlite3
import struct

A, B, C = 0x243f6a8885a308d3, 0x13198a2e03707345, 0xa4093822299f31d1
MASK = (1 << 64) - 1
SETUP, BATCH, SNAPSHOT = 1, 2, 3


def rot(w, n):
    return (w << n | w >> (64 - n)) & MASK


def stir(w):
    w = (w ^ w >> 32) * A & MASK
    w = (w ^ w >> 29) * C & MASK
    return w ^ w >> 32


def hash_bytes(seed, data):
    lanes = [(seed + i) & MASK for i in (1, 2, 3, 4)]
    padded = data + bytes(-len(data) % 32)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    for at in range(0, len(words), 4):
        lanes = [rot((lane + words[at + i] * A) & MASK, 31) * B & MASK for i, lane in enumerate(lanes)]
    v = len(data)
    for lane in lanes:
        v = (rot(v, 27) + stir(lane)) & MASK
    return stir(v)


def row_hash(kind, columns, data):
    columns = [kind, *columns, 0, 0, 0, 0][:5]
    return hash_bytes(hash_bytes(0, struct.pack("<5Q", *columns)), data or b"")


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def records_of(data):
    at, records = 0, []
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        records.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return records


def hashes_are_right(path):
    """Whether every row has the hash that the documents say it has."""
    with sqlite3.connect(path) as store:
        (setup_hash, setup), = store.execute("SELECT hash, bytes FROM setup")
        kept = setup_hash & MASK
        good = kept == row_hash(SETUP, [], setup)
        for first, last, missing, found, data in store.execute("SELECT first, last, missing, hash, bytes FROM batches"):
            good &= found & MASK == row_hash(BATCH, [kept, first, last, missing], data)
        for ticket, layout, plain, found, data in store.execute(
                "SELECT ticket, layout, plain_bytes, hash, bytes FROM snapshots"):
            good &= found & MASK == row_hash(SNAPSHOT, [kept, ticket, layout, plain], data)
    store.close()
    return good


def rewrite(path, setup=lambda data: data, record=lambda data: data, layout=lambda number: number):
    """Changes setup, every record and the snapshots' layout; all hashes fit again."""
    with sqlite3.connect(path) as store:
        data = setup(store.execute("SELECT bytes FROM setup").fetchone()[0])
        kept = row_hash(SETUP, [], data)
        store.execute("UPDATE setup SET bytes = ?, hash = ?", (data, signed(kept)))
        for first, last, missing, data in store.execute("SELECT first, last, missing, bytes FROM batches").fetchall():
            data = b"".join(struct.pack("<I", len(r)) + r for r in map(record, records_of(data or b"")))
            found = row_hash(BATCH, [kept, first, last, missing], data)
            store.execute("UPDATE batches SET bytes = ?, hash = ? WHERE first = ?", (data, signed(found), first))
        for ticket, number, plain, data in store.execute(
                "SELECT ticket, layout, plain_bytes, bytes FROM snapshots").fetchall():
            found = row_hash(SNAPSHOT, [kept, ticket, layout(number), plain], data)
            store.execute("UPDATE snapshots SET layout = ?, hash = ? WHERE ticket = ?",
                          (layout(number), signed(found), ticket))
    store.close()
