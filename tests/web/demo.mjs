// demo.mjs - the operator's page in a headless browser, against the real thing: `cairn demo`. TAP on standard output.
//
//   node tests/web/demo.mjs CAIRN MISSION [options of page.mjs]
//
// SIGHUP restarts the demo on the same port; page.mjs asks for it when it tests that a page survives that.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [cairn, mission, ...options] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cairn-demo-'));

function free_port() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

let demo;

// Until the demo says where its page is.
function start(port) {
  demo = spawn(cairn, ['demo', mission, '--physics', 'planar', '--no-journal', '--port', String(port), '--out', folder],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    demo.stdout.on('data', (data) => {
      said += data;
      if (said.includes('http://')) resolve();
    });
    demo.once('exit', (status) => reject(new Error(`the demo ended with status ${status}: ${said}`)));
  });
}

async function stop() {
  demo.removeAllListeners('exit');
  const ended = new Promise((resolve) => demo.once('exit', resolve));
  for (let i = 0; i < 2; i++) demo.kill('SIGINT'); // launchers pass a Ctrl-C on a second time
  return ended;
}

const port = await free_port();
await start(port);
process.on('SIGHUP', () => stop().then(() => start(port)));

const page = spawn(process.execPath, [fileURLToPath(new URL('page.mjs', import.meta.url)), `http://127.0.0.1:${port}/`,
  '--restart', `kill -HUP ${process.pid}`, ...options], { stdio: 'inherit' });
const status = await new Promise((resolve) => page.once('exit', resolve));
const demo_status = await stop();
rmSync(folder, { recursive: true });
if (demo_status !== 0) console.log(`# the demo ended with status ${demo_status}`);
process.exit(status || demo_status);
