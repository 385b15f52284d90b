import assert from 'node:assert/strict';
import test from 'node:test';
import { backoff_ms } from '../src/connection';
import type { Robot } from '../src/protocol';
import { empty_state } from '../src/state';
import { Hold, HOLD_MS, release_action, stop_face, StopWish } from '../src/stop';

const robot = (id: number, wanted: boolean, acknowledged: boolean) => ({ id, stop: { wanted, acknowledged } }) as Robot;

test('a stop is sent again until the station shows it, and after a reconnection', () => {
  const wish = new StopWish();
  const state = empty_state();
  assert.equal(wish.step(state, true, 0), null);
  wish.ask();
  assert.equal(wish.step(state, false, 0), null);
  assert.equal(stop_face(state, wish, false).title, 'NOT SENT');
  assert.deepEqual(wish.step(state, true, 10), { do: 'stop' });
  assert.equal(wish.step(state, true, 500), null);
  assert.deepEqual(wish.step(state, true, 1100), { do: 'stop' });
  state.stop_all = true;
  assert.equal(wish.step(state, true, 5000), null);
  assert.equal(wish.pending, false);
});

test('a stop that is asked for while all are stopped is still sent', () => {
  const wish = new StopWish();
  const state = { ...empty_state(), stop_all: true };
  wish.ask();
  assert.deepEqual(wish.step(state, true, 0), { do: 'stop' });
});

test('the button tells who has stopped', () => {
  const state = { ...empty_state(), stop_all: true };
  for (const each of [robot(1, true, true), robot(2, true, false)]) state.robots.set(each.id, each);
  assert.deepEqual(stop_face(state, new StopWish(), true), { title: 'STOPPING…', detail: '1 of 2 stopped, not 2', kind: 'stopping' });
  state.robots.set(2, robot(2, true, true));
  assert.equal(stop_face(state, new StopWish(), true).detail, '2 of 2 stopped ✓');
});

test('a release must be held, and happens once', () => {
  const hold = new Hold();
  hold.press(0);
  assert.equal(hold.due(HOLD_MS - 1), false);
  hold.let_go();
  assert.equal(hold.due(HOLD_MS + 1), false);
  hold.press(5000);
  assert.equal(hold.due(5000 + HOLD_MS), true);
  assert.equal(hold.due(5001 + HOLD_MS), false);
});

test('the release key means all only when all are stopped', () => {
  const state = empty_state();
  state.robots.set(1, robot(1, true, true));
  assert.equal(release_action(state, null), null);
  assert.deepEqual(release_action(state, 1), { do: 'release', robot: 1 });
  state.stop_all = true;
  assert.deepEqual(release_action(state, 1), { do: 'release' });
});

test('tries come less often, up to five seconds', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 99].map(backoff_ms), [500, 1000, 2000, 4000, 5000, 5000]);
});
