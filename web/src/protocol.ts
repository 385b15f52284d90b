// protocol.ts - the words of docs/page.md as types, and the reading of what came.
//
// Units    metres, radians, seconds of the station's clock; map frame: x east, y north.
// Failure  read_message returns null for what is not a message; the caller counts it.

export const SUBPROTOCOL = 'cairn.1';
export const VERSION = 1;

export type Point = [number, number];

export interface MapShape {
  x0: number; // lower-left corner
  y0: number;
  cell: number; // edge
  width: number; // cells
  height: number;
  tile: number; // cells along the edge of a tile
}

export interface RobotShape {
  id: number;
  name: string;
  length: number;
  width: number;
  speed_max: number;
  thermal_field: number;
}

export interface Hello {
  type: 'hello';
  version: number;
  mission: string;
  t: number;
  map: MapShape;
  modes: string[];
  overridable?: string[]; // guards that may be switched off; a station that is older has none
  override_s?: number; // for so long at most
  robots: RobotShape[];
}

export interface Task {
  id: number;
  purpose: string;
  state: string;
  goal: Point | null;
  target: Point | null;
  way: Point[];
}

export interface Link {
  state: string;
  quality: number; // 0..1
  loss: number; // 0..1
  unheard: number; // s since the station said what the robot is known to have heard last
  round_trip: number;
  clock: { synchronised: boolean; offset: number; uncertainty: number } | null;
}

export interface Robot {
  id: number;
  x: number;
  y: number;
  yaw: number;
  speed: number;
  mode: number; // index in hello.modes
  heard: number;
  lost: boolean;
  battery: number | null; // percent
  match: number | null; // percent
  roll: number;
  pitch: number;
  guards: string[];
  overridden: string[] | null; // those that would act, but are switched off; null: it knows no overrides
  areas: boolean; // it keeps to the areas as they are now
  condition: { name: string; advice: string; needs_help: boolean } | null; // null: well, or not told
  health: { name: 'good' | 'degraded' | 'lost'; reason: string } | null; // of its place; null: not told
  link: Link;
  order: { mode: number; taken: boolean } | null;
  stop: { wanted: boolean; acknowledged: boolean };
  task: Task | null;
}

// Where robots may be.
export interface Area {
  name: string;
  kind: 'keep_in' | 'keep_out';
  corners: Point[];
}

export interface Victim {
  number: number;
  x: number;
  y: number;
  floor: number; // as its finder counts them, from its start
  z?: number; // above the ground
  deviation: number;
  temperature: number; // degrees Celsius
  confidence: number; // percent
  found_by: number;
  first_seen: number;
  last_seen: number;
  sightings: number;
}

// Instead of a victim, when it turned out to be the same as an earlier one.
export interface JoinedVictim {
  number: number;
  same_as: number;
}

export type Level = 'info' | 'warn' | 'error';

export interface StationEvent {
  number: number;
  t: number;
  level: Level;
  robot: number; // 0: nobody's
  text: string;
}

export interface StateChange {
  type: 'state';
  t: number;
  done?: boolean;
  explored_m2?: number;
  searched_m2?: number;
  stop_all?: boolean;
  areas?: Area[]; // all of them
  robots?: Robot[];
  trails?: { id: number; from: number; points: Point[] }[];
  victims?: (Victim | JoinedVictim)[];
  events?: StationEvent[];
}

export interface Refused {
  type: 'refused';
  why: string;
}

export type Message = Hello | StateChange | Refused;

export type Action =
  | { do: 'mode'; robot: number; mode: string }
  | { do: 'go'; robot: number; x: number; y: number }
  | { do: 'home'; robot: number }
  | { do: 'drive'; robot: number; forward: number; turn: number; dead_man: boolean; shown: number }
  | { do: 'override'; robot: number; guards: string[]; shown: number }
  | { do: 'stop'; robot?: number }
  | { do: 'release'; robot?: number };

const NO_LINK: Link = { state: 'unknown', quality: 0, loss: 0, unheard: 0, round_trip: 0, clock: null };

// Fills in what a robot's report leaves out, so that no drawing has to ask.
function whole_robot(told: Partial<Robot> & { id: number }): Robot {
  return {
    x: 0,
    y: 0,
    yaw: 0,
    speed: 0,
    mode: 2,
    heard: 0,
    lost: false,
    battery: null,
    match: null,
    roll: 0,
    pitch: 0,
    order: null,
    condition: null,
    health: null,
    overridden: null,
    areas: true,
    ...told,
    guards: told.guards ?? [],
    link: { ...NO_LINK, ...told.link },
    stop: told.stop ?? { wanted: false, acknowledged: true },
    task: told.task ? { ...told.task, way: told.task.way ?? [] } : null,
  };
}

export function read_message(text: string): Message | null {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof told !== 'object' || told === null || !('type' in told)) return null;
  const message = told as Message;
  if (message.type === 'refused') return message;
  if (typeof message.t !== 'number') return null;
  if (message.type === 'hello') return message.map && message.robots ? message : null;
  if (message.type !== 'state') return null;
  if (message.robots) message.robots = message.robots.map(whole_robot);
  return message;
}
