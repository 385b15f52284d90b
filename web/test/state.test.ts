import assert from 'node:assert/strict';
import test from 'node:test';
import { read_message, type Hello, type StateChange } from '../src/protocol';
import * as state from '../src/state';

const hello: Hello = {
  type: 'hello', version: 1, mission: 'office', t: 10,
  map: { x0: 0, y0: 0, cell: 0.1, width: 64, height: 64, tile: 32 },
  modes: ['stopped', 'paused', 'idle'],
  robots: [{ id: 1, name: 'emu1', length: 0.5, width: 0.4, speed_max: 0.6, thermal_field: 1 }],
};

function change(told: object): StateChange {
  const message = read_message(JSON.stringify({ type: 'state', t: 11, ...told }));
  assert.equal(message?.type, 'state');
  return message as StateChange;
}

test('a change keeps what it does not name', () => {
  const now = state.state_from_hello(hello, 0);
  state.apply_change(now, change({ explored_m2: 5, robots: [{ id: 1, x: 1 }] }), 100);
  state.apply_change(now, change({ stop_all: true }), 200);
  assert.equal(now.explored_m2, 5);
  assert.equal(now.stop_all, true);
  assert.equal(now.robots.get(1)?.x, 1);
});

test('the age of a picture grows while nothing comes', () => {
  const now = state.state_from_hello(hello, 0);
  state.apply_change(now, change({ robots: [{ id: 1, heard: 10.6 }] }), 1000);
  const robot = now.robots.get(1)!;
  assert.ok(Math.abs(state.picture_age_s(now, robot, 1000) - 0.4) < 1e-9);
  assert.ok(Math.abs(state.picture_age_s(now, robot, 3500) - 2.9) < 1e-9);
  assert.equal(state.silence_s(now, 3500), 2.5);
  assert.equal(state.freshness(robot, 0.4), 'fresh');
  assert.equal(state.freshness(robot, 2.9), 'old');
  assert.equal(state.freshness({ ...robot, lost: true }, 0.4), 'lost');
});

test('a trail goes on at the point named, and may be told again', () => {
  const now = state.state_from_hello(hello, 0);
  state.apply_change(now, change({ trails: [{ id: 1, from: 0, points: [[0, 0], [1, 0], [2, 0]] }] }), 0);
  state.apply_change(now, change({ trails: [{ id: 1, from: 3, points: [[3, 0]] }] }), 0);
  const before = now.trails.get(1)!.version;
  assert.deepEqual(now.trails.get(1)!.points.map(([x]) => x), [0, 1, 2, 3]);
  state.apply_change(now, change({ trails: [{ id: 1, from: 1, points: [[9, 0]] }] }), 0);
  assert.deepEqual(now.trails.get(1)!.points.map(([x]) => x), [0, 9]);
  assert.notEqual(now.trails.get(1)!.version, before);
});

test('events are kept once, and not without end', () => {
  const now = state.state_from_hello(hello, 0);
  const event = (number: number) => ({ number, t: 1, level: 'info', robot: 0, text: `${number}` });
  state.apply_change(now, change({ events: [event(1), event(2)] }), 0);
  state.apply_change(now, change({ events: [event(2), event(3)] }), 0);
  assert.deepEqual(now.events.map(({ number }) => number), [1, 2, 3]);
  state.apply_change(now, change({ events: Array.from({ length: 2000 }, (_, i) => event(i + 4)) }), 0);
  assert.equal(now.events.length, state.EVENT_COUNT_MAX);
  assert.equal(now.events[now.events.length - 1]!.number, 2003);
});

test('only what was acknowledged counts as stopped', () => {
  const now = state.state_from_hello(hello, 0);
  const robot = (id: number, wanted: boolean, acknowledged: boolean) => ({ id, stop: { wanted, acknowledged } });
  state.apply_change(now, change({ robots: [robot(3, true, false), robot(1, true, true), robot(2, false, true)] }), 0);
  assert.deepEqual(state.stop_tally(now), { wanted: 2, stopped: 1, waiting: [3] });
});

test('what is no message is told from what is', () => {
  for (const text of ['', '{', 'null', '3', '[]', '{"type":"state"}', '{"type":"hello","t":1}', '{"type":"other","t":1}'])
    assert.equal(read_message(text), null, text);
  assert.deepEqual(read_message('{"type":"refused","why":"x"}'), { type: 'refused', why: 'x' });
});

test('a victim that is the same as another goes', () => {
  const now = state.state_from_hello(hello, 0);
  state.apply_change(now, change({ victims: [{ number: 1, x: 1, y: 2 }, { number: 2, x: 1, y: 3 }] }), 100);
  state.apply_change(now, change({ victims: [{ number: 2, same_as: 1 }] }), 200);
  assert.deepEqual([...now.victims.keys()], [1]);
});
