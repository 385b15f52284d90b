// station.mjs - a made-up station for the page's own tests and for working on the page. It is a test double: no robot,
// no radio, no simulator; robots are points that walk through a made-up floor. It speaks docs/page.md.
//
//   node dev/station.mjs [--port 8100] [--robots 3] [--dir dist] [--seed 1] [--ahead 0] [--quiet-start]
//
// --ahead SECONDS runs the mission so far before anybody is served. It can be made to misbehave, by HTTP POST:
//   /control/stall?ms=3000   says nothing for so long      /control/drop       closes all connections
//   /control/lost?id=2&on=1  a robot is not heard          /control/guard?id=2&on=1  a guard acts
//   /control/areas?on=1      there are areas to keep in and out of
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { Building, CELL, HEIGHT, ORIGIN, random_stream, WIDTH } from './building.mjs';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8100' },
    robots: { type: 'string', default: '3' },
    dir: { type: 'string', default: new URL('../dist', import.meta.url).pathname },
    seed: { type: 'string', default: '1' },
    ahead: { type: 'string', default: '0' },
    'quiet-start': { type: 'boolean', default: false },
  },
});

const MODES = ['stopped', 'paused', 'idle', 'teleoperated', 'assisted left', 'assisted right', 'waypoint', 'autonomous'];
const [STOPPED, PAUSED, IDLE, TELEOPERATED, , ASSISTED_RIGHT, WAYPOINT, AUTONOMOUS] = MODES.keys();
const OVERRIDABLE = ['tilt', 'imu', 'bump', 'obstacle', 'drop', 'tipping', 'wheels spin', 'area', 'battery empty'];
const AREAS = [
  { name: 'the floor', kind: 'keep_in', corners: [[-30, -30], [30, -30], [30, 30], [-30, 30]] },
  { name: 'bad stair', kind: 'keep_out', corners: [[3, 3], [6, 3], [6.5, 5], [3, 5.5]] },
];
const TILE = 32;
const STEP_S = 0.1;
const SPEED_MAX = 0.6;
const TURN_MAX = 1.5;
const RANGE_M = 6;
const NO_LOST_S = 3;

const random = random_stream(Number(options.seed));
const building = new Building(random);
const known = new Uint8Array(WIDTH * HEIGHT); // as the page is told: 0 unknown, 1 free, 2 obstacle, 3 looked at
const tile_columns = Math.ceil(WIDTH / TILE);
const tile_rows = Math.ceil(HEIGHT / TILE);
const tile_version = new Uint32Array(tile_columns * tile_rows);

let t = 0;
let version = 1;
let stop_all = false;
let areas = [];
let stalled_until_ms = 0;
let task_count = 0;
const events = [];
const victims = [];
const hidden_victims = [];

function say(level, robot, text) {
  events.push({ number: events.length + 1, t, level, robot, text });
}

const robots = Array.from({ length: Number(options.robots) }, (_, i) => ({
  id: i + 1,
  name: `emu${i + 1}`,
  x: -1.2 + 1.3 * Math.floor(i / 3),
  y: -1 + 0.95 * (i % 3),
  yaw: 0,
  speed: 0,
  mode: options['quiet-start'] ? IDLE : AUTONOMOUS,
  ordered: null, // { mode, at }
  heard: 0,
  unheard: false,
  battery: 97 - 6 * (i % 9),
  guards: [],
  override: null, // { guards, came }
  stop: { wanted: false, acknowledged: true, at: 0 },
  task: null,
  stick: null,
  trail: [],
  version: 1,
  reports: i * 0.4, // does so first
  loss: 0.01 + 0.07 * (i % 4),
}));

function place_victims() {
  for (let i = 0; i < 8; i++) {
    const way = building.way(robots[0] ?? { x: 0, y: 0 }, null, random);
    const [x, y] = way[way.length - 1];
    hidden_victims.push({ x, y });
  }
}

// What one robot sees from where it stands: rays until the first wall.
function look(robot) {
  const RAYS = 240;
  for (let i = 0; i < RAYS; i++) {
    const angle = (2 * Math.PI * i) / RAYS;
    const thermal = Math.abs(Math.atan2(Math.sin(angle - robot.yaw), Math.cos(angle - robot.yaw))) < 0.52;
    for (let r = 0; r < RANGE_M; r += CELL * 0.7) {
      const at = building.cell(robot.x + r * Math.cos(angle), robot.y + r * Math.sin(angle));
      if (at < 0) break;
      const hit = building.wall[at] === 1;
      learn(at, hit ? 2 : thermal && r < 4 ? 3 : 1);
      if (hit) break;
    }
  }
}

function learn(at, cell) {
  if (known[at] === cell || (cell === 1 && known[at] === 3)) return;
  known[at] = cell;
  tile_version[Math.floor(at / WIDTH / TILE) * tile_columns + Math.floor((at % WIDTH) / TILE)] = version;
}

function find_victims(robot) {
  hidden_victims.forEach((victim, i) => {
    if (!victim || Math.hypot(victim.x - robot.x, victim.y - robot.y) > 3.5) return;
    hidden_victims[i] = null;
    const number = victims.length + 1;
    victims.push({
      number, x: victim.x, y: victim.y, deviation: 0.15 + 0.3 * random(), temperature: 31 + 5 * random(),
      confidence: Math.round(75 + 24 * random()), found_by: robot.id, first_seen: t, last_seen: t, sightings: 1, version,
    });
    say('warn', robot.id, `victim ${number} found at ${victim.x.toFixed(1)}, ${victim.y.toFixed(1)}`);
  });
}

function give_task(robot, purpose, to) {
  const way = building.way(robot, to, random);
  if (!way) {
    robot.task = null;
    say('warn', robot.id, `no way to ${to.x.toFixed(1)}, ${to.y.toFixed(1)}`);
    return;
  }
  const goal = way[way.length - 1];
  const target = purpose === 'explore' || purpose === 'look' ? [goal[0] + 0.8, goal[1] + 0.5] : goal;
  robot.task = { id: ++task_count, purpose, state: 'under way', goal, target, way };
}

function follow_way(robot) {
  const task = robot.task;
  if (!task || task.state !== 'under way') return (robot.speed = 0);
  const next = task.way[0];
  if (!next) {
    task.state = 'done';
    if (task.purpose === 'go') say('info', robot.id, 'arrived');
    return (robot.speed = 0);
  }
  const off = Math.atan2(next[1] - robot.y, next[0] - robot.x) - robot.yaw;
  const turn = Math.atan2(Math.sin(off), Math.cos(off));
  robot.yaw += Math.max(-TURN_MAX * STEP_S, Math.min(TURN_MAX * STEP_S, turn));
  robot.speed = Math.abs(turn) > 0.8 ? 0.05 : SPEED_MAX;
  if (Math.hypot(next[0] - robot.x, next[1] - robot.y) < 0.2) task.way.shift();
}

function follow_stick(robot) {
  const held = robot.stick && robot.stick.dead_man && t - robot.stick.came < 0.3;
  robot.speed = held ? robot.stick.forward * SPEED_MAX : 0;
  if (held) robot.yaw += robot.stick.turn * TURN_MAX * STEP_S;
}

function take_orders(robot) {
  if (robot.ordered && t >= robot.ordered.at) {
    robot.mode = robot.ordered.mode;
    robot.ordered = null;
    say('info', robot.id, `mode ${MODES[robot.mode]}`);
  }
  if (!robot.stop.acknowledged && t >= robot.stop.at && !robot.unheard) {
    robot.stop.acknowledged = true;
    robot.mode = robot.stop.wanted ? STOPPED : IDLE;
    if (robot.stop.wanted) robot.task = null;
    say('info', robot.id, robot.stop.wanted ? 'stopped' : 'released, idle');
  }
}

function step_robot(robot) {
  take_orders(robot);
  if (robot.mode === AUTONOMOUS && robot.task?.state !== 'under way') give_task(robot, random() < 0.75 ? 'explore' : 'look', null);
  if (robot.mode === AUTONOMOUS || robot.mode === WAYPOINT) follow_way(robot);
  else if (robot.mode >= TELEOPERATED && robot.mode <= ASSISTED_RIGHT) follow_stick(robot);
  else robot.speed = 0;
  const x = robot.x + robot.speed * STEP_S * Math.cos(robot.yaw);
  const y = robot.y + robot.speed * STEP_S * Math.sin(robot.yaw);
  if (!building.is_wall(x, y)) [robot.x, robot.y] = [x, y];
  robot.battery = Math.max(3, robot.battery - 0.004 * STEP_S * (robot.speed > 0 ? 5 : 1));
}

let steps = 0;

function step() {
  t += STEP_S;
  version++;
  steps++;
  for (const robot of robots) {
    if (t < robot.reports) continue;
    step_robot(robot);
    if (robot.unheard) {
      if (!robot.lost && t - robot.heard > NO_LOST_S) {
        robot.lost = true;
        robot.version = version;
        say('error', robot.id, 'lost: not heard for 3 s');
      }
      continue;
    }
    if ((steps + robot.id) % 5 === 0) report(robot);
  }
}

// Twice a second, as over the radio.
function report(robot) {
  if (robot.lost) say('info', robot.id, 'heard again');
  if (robot.heard === 0) say('info', robot.id, 'reports for the first time');
  robot.lost = false;
  robot.heard = t;
  robot.version = version;
  const last = robot.trail[robot.trail.length - 1];
  if (!last || Math.hypot(last[0] - robot.x, last[1] - robot.y) > 0.1) robot.trail.push([robot.x, robot.y]);
  if ((steps + robot.id) % 10 < 5) look(robot);
  find_victims(robot);
  robot.told = told(robot);
}

// Guards that somebody holds switched off just now.
function held_off(robot) {
  return robot.override && t - robot.override.came < 0.5 ? robot.override.guards : [];
}

function told(robot) {
  const quality = robot.unheard ? 0 : 1 - 3 * robot.loss;
  return {
    id: robot.id, x: robot.x, y: robot.y, yaw: robot.yaw, speed: robot.speed, mode: robot.mode,
    heard: robot.heard, battery: Math.round(robot.battery), match: 93, roll: 0.02, pitch: robot.guards.length ? 0.4 : -0.01,
    guards: robot.guards.filter((guard) => !held_off(robot).includes(guard)),
    overridden: robot.guards.filter((guard) => held_off(robot).includes(guard)),
    areas: true,
    link: {
      state: 'connected', quality, loss: robot.loss, unheard: 0.5, round_trip: 0.03 + robot.loss,
      clock: { synchronised: true, offset: 0.0012, uncertainty: 0.004 },
    },
    task: robot.task ? { ...robot.task, way: [...robot.task.way] } : null,
  };
}

// What the robot said last, with what the station itself knows.
function whole(robot) {
  return {
    ...robot.told,
    lost: Boolean(robot.lost),
    link: robot.lost ? { ...robot.told.link, state: 'silent', quality: 0 } : robot.told.link,
    order: { mode: robot.ordered?.mode ?? robot.mode, taken: robot.ordered === null },
    stop: { wanted: robot.stop.wanted, acknowledged: robot.stop.acknowledged },
  };
}

const of_robot = {
  mode(robot, { mode }) {
    const number = MODES.indexOf(mode);
    if (number <= STOPPED) return 'no such mode';
    if (robot.stop.wanted) return void say('warn', robot.id, 'is stopped: release first');
    robot.ordered = { mode: number, at: t + 0.4 };
    if (number !== PAUSED && number !== WAYPOINT) robot.task = null;
  },
  go(robot, { x, y }) {
    if (robot.stop.wanted) return void say('warn', robot.id, 'is stopped: release first');
    say('info', robot.id, `sent to ${x.toFixed(1)}, ${y.toFixed(1)}`);
    give_task(robot, 'go', { x, y });
    robot.ordered = { mode: WAYPOINT, at: t + 0.4 };
  },
  home(robot) {
    give_task(robot, 'home', { x: 0, y: 0 });
    robot.ordered = { mode: WAYPOINT, at: t + 0.4 };
  },
  drive(robot, { forward, turn, dead_man, shown }) {
    if (t - shown < 1) robot.stick = { forward, turn, dead_man, came: t };
  },
  override(robot, { guards, shown }) {
    if (guards.some((guard) => !OVERRIDABLE.includes(guard))) return 'no guard to override';
    if (t - shown < 1) robot.override = { guards, came: t };
  },
  stop: (robot) => want_stop(robot, true),
  release: (robot) => want_stop(robot, false),
};

function want_stop(robot, wanted) {
  if (robot.stop.wanted === wanted) return;
  robot.stop = { wanted, acknowledged: false, at: t + 0.3 + 0.5 * random() };
  robot.ordered = null;
}

// Returns why not, if it is refused.
function act(action) {
  const doing = of_robot[action.do];
  if (!doing) return `"${action.do}" is no action`;
  if (action.robot === undefined && (action.do === 'stop' || action.do === 'release')) {
    stop_all = action.do === 'stop';
    say(stop_all ? 'warn' : 'info', 0, stop_all ? 'stop all' : 'release all');
    for (const robot of robots) want_stop(robot, stop_all);
    return undefined;
  }
  const robot = robots.find(({ id }) => id === action.robot);
  if (!robot) return 'no such robot';
  const why = doing(robot, action);
  robot.version = version;
  return why;
}

const hello = () => ({
  type: 'hello', version: 1, mission: 'made-up floor', t,
  map: { x0: ORIGIN.x, y0: ORIGIN.y, cell: CELL, width: WIDTH, height: HEIGHT, tile: TILE },
  modes: MODES,
  overridable: OVERRIDABLE,
  override_s: 30,
  robots: robots.map(({ id, name }) => ({ id, name, length: 0.52, width: 0.44, speed_max: SPEED_MAX, thermal_field: 1.05 })),
});

function explored_m2() {
  let count = 0;
  let looked = 0;
  for (const cell of known) {
    if (cell) count++;
    if (cell === 3) looked++;
  }
  return [count * CELL * CELL, looked * CELL * CELL];
}

function pack_tiles(places) {
  const bytes = Buffer.alloc(4 + places.length * (4 + (TILE * TILE) / 4));
  bytes[0] = 1;
  bytes.writeUInt16LE(places.length, 2);
  places.forEach((place, i) => {
    const at = 4 + i * (4 + (TILE * TILE) / 4);
    const [column, row] = [place % tile_columns, Math.floor(place / tile_columns)];
    bytes.writeUInt16LE(column, at);
    bytes.writeUInt16LE(row, at + 2);
    for (let y = 0; y < TILE && row * TILE + y < HEIGHT; y++)
      for (let x = 0; x < TILE && column * TILE + x < WIDTH; x++)
        bytes[at + 4 + ((y * TILE + x) >> 2)] |= known[(row * TILE + y) * WIDTH + column * TILE + x] << (2 * (x & 3));
  });
  return bytes;
}

function changes_for(client) {
  const change = { type: 'state', t, stop_all };
  if (client.areas !== areas) change.areas = client.areas = areas;
  if (steps % 10 === 0 || client.version === 0) [change.explored_m2, change.searched_m2] = explored_m2();
  const heard = robots.filter((robot) => robot.told);
  change.robots = heard.filter((robot) => robot.version > client.version || robot.stop_told !== stop_key(robot)).map(whole);
  for (const robot of heard) robot.stop_told = stop_key(robot);
  change.trails = heard
    .filter((robot) => robot.trail.length > (client.trails[robot.id] ?? 0))
    .map((robot) => ({ id: robot.id, from: client.trails[robot.id] ?? 0, points: robot.trail.slice(client.trails[robot.id] ?? 0) }));
  for (const robot of heard) client.trails[robot.id] = robot.trail.length;
  change.victims = victims.filter((victim) => victim.version > client.version);
  change.events = events.filter(({ number }) => number > client.event);
  client.event = events.length;
  return change;
}

const stop_key = (robot) => `${robot.stop.wanted}${robot.stop.acknowledged}${robot.lost}`;

function tell(client) {
  client.socket.send(JSON.stringify(changes_for(client)));
  const places = [...tile_version.keys()].filter((i) => tile_version[i] > client.version);
  for (let i = 0; i < places.length; i += 100) client.socket.send(pack_tiles(places.slice(i, i + 100)));
  client.version = version;
}

const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

function control(url) {
  const robot = robots.find(({ id }) => id === Number(url.searchParams.get('id')));
  const on = url.searchParams.get('on') !== '0';
  if (url.pathname === '/control/stall') stalled_until_ms = Date.now() + Number(url.searchParams.get('ms'));
  if (url.pathname === '/control/drop') for (const client of clients) client.socket.terminate();
  if (url.pathname === '/control/areas') areas = on ? AREAS : [];
  if (url.pathname === '/control/lost' && robot) robot.unheard = on;
  if (url.pathname === '/control/guard' && robot) robot.guards = on ? ['tilt'] : [];
}

async function serve(request, response) {
  const url = new URL(request.url, 'http://station');
  if (request.method === 'POST') {
    control(url);
    return response.end();
  }
  const path = normalize(url.pathname === '/' ? '/index.html' : url.pathname);
  try {
    const body = await readFile(join(options.dir, path));
    response.writeHead(200, {
      'Content-Type': KINDS[extname(path)] ?? 'application/octet-stream',
      'Content-Security-Policy': "default-src 'self'",
      'Cache-Control': 'no-cache',
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

const clients = new Set();
const server = createServer(serve);
const sockets = new WebSocketServer({ server, path: '/ws', handleProtocols: (names) => (names.has('cairn.1') ? 'cairn.1' : false) });

sockets.on('connection', (socket) => {
  const client = { socket, version: 0, event: 0, trails: {} };
  socket.send(JSON.stringify(hello()));
  clients.add(client);
  socket.on('close', () => clients.delete(client));
  socket.on('error', () => clients.delete(client));
  socket.on('message', (text) => {
    let why = 'not JSON';
    try {
      why = act(JSON.parse(text));
    } catch {
      // told below
    }
    if (why) socket.send(JSON.stringify({ type: 'refused', why }));
  });
});

place_victims();
for (let i = 0; i < Number(options.ahead) / STEP_S; i++) step();
setInterval(() => {
  step();
  if (Date.now() >= stalled_until_ms) for (const client of clients) tell(client);
}, STEP_S * 1000);
server.listen(Number(options.port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
