import assert from 'node:assert/strict';
import test from 'node:test';
import * as camera from '../src/camera';

const size = { width: 800, height: 600 };
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('north is up, and there and back is the same', () => {
  const view = { x: 3, y: -2, px_per_m: 17 };
  assert.ok(camera.to_screen(view, size, 3, 0)[1] < camera.to_screen(view, size, 3, -1)[1]);
  const [px, py] = camera.to_screen(view, size, 5.5, 7.25);
  const [x, y] = camera.to_map(view, size, px, py);
  near(x, 5.5);
  near(y, 7.25);
});

test('what is under the pointer stays there when zooming', () => {
  const view = { x: 3, y: -2, px_per_m: 17 };
  const before = camera.to_map(view, size, 120, 430);
  for (const factor of [1.3, 0.2, 1000, 1e-6]) {
    const after = camera.to_map(camera.zoomed(view, size, factor, 120, 430), size, 120, 430);
    near(after[0], before[0]);
    near(after[1], before[1]);
  }
});

test('panning moves the map with the pointer', () => {
  const view = { x: 0, y: 0, px_per_m: 10 };
  const [px, py] = camera.to_screen(camera.panned(view, 30, -20), size, 1, 1);
  const [qx, qy] = camera.to_screen(view, size, 1, 1);
  near(px - qx, 30);
  near(py - qy, -20);
});

test('a fitted box is in sight', () => {
  const box = { x_min: -40, y_min: 3, x_max: 12, y_max: 90 };
  const view = camera.fitted(box, size);
  const [left, top] = camera.to_screen(view, size, box.x_min, box.y_max);
  const [right, bottom] = camera.to_screen(view, size, box.x_max, box.y_min);
  assert.ok(left >= 0 && top >= 0 && right <= size.width && bottom <= size.height);
});

test('scale bars have round lengths', () => {
  assert.equal(camera.round_length_m(20, 140), 5);
  assert.equal(camera.round_length_m(100, 140), 1);
  assert.equal(camera.round_length_m(3, 140), 20);
  near(camera.round_length_m(400, 140), 0.2);
});
