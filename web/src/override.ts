// override.ts - from a button that is held to the actions that are sent, 20 times a second. Pure: no events, no clock.
//
// A guard is switched off only while the button is held, for a picture that is new, and for so long as the station said
// at most. Letting go, another robot, or a lost picture ends it; each end is told once, as long as there is somebody to
// tell. After its time is over the button must be let go and pressed again.

import type { Action } from './protocol';

export interface OverrideInput {
  robot: number | null; // selected
  guard: string | null; // whose button is held down
  heard: boolean; // the connection is live and the picture is not stale
  stopped: boolean; // a stop is latched: nothing moves
  shown: number; // t of the newest state
  seconds_max: number;
  now_ms: number;
}

export class Overrider {
  guard: string | null = null; // held at present
  robot: number | null = null; // of this robot
  private since_ms = 0;
  private spent = false; // its time is over, and the button is still held

  // One step of 50 ms; also called at once when the button goes. Returns what is to be sent, in order.
  step(input: OverrideInput): Action[] {
    const actions: Action[] = [];
    const over = this.guard !== null && this.left_s(input) <= 0;
    const wants = input.guard !== null && input.robot !== null && input.heard && !input.stopped && !over && !this.spent;
    if (!wants || this.robot !== input.robot || this.guard !== input.guard) this.let_go(input, actions);
    this.spent = input.guard !== null && (this.spent || over);
    if (!wants || input.robot === null || input.guard === null) return actions;
    if (this.guard === null) this.since_ms = input.now_ms;
    [this.robot, this.guard] = [input.robot, input.guard];
    actions.push({ do: 'override', robot: this.robot, guards: [this.guard], shown: input.shown });
    return actions;
  }

  left_s(input: { seconds_max: number; now_ms: number }): number {
    return input.seconds_max - (input.now_ms - this.since_ms) / 1000;
  }

  private let_go(input: OverrideInput, actions: Action[]): void {
    if (this.robot !== null && this.guard !== null && input.heard)
      actions.push({ do: 'override', robot: this.robot, guards: [], shown: input.shown });
    this.robot = this.guard = null;
  }
}
