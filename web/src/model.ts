// model.ts - all that the page shows, in one place. Views read it; commands and messages change it and say what changed.

import type { Camera } from './camera';
import type { ThemeName } from './colours';
import type { DriveState, Stick } from './drive';
import { MapStore } from './map_store';
import type { RobotShape } from './protocol';
import { empty_state, silence_s, STALE_S, type State } from './state';
import { StopWish } from './stop';

// What must be drawn anew, as bits. `all` is for what the person does: it is shown at once.
export const CHANGED = { map: 1, text: 2, all: 7 } as const;

// A robot that was sent somewhere and has not been heard to go.
export interface Sending {
  robot: number;
  x: number;
  y: number;
  at_ms: number;
  task_before: number | null;
}

export interface Notice {
  text: string;
  level: 'info' | 'warn';
  until_ms: number;
}

export interface Model {
  state: State;
  store: MapStore | null;
  connected: boolean;
  retry_at_ms: number | null;
  selected: number | null;
  camera: Camera;
  follow: boolean;
  fitted: boolean;
  theme: ThemeName;
  sending: Sending | null;
  notice: Notice | null;
  events_seen: number;
  stop_wish: StopWish;
  drive: { state: DriveState; sent: Stick; strength: number; gamepad: string | null };
}

export function empty_model(): Model {
  return {
    state: empty_state(),
    store: null,
    connected: false,
    retry_at_ms: null,
    selected: null,
    camera: { x: 0, y: 0, px_per_m: 20 },
    follow: false,
    fitted: true,
    theme: 'dark',
    sending: null,
    notice: null,
    events_seen: 0,
    stop_wish: new StopWish(),
    drive: { state: 'off', sent: { forward: 0, turn: 0 }, strength: 0.5, gamepad: null },
  };
}

export function selected_robot(model: Model) {
  return model.selected === null ? null : (model.state.robots.get(model.selected) ?? null);
}

export function is_stale(model: Model, now_ms: number): boolean {
  return model.state.hello !== null && silence_s(model.state, now_ms) > STALE_S;
}

export function mode_name(model: Model, mode: number): string {
  return model.state.hello?.modes[mode] ?? 'unknown';
}

export function robot_shape(model: Model, id: number): RobotShape | undefined {
  return model.state.hello?.robots.find((robot) => robot.id === id);
}

export function robot_name(model: Model, id: number): string {
  return robot_shape(model, id)?.name ?? `robot ${id}`;
}
