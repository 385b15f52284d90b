import assert from 'node:assert/strict';
import test from 'node:test';
import { robot_at } from '../src/marks';
import { empty_model, type Model } from '../src/model';
import type { Robot } from '../src/protocol';

const size = { width: 800, height: 600 };

// Robots 1, 2, … at these places.
function model_of(...places: [number, number][]): Model {
  const model = empty_model();
  places.forEach(([x, y], i) => model.state.robots.set(i + 1, { id: i + 1, x, y, lost: false } as Robot));
  return model;
}

test('a click on a robot means the nearest one', () => {
  const model = model_of([0, 0], [1, 0]); // 20 pixels apart
  assert.equal(robot_at(model, size, 400, 300), 1);
  assert.equal(robot_at(model, size, 409, 300), 1);
  assert.equal(robot_at(model, size, 411, 300), 2);
  assert.equal(robot_at(model, size, 400, 340), null);
});

// Else a click on one robot's mark would send another there.
test('a robot out of sight is at the rim for a click, too', () => {
  const model = model_of([1000, 0], [-1000, 1000]);
  assert.equal(robot_at(model, size, 784, 300), 1);
  assert.equal(robot_at(model, size, 16, 16), 2);
  assert.equal(robot_at(model, size, 784, 330), null);
});

test('of marks that lie above each other, a click means the one on top', () => {
  const model = model_of([1000, 0], [2000, 0], [3000, 0]);
  assert.equal(robot_at(model, size, 784, 300), 3);
  model.state.robots.get(3)!.lost = true;
  assert.equal(robot_at(model, size, 784, 300), 2);
  model.selected = 1;
  assert.equal(robot_at(model, size, 784, 300), 1);
});
