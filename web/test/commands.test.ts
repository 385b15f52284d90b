import assert from 'node:assert/strict';
import test from 'node:test';
import { Commands } from '../src/commands';
import { empty_model } from '../src/model';
import type { Robot } from '../src/protocol';

// Follow, zoom and let go may all come before a frame is drawn: the robot must be in sight all the same.
test('who is followed is in the middle before the next frame', () => {
  const model = empty_model();
  model.state.robots.set(1, { id: 1, x: 30, y: 40 } as Robot);
  model.state.robots.set(2, { id: 2, x: -50, y: 0 } as Robot);
  const looks_at = () => [model.camera.x, model.camera.y];
  const commands = new Commands(model, () => null, () => {});
  commands.select(1);
  assert.deepEqual(looks_at(), [0, 0]);
  commands.toggle_follow();
  assert.deepEqual(looks_at(), [30, 40]);
  commands.select(2);
  assert.deepEqual(looks_at(), [-50, 0]);
  commands.select(null);
  assert.deepEqual(looks_at(), [-50, 0]);
  commands.select(1);
  assert.deepEqual(looks_at(), [-50, 0], 'nobody is followed any more');
});
