// page.mjs - the operator's page in a headless browser, against a station. TAP on standard output.
//
//   node tests/web/page.mjs --fake build/src/ports/page      against web/dev/station.mjs, which it starts on that built page
//   node tests/web/page.mjs http://127.0.0.1:8080/           against a station that runs, with robots that can move
//        [--restart "command"]  restarts that station; without it the test of a restart is skipped
//        [--killed]             that kills it, and another goes on from its store: only this is tested
//        [--shots folder]       keeps pictures
//        [--chromium path]      /usr/bin/chromium unless told otherwise
//
// It relies on docs/page.md alone, and on window.cairn, by which the page lets itself be looked at. Times are only limits
// after which something is taken to never happen.
import { execSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const WEB = new URL('../../web/', import.meta.url);
const { chromium } = createRequire(new URL('package.json', WEB))('playwright-core');
const NEVER_MS = 300000; // machines stall
const HOLD_MS = 1000; // what the page takes for holding
const CHROMIUM_FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fake: { type: 'string' },
    restart: { type: 'string' },
    killed: { type: 'boolean', default: false },
    shots: { type: 'string' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});

// The test double, on a port that stays the same over restarts.
class FakeStation {
  async start(port = '0') {
    const script = fileURLToPath(new URL('dev/station.mjs', WEB));
    const how = ['--dir', options.fake, '--port', port, '--robots', '3', '--ahead', '5'];
    this.child = spawn('node', [script, ...how], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((resolve, reject) => {
      this.child.stdout.once('data', (data) => resolve(String(data).trim()));
      this.child.once('exit', () => reject(new Error('the made-up station ended')));
    });
    this.child.removeAllListeners('exit');
    this.url = line;
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill();
    await ended;
  }

  async restart() {
    await this.stop();
    await this.start(new URL(this.url).port);
  }
}

let count = 0;
let failed = 0;

async function test(name, body) {
  count++;
  try {
    const skipped = await body();
    console.log(`ok ${count} - ${name}${skipped ? ` # SKIP ${skipped}` : ''}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${count} - ${name}`);
    console.log(String(error.stack ?? error).replace(/^/gm, '# '));
  }
}

function must(truth, words) {
  if (!truth) throw new Error(words);
}

// Waits until something is true of the page. `seen` runs there; a page that has just connected again knows no robots yet.
function until(page, seen, argument) {
  return page.waitForFunction(seen, argument, { timeout: NEVER_MS, polling: 100 });
}

// Waits until something that fits was sent, or told. What goes over the wire is heard of a little later here.
async function told(sent, fits) {
  for (let waited = 0; waited < NEVER_MS && !sent.some(fits); waited += 50) await new Promise((go) => setTimeout(go, 50));
  return sent.filter(fits).pop();
}

const robot = (page, id) => page.evaluate((id) => window.cairn.robots().find((each) => each.id === id), id);
const ids = (page) => page.evaluate(() => window.cairn.robots().map(({ id }) => id).sort((a, b) => a - b));

async function shot(page, name) {
  if (options.shots) await page.screenshot({ path: `${options.shots}/${name}.png` });
}

// A page whose sent messages are kept, in `sent`, the purposes of tasks that it was told of, in `purposes` (a task may be
// over before anybody looks), and whose connections are counted, in `wire`.
async function open(browser, url, troubles) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  context.setDefaultTimeout(NEVER_MS);
  const sent = [];
  const purposes = [];
  const wire = { openings: 0 };
  const hear = ({ payload }) => {
    if (typeof payload !== 'string') return;
    for (const { id, task } of JSON.parse(payload).robots ?? []) if (task) purposes.push(`${task.purpose} ${id}`);
  };
  page.on('websocket', (socket) => socket.on('framereceived', hear));
  page.on('websocket', () => wire.openings++);
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)))));
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => message.text().includes('Content Security Policy') && troubles.push(message.text()));
  await page.goto(url);
  await until(page, () => window.cairn && window.cairn.robots().length > 0);
  return { page, sent, purposes, wire, context };
}

// A free place that a robot should be able to reach: so far away in a straight line of free cells.
function free_place(page, id) {
  return page.evaluate((id) => {
    const from = window.cairn.robots().find((each) => each.id === id);
    const others = window.cairn.robots().filter((each) => each.id !== id);
    for (let away = 3; away > 0.8; away -= 0.2)
      for (let turn = 0; turn < 6.28; turn += 0.2) {
        const at = (r) => [from.x + r * Math.cos(turn), from.y + r * Math.sin(turn)];
        let clear = true;
        for (let r = 0.3; r < away + 0.5; r += 0.1)
          for (const side of [-0.4, 0, 0.4]) {
            const [x, y] = at(r);
            const cell = window.cairn.cell_at(x - side * Math.sin(turn), y + side * Math.cos(turn));
            clear &&= cell === 1 || cell === 3;
          }
        const [x, y] = at(away);
        clear &&= others.every((other) => Math.hypot(other.x - x, other.y - y) > 1.2);
        if (clear) return [x, y];
      }
    return null;
  }, id);
}

async function click_map(page, [x, y]) {
  const [px, py] = await page.evaluate(([x, y]) => window.cairn.to_window(x, y), [x, y]);
  await page.mouse.click(px, py);
}

// Near enough that no robot's symbol lies above another's.
async function zoom_in(page) {
  for (let i = 0; i < 3; i++) await page.keyboard.press('+');
}

// Looks at the nth robot, lets it go, and clicks it where it is drawn. Whether that selected it.
async function hit_by_click(page, nth) {
  const id = (await ids(page))[nth];
  for (const key of [String(nth + 1), 'c', 'Escape']) await page.keyboard.press(key);
  must((await page.evaluate(() => window.cairn.selected())) === null, 'Esc does not deselect');
  const { x, y } = await robot(page, id);
  const seen = ([x, y]) => document.elementFromPoint(...window.cairn.to_window(x, y))?.id === 'picture';
  must(await page.evaluate(seen, [x, y]), `robot ${id} is out of sight`);
  await click_map(page, [x, y]);
  return (await page.evaluate(() => window.cairn.selected())) === id;
}

async function map_grows({ page }) {
  await until(page, () => window.cairn.known_cells() > 0);
  const before = await page.evaluate(() => window.cairn.known_cells());
  await until(page, (before) => window.cairn.known_cells() > before, before);
  must((await page.evaluate(() => window.cairn.garbled())) === 0, 'a message was not understood');
}

async function selected_by_click({ page }) {
  await page.keyboard.press('f');
  const [first] = await ids(page);
  await page.click(`.robot[data-robot="${first}"]`);
  await until(page, (id) => window.cairn.selected() === id, first);
  await page.keyboard.press('Escape');
  must((await page.evaluate(() => window.cairn.selected())) === null, 'Esc does not deselect');
  await zoom_in(page);
  let hit = false;
  for (let i = 0; i < 40 && !hit; i++) hit = await hit_by_click(page, 0); // it goes on while the click comes
  must(hit, 'clicks on the map do not select');
  await page.keyboard.press('f');
}

// Nothing moves on this page, so that the first click must do, on each robot.
async function hit_at_once({ browser, url }) {
  const { page, wire, context } = await open_through(browser, url);
  wire.only_time = true;
  await page.waitForTimeout(1000); // what came before is drawn
  await zoom_in(page);
  const all = await ids(page);
  for (let i = 0; i < Math.min(9, all.length); i++) {
    const hit = await hit_by_click(page, i);
    await shot(page, `clicked-${all[i]}`);
    must(hit, `a click on robot ${all[i]} selects ${await page.evaluate(() => window.cairn.selected())}`);
  }
  await context.close();
}

async function selected_by_key({ page }) {
  const all = await ids(page);
  for (let i = 0; i < Math.min(9, all.length); i++) {
    await page.keyboard.press(String(i + 1));
    must((await page.evaluate(() => window.cairn.selected())) === all[i], `key ${i + 1} does not select`);
  }
  await page.keyboard.press('1');
}

async function sent_by_click({ page, sent, purposes }) {
  const [id] = await ids(page);
  await page.keyboard.press('1');
  await page.keyboard.press('i'); // it stands while it is aimed at
  await until(page, (id) => window.cairn.robots().find((each) => each.id === id)?.speed === 0, id);
  await page.waitForTimeout(1500); // the map comes to rest around it
  await page.keyboard.press('f');
  const place = await free_place(page, id);
  must(place, 'no free place near the robot');
  await click_map(page, place);
  const go = await told(sent, (action) => action.do === 'go');
  must(go && go.robot === id, `no "go" was sent: ${await page.textContent('#notice')}`);
  must(Math.hypot(go.x - place[0], go.y - place[1]) < 0.3, `sent to ${go.x}, ${go.y} instead of ${place}`);
  must(await told(purposes, (purpose) => purpose === `go ${id}`), 'the robot is not shown as sent');
  await shot(page, 'sent');
}

async function driven_by_key({ page, sent }) {
  const [id] = await ids(page);
  await page.keyboard.press('1');
  await page.keyboard.press('t');
  await until(page, (id) => window.cairn.robots().find((each) => each.id === id)?.mode === 3, id);
  await page.waitForTimeout(1000);
  const before = await robot(page, id);
  const drives = () => sent.filter((action) => action.do === 'drive');
  await page.keyboard.down('w');
  await page.waitForTimeout(300);
  must(drives().length === 0, 'a stick was sent without the dead-man');
  await page.keyboard.up('w');
  await page.keyboard.down('Shift');
  await page.keyboard.down('w');
  await page.keyboard.down('a');
  const moved = ({ id, x, y, yaw }) => {
    const now = window.cairn.robots().find((each) => each.id === id);
    return now && (Math.hypot(now.x - x, now.y - y) > 0.1 || Math.abs(now.yaw - yaw) > 0.2);
  };
  await until(page, moved, before);
  await shot(page, 'driven');
  const held = drives();
  must(held.some((action) => action.forward > 0 && action.turn > 0 && action.dead_man && action.robot === id), 'no stick was sent');
  must(held.every((action) => Math.abs(action.forward) <= 1 && typeof action.shown === 'number'), 'a wrong stick was sent');
  await page.keyboard.up('Shift');
  must(await told(sent, (action) => action.do === 'drive' && !action.dead_man), 'letting go was not told');
  await page.waitForTimeout(400);
  const after = drives();
  must(after[after.length - 1].dead_man === false, 'it is driven on');
  must(after.filter((action) => !action.dead_man).length === 1, 'letting go was told more than once');
  await page.keyboard.up('w');
  await page.keyboard.up('a');
}

async function stopped_by_key({ page, sent }) {
  await page.focus('.robot'); // whatever has the focus
  await page.keyboard.press('Space');
  must(await told(sent, (action) => action.do === 'stop' && action.robot === undefined), 'no stop was sent');
  await until(page, () => {
    const told = /(\d+) of (\d+) stopped ✓/.exec(document.getElementById('stop-detail').textContent);
    return told && told[1] === told[2] && Number(told[2]) === window.cairn.robots().length;
  });
  const marks = await page.locator('.robot .alarm').allTextContents();
  must(marks.every((text) => text === 'STOPPED ✓'), `the roster says ${marks.join(', ')}`);
  await shot(page, 'stopped');
}

// Whether these presses were short, and not made long by a machine that stalls.
async function press_shortly(page) {
  const began_ms = performance.now();
  await page.keyboard.press('r');
  await page.hover('#release-all');
  await page.mouse.down();
  await page.waitForTimeout(400);
  await page.mouse.up();
  return performance.now() - began_ms < HOLD_MS;
}

async function released_by_holding({ page, sent }) {
  const releases = () => sent.filter((action) => action.do === 'release').length;
  for (let short = false; !short; ) {
    short = await press_shortly(page);
    await page.waitForTimeout(1200);
    must(!short || releases() === 0, 'a short press released');
    if (releases() > 0) await stopped_by_key({ page, sent });
    sent.splice(0);
  }
  await page.keyboard.down('r');
  await until(page, () => !window.cairn.stop_all());
  await page.keyboard.up('r');
  must(releases() === 1, `release was sent ${releases()} times`);
  await until(page, () => window.cairn.robots().every(({ stop }) => !stop.wanted && stop.acknowledged));
}

async function one_stopped_and_released({ page, sent }) {
  const [, id] = await ids(page);
  if (id === undefined) return 'only one robot';
  await page.keyboard.press('2');
  await page.keyboard.press('x');
  await until(page, (id) => {
    const stop = window.cairn.robots().find((each) => each.id === id)?.stop;
    return stop?.wanted && stop.acknowledged;
  }, id);
  must(!(await page.evaluate(() => window.cairn.stop_all())), 'stopping one stopped all');
  must(await told(sent, (action) => action.do === 'stop' && action.robot === id), 'no stop for one was sent');
  await page.hover('#panel-release');
  await page.mouse.down();
  await until(page, (id) => window.cairn.robots().find((each) => each.id === id)?.stop.wanted === false, id);
  await page.mouse.up();
}

async function reload_keeps({ page }) {
  await page.keyboard.press('2');
  await page.keyboard.press('f');
  await page.keyboard.press('+');
  const view = () => page.evaluate(() => ({ selected: window.cairn.selected(), camera: window.cairn.camera() }));
  const before = await view();
  await page.reload();
  await until(page, () => window.cairn && window.cairn.robots().length > 0 && window.cairn.known_cells() > 0);
  const after = await view();
  must(JSON.stringify(after) === JSON.stringify(before), `${JSON.stringify(before)} became ${JSON.stringify(after)}`);
}

// A page between which and the station somebody stands: who lets nothing through, or only the time, or hangs up.
async function open_through(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  context.setDefaultTimeout(NEVER_MS);
  const wire = { stalled: false, only_time: false, cut: false, page_side: null, openings: 0 };
  await page.routeWebSocket(/\/ws$/, (page_side) => {
    if (wire.cut) return page_side.close();
    const station_side = page_side.connectToServer();
    wire.page_side = page_side;
    wire.openings++;
    station_side.onMessage((message) => {
      const time = () => JSON.stringify({ type: 'state', t: JSON.parse(message).t });
      if (!wire.stalled && !wire.only_time) page_side.send(message);
      else if (!wire.stalled && typeof message === 'string') page_side.send(time());
    });
  });
  await page.goto(url);
  await until(page, () => window.cairn && window.cairn.robots().length > 0);
  return { page, wire, context };
}

async function stale_and_back({ browser, url }) {
  const { page, wire, context } = await open_through(browser, url);
  await page.waitForSelector('#banner', { state: 'hidden', timeout: NEVER_MS }); // as long as all is well
  wire.stalled = true;
  await until(page, () => Number(/STALE .* for (\d+) s/.exec(document.getElementById('banner').textContent)?.[1]) >= 3);
  await shot(page, 'stale');
  await until(page, () => Number.parseFloat(document.querySelector('.age').textContent.replace('LOST', '')) > 2);
  wire.stalled = false;
  await page.waitForSelector('#banner', { state: 'hidden', timeout: NEVER_MS });
  await context.close();
}

// A window of a few pixels around a point of the map, far from every robot, and one below it.
function quiet_spots(page) {
  return page.evaluate(() => {
    const { x, y, px_per_m } = window.cairn.camera();
    const things = [...window.cairn.robots(), ...window.cairn.victims()];
    for (let turn = 0; turn < 6.28; turn += 0.1) {
      const at = [x + (170 * Math.cos(turn)) / px_per_m, y + (170 * Math.sin(turn)) / px_per_m];
      const below = [at[0], at[1] - 40 / px_per_m];
      const near = ({ x, y }) => Math.hypot(x - at[0], y - at[1]) * px_per_m < 120;
      if (!things.some(near)) return { at, below, half_m: 20 / px_per_m };
    }
    return null;
  });
}

async function picture_of(page, [x, y]) {
  const [px, py] = await page.evaluate(([x, y]) => window.cairn.to_window(x, y), [x, y]);
  return (await page.screenshot({ clip: { x: px - 10, y: py - 6, width: 20, height: 12 } })).toString('base64');
}

async function becomes(page, spot, fits, words) {
  for (let waited = 0; waited < NEVER_MS; waited += 200) {
    if (fits(await picture_of(page, spot))) return;
    await page.waitForTimeout(200);
  }
  throw new Error(words);
}

// When the station puts its map right, it tells trails again from where they moved, and which victims are one.
async function follows_the_map({ browser, url }) {
  const { page, wire, context } = await open_through(browser, url);
  wire.only_time = true;
  await page.keyboard.press('f');
  await page.waitForTimeout(1000); // what came before is drawn
  const tell = (words) => page.evaluate(() => window.cairn.robots()[0]).then(({ heard }) =>
    wire.page_side.send(JSON.stringify({ type: 'state', t: heard, ...words })));
  const spots = await quiet_spots(page);
  must(spots, 'robots are everywhere');
  const { at, below, half_m } = spots;
  const [id] = await ids(page);
  const along = ([x, y]) => [[x - half_m, y], [x + half_m, y]];
  const bare = { at: await picture_of(page, at), below: await picture_of(page, below) };
  await tell({ trails: [{ id, from: 0, points: along(at) }] });
  await becomes(page, at, (picture) => picture !== bare.at, 'the trail is not drawn');
  must((await picture_of(page, below)) === bare.below, 'something is drawn beside the trail');
  await shot(page, 'trail');
  await tell({ trails: [{ id, from: 0, points: along(below) }] });
  await becomes(page, below, (picture) => picture !== bare.below, 'the trail is not drawn where it is now');
  await becomes(page, at, (picture) => picture === bare.at, 'the trail is still drawn where it was');
  await shot(page, 'trail-moved');
  const victim = { x: at[0], y: at[1], deviation: 0.2, temperature: 34, confidence: 90, found_by: id, first_seen: 1, last_seen: 1, sightings: 1 };
  await tell({ victims: [{ ...victim, number: 127 }, { ...victim, number: 128, x: below[0], y: below[1] }] });
  const numbers = () => window.cairn.victims().map(({ number }) => number);
  await until(page, () => window.cairn.victims().some(({ number }) => number === 128));
  await tell({ victims: [{ number: 128, same_as: 127 }] });
  await until(page, () => !window.cairn.victims().some(({ number }) => number === 128));
  must((await page.evaluate(numbers)).includes(127), 'the one that stays is gone, too');
  await until(page, () => document.getElementById('victims-count').textContent === String(window.cairn.victims().length));
  await until(page, () => document.querySelectorAll('.victim').length === window.cairn.victims().length);
  await context.close();
}

async function connects_again({ browser, url }) {
  const { page, wire, context } = await open_through(browser, url);
  await page.keyboard.press('1');
  const before = await page.evaluate(() => window.cairn.known_cells());
  wire.cut = true; // until it is seen to be
  await wire.page_side.close();
  await page.waitForSelector('#connection[data-kind="off"]', { timeout: NEVER_MS });
  wire.cut = false;
  await page.waitForSelector('#connection[data-kind="live"]', { timeout: NEVER_MS });
  must(wire.openings > 1, 'no new connection');
  await until(page, (before) => window.cairn.known_cells() >= before, before);
  must((await page.evaluate(() => window.cairn.selected())) !== null, 'the choice was forgotten');
  await context.close();
}

// Done when the page has a connection that is not the one before.
async function restarted({ page, wire, restart }) {
  const before = wire.openings;
  await restart();
  for (let waited = 0; waited < NEVER_MS && wire.openings === before; waited += 50) await page.waitForTimeout(50);
  must(wire.openings > before, 'no new connection');
  await page.waitForSelector('#connection[data-kind="live"]', { timeout: NEVER_MS });
}

async function survives_restart(desk) {
  if (!desk.restart) return 'nobody can restart this station';
  const { page } = desk;
  const id = await page.evaluate(() => window.cairn.selected());
  await restarted(desk);
  await until(page, () => window.cairn.robots().length > 0 && window.cairn.known_cells() > 0);
  must((await page.evaluate(() => window.cairn.selected())) === id, 'the choice was forgotten');
  await until(page, () => document.body.classList.contains('stale') === false);
}

// What the operator saw before is there again: the stop is latched, the map is no smaller, and all robots are heard.
async function goes_on_after_a_kill(desk) {
  const { page } = desk;
  const before = await page.evaluate(() => ({ cells: window.cairn.known_cells(), ids: window.cairn.robots().length }));
  await restarted(desk);
  await until(page, ({ cells, ids }) => {
    const robots = window.cairn.robots();
    return window.cairn.known_cells() >= cells && robots.length === ids && robots.every(({ lost }) => !lost);
  }, before);
  await until(page, () => window.cairn.stop_all()); // or the stop of all is forgotten
  await until(page, () => !document.body.classList.contains('stale'));
  const { page: fresh, context } = await open(desk.browser, desk.url, []);
  await until(fresh, () => window.cairn.stop_all()); // or a page opened now does not know of the stop
  await context.close();
}

const control = (url, what) => fetch(new URL(`control/${what}`, url), { method: 'POST' });

// A button that is held as the dead-man of the stick is: by pointer or by Enter, and not by a page that nobody looks at.
async function overridden_by_holding({ page, sent, url }) {
  const [id] = await ids(page);
  const words = () => page.locator('.override[data-guard="tilt"]').innerText();
  const overrides = () => sent.filter((action) => action.do === 'override');
  const holds = () => page.waitForSelector('.override.held', { timeout: NEVER_MS });
  const lets_go = async (how) => {
    const before = overrides().filter(({ guards }) => guards.length === 0).length;
    await how();
    await page.waitForSelector('.override:not(.held)', { timeout: NEVER_MS });
    await page.waitForTimeout(300);
    const after = overrides();
    must(after.filter(({ guards }) => guards.length === 0).length === before + 1, 'letting go was not told once');
    must(after[after.length - 1].guards.length === 0, 'it is held on');
  };
  must(await page.locator('#panel-overrides').isHidden(), 'there is something to override on a robot that is well');
  await control(url, `guard?id=${id}`);
  await page.keyboard.press('1');
  const button = page.locator('.override[data-guard="tilt"]');
  await button.waitFor({ timeout: NEVER_MS });
  must((await words()).startsWith('Hold to override TILT'), await words());
  must(overrides().length === 0, 'something is overridden that nobody held');
  await button.hover();
  await page.mouse.down();
  await holds();
  await until(page, (id) => document.querySelector(`.robot[data-robot="${id}"] .alarm`)?.textContent === 'overridden: tilt', id);
  must(/TILT overridden: \d+ s left/.test(await words()) && (await words()).includes('creeps'), await words());
  await shot(page, 'overridden');
  await lets_go(() => page.mouse.up());
  await page.mouse.down();
  await holds();
  await lets_go(() => page.mouse.move(5, 300)); // off the button
  await page.mouse.up();
  await button.focus();
  await page.keyboard.down('Enter');
  await holds();
  await lets_go(() => page.keyboard.up('Enter'));
  await page.keyboard.down('Enter');
  await holds();
  await lets_go(() => page.evaluate(() => window.dispatchEvent(new Event('blur')))); // nobody looks at it
  await page.keyboard.up('Enter');
  await page.evaluate(() => document.activeElement.blur());
  must(overrides().every((action) => action.robot === id && typeof action.shown === 'number'), 'a wrong override was sent');
  await control(url, `guard?id=${id}&on=0`);
  await button.waitFor({ state: 'detached', timeout: NEVER_MS });
}

// Where robots may not be nobody can be sent, and says why.
async function areas_are_shown({ page, sent, url }) {
  await control(url, 'areas');
  await until(page, () => window.cairn.areas().length === 2);
  await page.keyboard.press('1');
  await page.keyboard.press('f');
  const [x, y] = await page.evaluate(() => window.cairn.to_window(4.5, 4));
  const before = sent.filter((action) => action.do === 'go').length;
  const { width, height } = page.viewportSize();
  if (x > 0 && y > 0 && x < width && y < height) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(300);
    must(sent.filter((action) => action.do === 'go').length === before, 'a robot was sent into what is kept out of');
  }
  await shot(page, 'areas');
  await control(url, 'areas?on=0');
  await until(page, () => window.cairn.areas().length === 0);
}

// Whoever has only a phone or a tablet at hand must be able to stop all, and to see where robots are.
async function fits_small_screens({ page }) {
  await page.keyboard.press('1');
  for (const [width, height] of [[1024, 768], [768, 1024], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    await shot(page, `small-${width}`);
    for (const [id, wide, high] of [['stop', 150, 40], ['map', 300, 200], ['roster', 150, 80], ['side', 150, 150]]) {
      const box = await page.locator(`#${id}`).boundingBox();
      const within = box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;
      must(within && box.width >= wide && box.height >= high, `${width} x ${height}: #${id} is ${JSON.stringify(box)}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.keyboard.press('f');
}

async function test_killed(desk) {
  await test('the map grows', () => map_grows(desk));
  await test('space stops all, and each robot acknowledges', () => stopped_by_key(desk));
  for (let i = 0; i < 3; i++)
    await test('the page comes back by itself after the station was killed', () => goes_on_after_a_kill(desk));
  await test('release needs holding', () => released_by_holding(desk));
}

async function test_all(desk) {
  await test('the map grows', () => map_grows(desk));
  await test('a robot is selected by click, in the list and on the map', () => selected_by_click(desk));
  await test('the first click on a robot that is in sight selects it', () => hit_at_once(desk));
  await test('robots are selected by number keys', () => selected_by_key(desk));
  await test('a click on the map sends the selected robot there', () => sent_by_click(desk));
  await test('keys drive, only while the dead-man is held', () => driven_by_key(desk));
  if (options.fake) { // the real ones cannot be made to tilt
    await test('a guard is overridden only while its button is held', () => overridden_by_holding(desk));
    await test('small screens show the stop, the map and the robots', () => fits_small_screens(desk));
    await test('areas are drawn, and nobody is sent where robots may not be', () => areas_are_shown(desk));
  }
  await test('space stops all, and each robot acknowledges', () => stopped_by_key(desk));
  await test('release needs holding', () => released_by_holding(desk));
  await test('one robot is stopped and released', () => one_stopped_and_released(desk));
  await test('a reload keeps the selection and the view', () => reload_keeps(desk));
  await test('a silent station is told as stale, with ages that go on', () => stale_and_back(desk));
  await test('trails and victims follow the map', () => follows_the_map(desk));
  await test('a lost connection is made again', () => connects_again(desk));
  await test('a restarted station is found again', () => survives_restart(desk));
}

async function main() {
  const fake = options.fake ? new FakeStation() : null;
  if (fake) await fake.start();
  const url = fake?.url ?? positionals[0];
  if (!url) throw new Error('give the address of a station, or --fake and the folder of a built page');
  const restart = fake ? () => fake.restart() : options.restart && (() => execSync(options.restart, { stdio: 'ignore' }));
  const browser = await chromium.launch({ executablePath: options.chromium, args: CHROMIUM_FLAGS, timeout: NEVER_MS });
  const troubles = [];
  try {
    const desk = { ...(await open(browser, url, troubles)), browser, url, restart };
    await (options.killed ? test_killed(desk) : test_all(desk));
    await test('no script failed, and the content policy held', () => must(troubles.length === 0, troubles.join('\n')));
    const frames = await desk.page.evaluate(() => window.cairn.frames());
    console.log(`# frames: ${JSON.stringify(frames)}`);
  } finally {
    await browser.close();
    await fake?.stop();
  }
  console.log(`1..${count}`);
  process.exitCode = failed ? 1 : 0;
}

await main();
