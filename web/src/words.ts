// words.ts - figures and tasks as a person reads them. Pure.

import type { Point, Robot, Task } from './protocol';

export function age_words(age_s: number): string {
  if (age_s < 10) return `${age_s.toFixed(1)} s`;
  if (age_s < 120) return `${Math.floor(age_s)} s`;
  return `${Math.floor(age_s / 60)} min`;
}

export function clock_words(t: number): string {
  const s = Math.max(0, Math.floor(t));
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

export function speed_words(mps: number): string {
  return `${minus(mps.toFixed(2))} m/s`;
}

export function place_words(x: number, y: number): string {
  return `${minus(x.toFixed(1))}, ${minus(y.toFixed(1))}`;
}

// The true minus sign is as wide as a digit.
function minus(text: string): string {
  return text.replace('-', '\u2212');
}

export function signed_degrees(rad: number): string {
  return `${minus(((rad * 180) / Math.PI).toFixed(0)).replace(/^\u22120$/, '0')}°`;
}

const SHORT_MODES: Record<string, string> = {
  stopped: 'stopped',
  teleoperated: 'teleop',
  'assisted left': 'assist L',
  'assisted right': 'assist R',
  autonomous: 'auto',
};

export function short_mode(name: string): string {
  return SHORT_MODES[name] ?? name;
}

const MODE_GLYPHS: Record<string, string> = {
  stopped: '■',
  paused: 'Ⅱ',
  idle: '–',
  teleoperated: 'T',
  'assisted left': 'L',
  'assisted right': 'R',
  waypoint: 'W',
  autonomous: 'A',
};

export function mode_glyph(name: string): string {
  return MODE_GLYPHS[name] ?? '?';
}

// What is left of the way: from the point of it that is nearest to the robot, to its end.
export function remaining_m(at: Point, way: Point[], goal: Point | null): number {
  const points = way.length > 0 ? way : goal ? [goal] : [];
  let best = Infinity;
  let remaining = 0;
  let rest = 0; // from points[i] to the end
  for (let i = points.length - 1; i >= 0; i--) {
    const here = points[i]!;
    const next = points[i + 1];
    if (next) {
      const along = nearest_part(at, here, next);
      const off = distance(at, between(here, next, along));
      const length = distance(here, next);
      if (off < best) [best, remaining] = [off, off + (1 - along) * length + rest];
      rest += length;
    } else {
      [best, remaining] = [distance(at, here), distance(at, here)];
    }
  }
  return remaining;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function between(a: Point, b: Point, part: number): Point {
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
}

function nearest_part(p: Point, a: Point, b: Point): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const length2 = dx * dx + dy * dy;
  if (length2 === 0) return 0;
  return Math.min(1, Math.max(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2));
}

const NEAR_M = 0.5;

const UNDER_WAY: Record<string, string> = {
  go: 'going',
  explore: 'exploring',
  look: 'going to look',
  home: 'coming home',
};

const DONE: Record<string, string> = {
  go: 'arrived',
  explore: 'reached the frontier',
  look: 'has looked around',
  home: 'is home',
};

export interface TaskWords {
  text: string;
  trouble: boolean;
}

export function task_words(robot: Robot): TaskWords {
  const task = robot.task;
  if (!task || task.state === 'none') return { text: 'no task', trouble: false };
  if (task.state === 'done') return { text: DONE[task.purpose] ?? 'done', trouble: false };
  const name = UNDER_WAY[task.purpose] ?? task.purpose;
  if (task.state === 'under way') return { text: `${name}, ${distance_words(robot, task)}`, trouble: false };
  return { text: `${task.state}: ${name}, ${distance_words(robot, task)}`, trouble: true };
}

function distance_words(robot: Robot, task: Task): string {
  const left = remaining_m([robot.x, robot.y], task.way, task.goal);
  if (left < NEAR_M) return 'almost there';
  return `${left < 10 ? left.toFixed(1) : left.toFixed(0)} m away`;
}

// What has become of a robot, and how well it knows its place, if either is not as it should be.
export function trouble_words(robot: Robot): string {
  if (robot.condition) return robot.condition.needs_help ? `${robot.condition.name}: needs help` : robot.condition.name;
  if (robot.health === null || robot.health.name === 'good') return '';
  return `place ${health_words(robot)}`;
}

export function overridden_words(robot: Robot): string {
  return robot.overridden && robot.overridden.length > 0 ? `overridden: ${robot.overridden.join(', ')}` : '';
}

export function health_words(robot: Robot): string {
  if (robot.health === null) return '';
  return robot.health.reason ? `${robot.health.name}: ${robot.health.reason}` : robot.health.name;
}

export type StopWords = '' | 'stopping…' | 'STOPPED ✓' | 'STOPPED by its button' | 'releasing…';

export function stop_words(robot: Robot): StopWords {
  if (robot.stop.wanted && robot.guards.includes('stop button')) return 'STOPPED by its button';
  if (robot.stop.wanted) return robot.stop.acknowledged ? 'STOPPED ✓' : 'stopping…';
  return robot.stop.acknowledged ? '' : 'releasing…';
}
