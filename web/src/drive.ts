// drive.ts - from keys or a stick to the actions that are sent, 20 times a second. Pure: no events, no clock.
//
// Nothing moves without the dead-man. Letting it go, choosing another robot, or losing the picture ends the driving;
// each end is told once with dead_man false, as long as there is somebody to tell.

import type { Action } from './protocol';

export const STEP_MS = 50;
const ORDER_AGAIN_STEPS = 20;
const DEAD_ZONE = 0.12;

export interface Stick {
  forward: number; // -1..1
  turn: number; // -1..1, left positive
}

export const CENTRED: Stick = { forward: 0, turn: 0 };

const FORWARD = ['KeyW', 'ArrowUp'];
const BACK = ['KeyS', 'ArrowDown'];
const LEFT = ['KeyA', 'ArrowLeft'];
const RIGHT = ['KeyD', 'ArrowRight'];
export const DRIVE_CODES: ReadonlySet<string> = new Set([...FORWARD, ...BACK, ...LEFT, ...RIGHT]);

export function stick_from_keys(held: ReadonlySet<string>, strength: number): Stick {
  const any = (codes: string[]) => (codes.some((code) => held.has(code)) ? strength : 0);
  return { forward: any(FORWARD) - any(BACK), turn: any(LEFT) - any(RIGHT) };
}

// Axes point right and down; the middle of a worn stick is not quite zero.
export function stick_from_axes(x: number, y: number, strength: number): Stick {
  return { forward: -live_part(y) * strength, turn: -live_part(x) * strength };
}

function live_part(value: number): number {
  const size = Math.abs(value);
  if (size < DEAD_ZONE) return 0;
  return Math.sign(value) * Math.min(1, (size - DEAD_ZONE) / (1 - DEAD_ZONE));
}

export function moved(stick: Stick): boolean {
  return stick.forward !== 0 || stick.turn !== 0;
}

export interface DriveInput {
  robot: number | null; // selected
  dead_man: boolean;
  stick: Stick;
  heard: boolean; // the connection is live and the picture is not stale
  stopped: boolean; // a stop is latched: nothing is ordered
  obeys_stick: boolean; // the robot's mode takes the stick
  shown: number; // t of the newest state
}

export type DriveState = 'off' | 'taking over' | 'driving' | 'stopped' | 'no picture';

export class Driver {
  state: DriveState = 'off';
  sent: Stick = CENTRED;
  private robot: number | null = null; // being driven
  private ordered_steps = 0;

  // One step of 50 ms; also called at once when the dead-man goes. Returns what is to be sent, in order.
  step(input: DriveInput): Action[] {
    const actions: Action[] = [];
    const wants = input.dead_man && input.robot !== null && (this.robot !== null || input.obeys_stick || moved(input.stick));
    if (!wants || this.robot !== input.robot || !input.heard || input.stopped) this.let_go(input, actions);
    if (!wants || input.robot === null) {
      this.state = 'off';
      return actions;
    }
    if (!input.heard || input.stopped) {
      this.state = input.heard ? 'stopped' : 'no picture';
      return actions;
    }
    this.robot = input.robot;
    this.take_over(input, actions);
    this.sent = { ...input.stick };
    actions.push(drive(input.robot, input.stick, true, input.shown));
    return actions;
  }

  private let_go(input: DriveInput, actions: Action[]): void {
    if (this.robot !== null && input.heard) actions.push(drive(this.robot, CENTRED, false, input.shown));
    this.robot = null;
    this.sent = CENTRED;
    this.ordered_steps = 0;
  }

  private take_over(input: DriveInput, actions: Action[]): void {
    this.state = input.obeys_stick ? 'driving' : 'taking over';
    if (input.obeys_stick || input.robot === null) return;
    if (this.ordered_steps++ % ORDER_AGAIN_STEPS === 0)
      actions.push({ do: 'mode', robot: input.robot, mode: 'teleoperated' });
  }
}

function drive(robot: number, stick: Stick, dead_man: boolean, shown: number): Action {
  return { do: 'drive', robot, forward: round(stick.forward), turn: round(stick.turn), dead_man, shown };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000 || 0;
}
