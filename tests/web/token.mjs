// token.mjs - the page of another machine, in a headless browser: names and the token. TAP on standard output.
//
//   node tests/web/token.mjs SERVE [--chromium path]
//
// SERVE is tests/ports/serve.c with the page of this build. The browser takes some names for this machine.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { check, finish, Server } from '../ports/page_client.mjs';

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('playwright-core');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { chromium: { type: 'string', default: '/usr/bin/chromium' } },
});
const TOKEN = 'fedcba9876543210fedcba9876543210';
const NEVER_MS = 300000; // machines stall

const server = await new Server(positionals[0], '0', 'embedded', '127.0.0.1', 'station.test', TOKEN).ready();
server.tell('move 1 1 2', 'tick 100');
const ticking = setInterval(() => server.tell('tick 100'), 100);
const browser = await chromium.launch({
  executablePath: options.chromium,
  args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP station.test 127.0.0.1, MAP evil.test 127.0.0.1'],
});
const address = (name) => `http://${name}:${server.port}/`;
const known = (page) => page.waitForFunction(() => window.cairn?.robots().length > 0, null, { timeout: NEVER_MS });
const asked = (page) => page.waitForSelector('#enter:not([hidden])', { timeout: NEVER_MS });
const fresh = async () => {
  const context = await browser.newContext();
  context.setDefaultTimeout(NEVER_MS);
  return context.newPage();
};

const evil = await fresh();
const answer = await evil.goto(address('evil.test'));
check('a foreign name that points here gets no page', answer.status() === 403 && (await answer.text()).includes('page.names'));

const own = await fresh();
await own.goto(address('127.0.0.1'));
await known(own);
check('this machine to itself needs no token', await own.locator('#enter').isHidden());

const typed = await fresh();
await typed.goto(address('station.test'));
await asked(typed);
check('another machine is asked for it, in words', (await typed.textContent('#enter-why')).includes('token that cairn printed'));
await typed.fill('#enter-token', 'not-the-token-of-this-station');
await typed.press('#enter-token', 'Enter');
await typed.waitForFunction(() => document.getElementById('enter-why').textContent.includes('not the token'), null, { timeout: NEVER_MS });
check('a wrong one is told', await typed.locator('#enter').isVisible());
await typed.fill('#enter-token', TOKEN);
await typed.click('#enter-say');
await known(typed);
check('with the right one it comes in', await typed.locator('#enter').isHidden());
await typed.reload();
await known(typed);
check('and again without being asked', await typed.locator('#enter').isHidden());
check('no script can read it', (await typed.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(TOKEN) === false);

const opened = await fresh();
const requests = [];
opened.on('request', (request) => requests.push(request.url()));
await opened.goto(`${address('station.test')}#token=${TOKEN}`);
await known(opened);
check('the address that cairn printed comes in at once', await opened.locator('#enter').isHidden());
check('and then has no token in it', !opened.url().includes('token'), opened.url());
check('nor has any request', !requests.some((url) => url.includes(TOKEN) && !url.includes('#')), requests.join(' '));

await browser.close();
clearInterval(ticking);
await server.quit();
finish();
