// state.ts - what the station has told so far. No page, no network, no clock: time is a parameter.
//
// Memory   EVENT_COUNT_MAX events; trails grow with the mission, as the station's do.

import type { Area, Hello, JoinedVictim, Point, Robot, StateChange, StationEvent, Victim } from './protocol';

export const EVENT_COUNT_MAX = 500;
export const STALE_S = 2; // no message for so long: the picture is not to be trusted
export const OLD_S = 1.5; // a robot not heard for so long

// A robot's way so far.
export interface Trail {
  points: Point[];
  version: number; // changes when points are taken away
}

export interface State {
  hello: Hello | null;
  t: number; // of the newest message, station's clock
  heard_ms: number; // when it came, page's clock
  done: boolean;
  explored_m2: number;
  searched_m2: number;
  stop_all: boolean;
  areas: Area[];
  robots: Map<number, Robot>;
  trails: Map<number, Trail>;
  victims: Map<number, Victim>;
  events: StationEvent[]; // oldest first
}

export function empty_state(): State {
  return {
    hello: null,
    t: 0,
    heard_ms: -Infinity,
    done: false,
    explored_m2: 0,
    searched_m2: 0,
    stop_all: false,
    areas: [],
    robots: new Map(),
    trails: new Map(),
    victims: new Map(),
    events: [],
  };
}

// A hello begins anew: what was known came from a connection that is gone.
export function state_from_hello(hello: Hello, now_ms: number): State {
  return { ...empty_state(), hello, t: hello.t, heard_ms: now_ms };
}

export function apply_change(state: State, change: StateChange, now_ms: number): void {
  state.t = change.t;
  state.heard_ms = now_ms;
  state.done = change.done ?? state.done;
  state.explored_m2 = change.explored_m2 ?? state.explored_m2;
  state.searched_m2 = change.searched_m2 ?? state.searched_m2;
  state.stop_all = change.stop_all ?? state.stop_all;
  state.areas = change.areas ?? state.areas;
  for (const robot of change.robots ?? []) state.robots.set(robot.id, robot);
  for (const victim of change.victims ?? []) set_victim(state, victim);
  for (const piece of change.trails ?? []) extend_trail(state, piece.id, piece.from, piece.points);
  if (change.events) add_events(state, change.events);
}

// One that turned out to be the same as another is no longer there.
function set_victim(state: State, victim: Victim | JoinedVictim): void {
  if ('same_as' in victim) state.victims.delete(victim.number);
  else state.victims.set(victim.number, victim);
}

function extend_trail(state: State, id: number, from: number, points: Point[]): void {
  let trail = state.trails.get(id);
  if (!trail) state.trails.set(id, (trail = { points: [], version: 0 }));
  if (from < trail.points.length) {
    trail.points.length = from;
    trail.version++;
  }
  for (const point of points) trail.points.push(point);
}

function add_events(state: State, events: StationEvent[]): void {
  const newest = state.events[state.events.length - 1]?.number ?? -1;
  for (const event of events) if (event.number > newest) state.events.push(event);
  if (state.events.length > EVENT_COUNT_MAX) state.events.splice(0, state.events.length - EVENT_COUNT_MAX);
}

// The station's clock as it must be by now: it goes on while nothing comes.
export function station_time(state: State, now_ms: number): number {
  return state.hello ? state.t + Math.max(0, now_ms - state.heard_ms) / 1000 : 0;
}

export function silence_s(state: State, now_ms: number): number {
  return (now_ms - state.heard_ms) / 1000;
}

export function picture_age_s(state: State, robot: Robot, now_ms: number): number {
  return Math.max(0, station_time(state, now_ms) - robot.heard);
}

export type Freshness = 'fresh' | 'old' | 'lost';

export function freshness(robot: Robot, age_s: number): Freshness {
  if (robot.lost) return 'lost';
  return age_s > OLD_S ? 'old' : 'fresh';
}

export interface StopTally {
  wanted: number; // robots that are to stop
  stopped: number; // of them, have said so
  waiting: number[]; // ids of the others
}

export function stop_tally(state: State): StopTally {
  const tally: StopTally = { wanted: 0, stopped: 0, waiting: [] };
  for (const robot of sorted_robots(state)) {
    if (!robot.stop.wanted) continue;
    tally.wanted++;
    if (robot.stop.acknowledged) tally.stopped++;
    else tally.waiting.push(robot.id);
  }
  return tally;
}

export function sorted_robots(state: State): Robot[] {
  return [...state.robots.values()].sort((a, b) => a.id - b.id);
}
