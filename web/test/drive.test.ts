import assert from 'node:assert/strict';
import test from 'node:test';
import { CENTRED, Driver, stick_from_axes, stick_from_keys, type DriveInput } from '../src/drive';

const input = (part: Partial<DriveInput>): DriveInput => ({
  robot: 1, dead_man: true, stick: { forward: 0.5, turn: 0 }, heard: true, stopped: false, obeys_stick: true, shown: 7, ...part,
});

test('keys add up; left is positive', () => {
  assert.deepEqual(stick_from_keys(new Set(['KeyW', 'ArrowLeft']), 0.5), { forward: 0.5, turn: 0.5 });
  assert.deepEqual(stick_from_keys(new Set(['KeyW', 'KeyS', 'KeyD']), 1), { forward: 0, turn: -1 });
});

test('a stick near its middle is in the middle', () => {
  assert.equal(Math.abs(stick_from_axes(0.1, -0.1, 1).forward), 0);
  assert.deepEqual(stick_from_axes(-1, -1, 0.5), { forward: 0.5, turn: 0.5 });
});

test('nothing is sent without the dead-man', () => {
  const driver = new Driver();
  assert.deepEqual(driver.step(input({ dead_man: false })), []);
  assert.equal(driver.state, 'off');
});

test('the whole stick is sent each step, and one end', () => {
  const driver = new Driver();
  for (let i = 0; i < 3; i++)
    assert.deepEqual(driver.step(input({})), [{ do: 'drive', robot: 1, forward: 0.5, turn: 0, dead_man: true, shown: 7 }]);
  const end = { do: 'drive', robot: 1, forward: 0, turn: 0, dead_man: false, shown: 8 };
  assert.deepEqual(driver.step(input({ dead_man: false, shown: 8 })), [end]);
  assert.deepEqual(driver.step(input({ dead_man: false, shown: 9 })), []);
});

test('a robot that does not obey the stick is taken over only when the stick moves', () => {
  const driver = new Driver();
  assert.deepEqual(driver.step(input({ obeys_stick: false, stick: CENTRED })), []);
  const kinds = driver.step(input({ obeys_stick: false })).map((action) => action.do);
  assert.deepEqual(kinds, ['mode', 'drive']);
  assert.equal(driver.state, 'taking over');
  let orders = 0;
  for (let i = 0; i < 19; i++) orders += driver.step(input({ obeys_stick: false })).length - 1;
  assert.equal(orders, 0);
});

test('choosing another robot ends the first', () => {
  const driver = new Driver();
  driver.step(input({}));
  const actions = driver.step(input({ robot: 2 }));
  assert.deepEqual(actions.map((a) => a.do === 'drive' && [a.robot, a.dead_man]), [[1, false], [2, true]]);
});

test('a stale picture or a latched stop ends the driving', () => {
  const driver = new Driver();
  driver.step(input({}));
  assert.deepEqual(driver.step(input({ heard: false })), []);
  assert.equal(driver.state, 'no picture');
  driver.step(input({}));
  const actions = driver.step(input({ stopped: true }));
  assert.deepEqual(actions.map((a) => a.do === 'drive' && a.dead_man), [false]);
  assert.deepEqual(driver.step(input({ stopped: true, obeys_stick: false })), []);
});
