// stop.ts - stop and release: what the person wants, until the station has it, and how it is told. Pure.

import type { Action } from './protocol';
import { stop_tally, type State } from './state';

const AGAIN_MS = 1000;
export const HOLD_MS = 1000;

// A stop-all that was asked for is sent again, each second and after each reconnection, until the station shows it.
export class StopWish {
  private asked = false;
  private sent_ms = -Infinity;

  ask(): void {
    this.asked = true;
    this.sent_ms = -Infinity;
  }

  get pending(): boolean {
    return this.asked;
  }

  // What is to be sent now, if anything.
  step(state: State, connected: boolean, now_ms: number): Action | null {
    if (state.stop_all && connected && this.sent_ms > -Infinity) this.asked = false;
    if (!this.asked || !connected || now_ms - this.sent_ms < AGAIN_MS) return null;
    this.sent_ms = now_ms;
    return { do: 'stop' };
  }
}

export interface StopFace {
  title: string;
  detail: string;
  kind: 'ready' | 'asked' | 'stopping' | 'stopped';
}

export function stop_face(state: State, wish: StopWish, connected: boolean): StopFace {
  if (wish.pending && !connected) return { title: 'NOT SENT', detail: 'no connection: sent when it is back', kind: 'asked' };
  if (wish.pending && !state.stop_all) return { title: 'STOPPING…', detail: 'waiting for the station', kind: 'asked' };
  if (!state.stop_all) return { title: 'STOP ALL', detail: 'Space', kind: 'ready' };
  const { wanted, stopped, waiting } = stop_tally(state);
  if (waiting.length === 0) return { title: 'ALL STOPPED', detail: `${stopped} of ${wanted} stopped ✓`, kind: 'stopped' };
  return { title: 'STOPPING…', detail: `${stopped} of ${wanted} stopped, not ${waiting.join(', ')}`, kind: 'stopping' };
}

// Something that must be held down for HOLD_MS to happen, and happens once.
export class Hold {
  private began_ms: number | null = null;
  private fired = false;

  press(now_ms: number): void {
    this.began_ms ??= now_ms;
  }

  let_go(): void {
    this.began_ms = null;
    this.fired = false;
  }

  get held(): boolean {
    return this.began_ms !== null;
  }

  progress(now_ms: number): number {
    if (this.began_ms === null) return 0;
    return Math.min(1, (now_ms - this.began_ms) / HOLD_MS);
  }

  // True once, when it has been held long enough.
  due(now_ms: number): boolean {
    if (this.fired || this.progress(now_ms) < 1) return false;
    this.fired = true;
    return true;
  }
}

// What the release key means now: all when all are stopped, else the chosen robot.
export function release_action(state: State, selected: number | null): Action | null {
  if (state.stop_all) return { do: 'release' };
  if (selected !== null && state.robots.get(selected)?.stop.wanted) return { do: 'release', robot: selected };
  return null;
}
