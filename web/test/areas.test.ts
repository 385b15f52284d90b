import assert from 'node:assert/strict';
import test from 'node:test';
import { closed_words, holds, name_place } from '../src/areas';
import type { Area, Point } from '../src/protocol';

const box = (x0: number, y0: number, x1: number, y1: number): Point[] => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
const out: Area = { name: 'shaft', kind: 'keep_out', corners: box(1, 1, 2, 2) };
const inside: Area = { name: 'floor', kind: 'keep_in', corners: box(0, 0, 5, 5) };

test('a corner that goes in counts', () => {
  const corner: Point[] = [[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]];
  assert.ok(holds(corner, [1, 3]) && holds(corner, [3, 1]));
  assert.ok(!holds(corner, [3, 3]) && !holds(corner, [-1, 1]));
});

test('why nobody may be somewhere is said in words', () => {
  assert.equal(closed_words([], [9, 9]), '');
  assert.equal(closed_words([out], [9, 9]), '');
  assert.equal(closed_words([out, inside], [1.5, 1.5]), 'kept out of: shaft');
  assert.equal(closed_words([out, inside], [9, 9]), 'outside where robots may be');
  assert.equal(closed_words([out, inside], [4, 4]), '');
});

test('a name stands where it can be read', () => {
  const sheet = { camera: { x: 0, y: 0, px_per_m: 10 }, size: { width: 100, height: 100 } } as Parameters<typeof name_place>[0];
  assert.deepEqual(name_place(sheet, out), [65, 18]);
  assert.equal(name_place(sheet, { ...out, corners: box(50, 50, 60, 60) }), null);
  assert.deepEqual(name_place(sheet, { ...out, corners: box(-100, -100, 100, 100) }), [50, 13]);
});
