import assert from 'node:assert/strict';
import test from 'node:test';
import { Overrider, type OverrideInput } from '../src/override';

const input = (part: Partial<OverrideInput>): OverrideInput => ({
  robot: 1, guard: 'tilt', heard: true, stopped: false, shown: 7, seconds_max: 30, now_ms: 0, ...part,
});
const held = { do: 'override', robot: 1, guards: ['tilt'], shown: 7 };
const end = { do: 'override', robot: 1, guards: [], shown: 7 };

test('a guard is overridden each step while its button is held, and let go once', () => {
  const overrider = new Overrider();
  assert.deepEqual(overrider.step(input({ guard: null })), []);
  for (let i = 0; i < 3; i++) assert.deepEqual(overrider.step(input({ now_ms: 50 * i })), [held]);
  assert.equal(overrider.left_s(input({ now_ms: 100 })), 29.9);
  assert.deepEqual(overrider.step(input({ guard: null })), [end]);
  assert.deepEqual(overrider.step(input({ guard: null })), []);
});

test('another robot, a stop or a lost picture ends it', () => {
  for (const part of [{ robot: 2 }, { robot: null }, { stopped: true }]) {
    const overrider = new Overrider();
    overrider.step(input({}));
    assert.deepEqual(overrider.step(input(part))[0], end);
  }
  const overrider = new Overrider();
  overrider.step(input({}));
  assert.deepEqual(overrider.step(input({ heard: false })), []); // nobody to tell: it ages out
  assert.equal(overrider.guard, null);
});

test('after its time it is over until the button was let go', () => {
  const overrider = new Overrider();
  assert.deepEqual(overrider.step(input({})), [held]);
  assert.deepEqual(overrider.step(input({ now_ms: 29950 })), [held]);
  assert.deepEqual(overrider.step(input({ now_ms: 30000 })), [end]);
  assert.deepEqual(overrider.step(input({ now_ms: 40000 })), []);
  assert.deepEqual(overrider.step(input({ now_ms: 40050, guard: null })), []);
  assert.deepEqual(overrider.step(input({ now_ms: 40100 })), [held]);
});
