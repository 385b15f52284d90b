import assert from 'node:assert/strict';
import test from 'node:test';
import type { Robot } from '../src/protocol';
import * as words from '../src/words';

test('ages and clocks', () => {
  assert.equal(words.age_words(0.44), '0.4 s');
  assert.equal(words.age_words(12.9), '12 s');
  assert.equal(words.age_words(150), '2 min');
  assert.equal(words.clock_words(3725.9), '1:02:05');
  assert.equal(words.place_words(-1.26, 0), '\u22121.3, 0.0');
  assert.equal(words.signed_degrees(-0.001), '0°');
});

test('what is left of a way, from where the robot is on it', () => {
  assert.equal(words.remaining_m([0, 0], [], [3, 4]), 5);
  assert.equal(words.remaining_m([0, 0], [], null), 0);
  const way: [number, number][] = [[0, 0], [4, 0], [4, 3]];
  assert.equal(words.remaining_m([0, 0], way, [4, 3]), 7);
  assert.equal(words.remaining_m([2, 0], way, [4, 3]), 5);
  assert.equal(words.remaining_m([4, 3], way, [4, 3]), 0);
  assert.equal(words.remaining_m([4, 1], way, [4, 3]), 2);
});

test('tasks and stops in words', () => {
  const robot = (part: object) => ({ x: 0, y: 0, task: null, guards: [], stop: { wanted: false, acknowledged: true }, ...part }) as unknown as Robot;
  const task = { id: 1, purpose: 'explore', state: 'under way', goal: [12, 0], target: null, way: [] };
  assert.deepEqual(words.task_words(robot({ task })), { text: 'exploring, 12 m away', trouble: false });
  assert.equal(words.task_words(robot({ task: { ...task, goal: [0.2, 0] } })).text, 'exploring, almost there');
  assert.equal(words.task_words(robot({ task: { ...task, state: 'no way' } })).trouble, true);
  assert.equal(words.task_words(robot({})).text, 'no task');
  assert.equal(words.stop_words(robot({ stop: { wanted: true, acknowledged: false } })), 'stopping…');
  assert.equal(words.stop_words(robot({ stop: { wanted: true, acknowledged: true } })), 'STOPPED ✓');
  assert.equal(words.stop_words(robot({ guards: ['stop button'], stop: { wanted: true, acknowledged: true } })), 'STOPPED by its button');
  assert.equal(words.stop_words(robot({ stop: { wanted: false, acknowledged: false } })), 'releasing…');
  assert.equal(words.stop_words(robot({})), '');
});
