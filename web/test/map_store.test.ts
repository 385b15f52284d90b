import assert from 'node:assert/strict';
import test from 'node:test';
import { FREE, LOOKED_AT, MapStore, OBSTACLE, UNKNOWN } from '../src/map_store';

const SHAPE = { x0: -2, y0: -1, cell: 0.1, width: 70, height: 40, tile: 32 };

// A second way to write the bytes: one cell after the other into a string of bits.
function message(tiles: { column: number; row: number; cell: (x: number, y: number) => number }[]): ArrayBuffer {
  const bytes = [1, 0, tiles.length & 255, tiles.length >> 8];
  for (const { column, row, cell } of tiles) {
    bytes.push(column & 255, column >> 8, row & 255, row >> 8);
    for (let y = 0; y < 32; y++)
      for (let x = 0; x < 32; x += 4) bytes.push(cell(x, y) + 4 * cell(x + 1, y) + 16 * cell(x + 2, y) + 64 * cell(x + 3, y));
  }
  return new Uint8Array(bytes).buffer;
}

test('cells lie where the station says', () => {
  const store = new MapStore(SHAPE);
  assert.equal(store.known_box(), null);
  const cell = (x: number, y: number) => (x === 5 && y === 2 ? OBSTACLE : x === 6 && y === 2 ? LOOKED_AT : y === 3 ? FREE : UNKNOWN);
  assert.deepEqual(store.store(message([{ column: 1, row: 0, cell }])), [{ column: 1, row: 0 }]);
  assert.equal(store.at(-2 + 3.75, -1 + 0.25), OBSTACLE);
  assert.equal(store.at(-2 + 3.85, -1 + 0.25), LOOKED_AT);
  assert.equal(store.at(-2 + 3.25, -1 + 0.35), FREE);
  assert.equal(store.at(-2 + 3.25, -1 + 0.45), UNKNOWN);
  assert.equal(store.at(-99, 0), UNKNOWN);
  assert.equal(store.known_count, 34);
  const box = store.known_box()!;
  assert.ok(Math.abs(box.x_min - 1.2) < 1e-9 && Math.abs(box.x_max - 4.4) < 1e-9);
  assert.ok(Math.abs(box.y_min - -0.8) < 1e-9 && Math.abs(box.y_max - -0.6) < 1e-9);
});

test('a tile that is told again replaces the one before', () => {
  const store = new MapStore(SHAPE);
  store.store(message([{ column: 0, row: 0, cell: () => FREE }]));
  assert.equal(store.known_count, 1024);
  store.store(message([{ column: 0, row: 0, cell: (x) => (x < 8 ? OBSTACLE : UNKNOWN) }]));
  assert.equal(store.known_count, 256);
});

test('tiles over the rim are cut', () => {
  const store = new MapStore(SHAPE);
  store.store(message([{ column: 2, row: 1, cell: () => FREE }]));
  assert.equal(store.known_count, 6 * 8);
});

test('malformed messages change nothing', () => {
  const store = new MapStore(SHAPE);
  const good = message([{ column: 0, row: 0, cell: () => FREE }]);
  const wrong_kind = good.slice(0);
  new Uint8Array(wrong_kind)[0] = 2;
  const outside = message([
    { column: 0, row: 0, cell: () => FREE },
    { column: 3, row: 0, cell: () => FREE },
  ]);
  for (const bytes of [new ArrayBuffer(0), good.slice(0, 3), good.slice(0, 100), wrong_kind, outside])
    assert.equal(store.store(bytes), null);
  assert.equal(store.known_count, 0);
});
