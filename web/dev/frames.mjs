// frames.mjs - how long the page keeps the main thread per frame, with 14 robots of the made-up station at 1920x1080.
//
//   node dev/frames.mjs [--seconds 20]
//
// Prints the page's own figures (messages and drawing as the scripts see them), and beside them what Chromium's trace
// says: processor time of all tasks of the main thread from frame to frame, with style, layout, paint, rasterising.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, chromium: { type: 'string', default: '/usr/bin/chromium' } },
});
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const script = fileURLToPath(new URL('station.mjs', import.meta.url));
const station = spawn('node', [script, '--port', '0', '--robots', '14', '--ahead', '300'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => station.stdout.once('data', (data) => resolve(String(data).trim())));
const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });
const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
await page.goto(url);
await page.waitForFunction(() => window.cairn?.known_cells() > 0);
await page.waitForTimeout(3000);

// Milliseconds of each frame: the tasks since the frame before, and its own.
function frame_times(trace) {
  const { traceEvents } = JSON.parse(trace);
  const mains = new Map();
  for (const { name, args, pid, tid } of traceEvents)
    if (name === 'thread_name' && args.name === 'CrRendererMain') mains.set(`${pid}:${tid}`, []);
  for (const event of traceEvents)
    if (event.ph === 'X') mains.get(`${event.pid}:${event.tid}`)?.push(event);
  const events = [...mains.values()].sort((a, b) => b.length - a.length)[0].sort((a, b) => a.ts - b.ts);
  const drawn = events.filter(({ name }) => name === 'Commit').map(({ ts }) => ts);
  const times = drawn.map(() => 0);
  let frame = 0;
  for (const { name, ts, dur, tdur } of events) {
    if (name !== 'RunTask') continue;
    while (frame < drawn.length && drawn[frame] < ts) frame++;
    if (frame < times.length) times[frame] += (tdur ?? dur) / 1000;
  }
  return times.sort((a, b) => a - b);
}

async function measure(name, act) {
  await page.evaluate(() => window.cairn.reset_frames());
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'cc'] });
  const end = Date.now() + (Number(options.seconds) * 1000) / 3;
  while (Date.now() < end) await act();
  const times = frame_times(String(await browser.stopTracing()));
  const { count, p50, p95, max } = await page.evaluate(() => window.cairn.frames());
  const part = (p) => times[Math.min(times.length - 1, Math.floor(p * times.length))];
  const row = (figures) => figures.map((ms) => ms.toFixed(1).padStart(5)).join(' ');
  console.log(`${name.padEnd(10)} ${String(count).padStart(5)} frames; ms p50 p95 max: page ${row([p50, p95, max])}, ` +
    `whole main thread ${row([part(0.5), part(0.95), part(1)])}`);
}

try {
  await measure('watching', () => page.waitForTimeout(200));
  await page.mouse.move(900, 500);
  await page.mouse.down();
  let step = 0;
  await measure('panning', () => page.mouse.move(900 + 200 * Math.sin(step / 20), 500 + 100 * Math.cos(step++ / 20)));
  await page.mouse.up();
  await page.keyboard.press('3');
  await page.keyboard.press('c');
  await measure('following', () => page.waitForTimeout(200));
} finally {
  await browser.close();
  station.kill();
}
