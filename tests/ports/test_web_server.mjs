// test_web_server.mjs - the web server as browsers, and those who would misuse them, see it.
// usage: node test_web_server.mjs SERVE
import { connect } from "node:net";
import { check, finish, Page, Server, until } from "./page_client.mjs";

const program = process.argv[2];
const same = (name, got, wanted) =>
  check(name, JSON.stringify(got) === JSON.stringify(wanted), `got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`.slice(0, 600));

async function files() {
  const server = await new Server(program, "0").ready();
  const index = await server.get("/");
  same("/ is the index", [index.status, index.body.toString()], [200, "<!doctype html><title>made</title>"]);
  same("with its type", index.headers["content-type"], "text/html; charset=utf-8");
  same("that must not be guessed", index.headers["x-content-type-options"], "nosniff");
  check("from nowhere else", index.headers["content-security-policy"]?.startsWith("default-src 'self'"));
  check("in no frame", index.headers["content-security-policy"]?.includes("frame-ancestors 'none'"));
  same("asked for again each time", index.headers["cache-control"], "no-cache");
  const script = await server.get("/page.js");
  same("a script has its type", script.headers["content-type"], "text/javascript; charset=utf-8");
  same("and comes as it is", script.body.toString(), "console.log('as it is');");
  const packed = await server.get("/page.js", { headers: { "accept-encoding": "gzip, deflate, br" } });
  same("or compressed", [packed.headers["content-encoding"], packed.body.length], ["gzip", 11]);
  const again = await server.get("/page.js", { headers: { "if-none-match": '"s1"' } });
  same("not sent when the browser has it", [again.status, again.body.length], [304, 0]);
  const large = await server.get("/large.bin");
  const wanted = Buffer.from(Uint8Array.from({ length: 300000 }, (_, i) => i * 7 + Math.floor(i / 256)));
  check("a large file arrives whole", large.status === 200 && large.body.equals(wanted), `${large.body.length} bytes`);
  same("an empty file is one", [(await server.get("/empty.txt")).status, (await server.get("/empty.txt")).body.length], [200, 0]);
  const head = await server.get("/large.bin", { method: "HEAD" });
  same("HEAD says how long it is", [head.status, head.headers["content-length"], head.body.length], [200, "300000", 0]);
  for (const path of ["/nothing", "/index.html/", "/../etc/passwd", "/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/ws", "//etc/passwd"]) {
    const { status } = await server.get(path);
    check(`${path} is not there`, status === 404 || status === 403, `status ${status}`);
  }
  same("nothing can be posted", (await server.get("/", { method: "POST" }).catch(() => ({ status: 405 }))).status, 405);
  same("another name for this machine is refused", (await server.get("/", { headers: { host: "evil.example" } })).status, 403);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    same(`${host} is a name`, (await server.get("/", { headers: { host: `${host}:${server.port}` } })).status, 200);
  }
  await server.quit();
  const bare = await new Server(program, "0", "none").ready();
  const missing = await bare.get("/");
  check("a build without a page says so", missing.status === 503 && missing.body.toString().includes("nodejs"), missing.body.toString());
  await bare.quit();
  const real = await new Server(program, "0", "embedded").ready();
  const page = await real.get("/");
  const there = page.status === 200 && page.body.toString().includes("<title>Cairn");
  check("the page of this build is served, or said to be missing", real.file_count > 0 ? there : page.status === 503);
  await real.quit();
}

async function ports() {
  const first = await new Server(program, "0").ready();
  const second = new Server(program, String(first.port));
  await until("the second server", () => second.exited !== null);
  same("a port in use is an error", second.exited, 1);
  check("that says what to do", second.lines.join().includes("--port"), second.lines.join());
  await first.quit();
  const nowhere = new Server(program, "0", "made", "203.0.113.7");
  await until("the lost server", () => nowhere.exited !== null);
  check("so is an address of another machine", nowhere.exited === 1 && nowhere.lines.join().includes("--bind"), nowhere.lines.join());
  const nonsense = new Server(program, "0", "made", "example.org");
  await until("the nameless server", () => nonsense.exited !== null);
  check("and one that is none", nonsense.exited === 1 && nonsense.lines.join().includes("no address"), nonsense.lines.join());
}

async function words() {
  const server = await new Server(program, "0").ready();
  server.tell("move 1 1 2", "say first", "tick 100");
  const page = await new Page(server).settled();
  await until("the first state", () => page.robots.has(1) && page.events.length === 1);
  same("hello comes first", page.messages[0].type, "hello");
  same("and names mission and robots", [page.hello.mission, page.hello.robots.map((r) => r.id)], ["made", [1, 2, 3]]);
  check("compression is agreed on", page.socket.extensions.includes("permessage-deflate"), page.socket.extensions);
  server.tell("move 2 5 6", "tick 100");
  await until("the second robot", () => page.robots.has(2));
  same("what did not change is not said again", page.messages.at(-1).robots.map((r) => r.id), [2]);
  server.tell("paint 1", "tick 100");
  await until("the map", () => page.tiles.size === 400);
  check("in messages of bounded size", page.tile_messages >= Math.ceil(400 / 63));

  const late = await new Page(server, { deflate: false }).settled();
  await until("the same for a late one", () => late.tiles.size === 400 && late.robots.size === 2);
  same("a page that comes later knows the same", late.known(), page.known());
  page.socket.close();
  await until("goodbye", () => page.closed !== null);
  const back = await new Page(server).settled();
  await until("all of it again", () => back.tiles.size === 400 && back.robots.size === 2 && back.events.length === 1);
  same("a page that comes back knows the same", back.known(), late.known());

  for (let i = 0; i < 40; i++) server.tell("tick 100"); // the last quarter of a second may go untold
  await until("the clock to go on", () => back.t > 3.2);
  await server.quit();
  await until("the server's end", () => back.closed !== null);
  check("a server that ends says goodbye", server.exited === 0);
}

async function actions() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const page = await new Page(server).settled();
  await until("hello", () => page.hello);
  page.send({ do: "mode", robot: 1, mode: "autonomous" });
  page.send({ do: "go", robot: 2, x: 4.5, y: -5 });
  page.send({ do: "stop" });
  page.send({ do: "drive", robot: 3, forward: 0.5, turn: -0.25, dead_man: true, shown: 0.1 });
  page.send({ do: "drive", robot: 3, forward: 0, turn: 0, dead_man: false, shown: 0.1 });
  page.send({ do: "fly" });
  await until("a refusal", () => page.refused.length === 1);
  check("what is not understood is refused with the reason", page.refused[0].includes('"do" is "fly"'), page.refused[0]);
  same("what is understood arrives in order", await server.actions(), [
    "action mode robot 1 mode 7 to 0 0 stick 0 0 dead_man 0 shown 0 guards 0",
    "action go robot 2 mode 0 to 4.5 -5 stick 0 0 dead_man 0 shown 0 guards 0",
    "action stop robot 0 mode 0 to 0 0 stick 0 0 dead_man 0 shown 0 guards 0",
    "action drive robot 3 mode 0 to 0 0 stick 0.5 -0.25 dead_man 1 shown 0.1 guards 0",
    "action drive robot 3 mode 0 to 0 0 stick 0 0 dead_man 0 shown 0.1 guards 0",
  ]);
  page.socket.send('{"do": "st', { fin: false });
  page.socket.send('op"}', { fin: true });
  page.send({ do: "fly" });
  await until("the next refusal", () => page.refused.length === 2);
  same("a message may come in pieces", (await server.actions()).length, 1);

  for (let i = 0; i < 400; i++) page.send({ do: "home", robot: 1 });
  for (let i = 0; i < 50; i++) page.send({ do: "stop" });
  await until("a refusal of the flood", () => page.refused.at(-1).includes("too many"));
  page.send({ do: "swim" });
  await until("the refusal", () => page.refused.at(-1).includes("swim"));
  const flood = await server.actions();
  check("a flood is held back", page.refused.some((why) => why.includes("too many")) && flood.length < 400, `${flood.length}`);
  same("but no stop is", flood.filter((line) => line.includes("stop")).length, 50);

  await new Promise((go) => setTimeout(go, 300)); // so that the flood before does not count against the release
  for (let i = 0; i < 2000; i++) page.send({ do: "stop", robot: 1 });
  page.send({ do: "stop", robot: 2 });
  page.send({ do: "release" });
  await until("the refusal", () => /behind|too many/.test(page.refused.at(-1)));
  check("a release does not get past a stop", page.refused.at(-1).includes("behind"), page.refused.at(-1));
  const full = await server.actions();
  check("for which the inbox is full", full.length < 2000, `${full.length}`);
  if (!full.some((line) => line.includes("stop robot 2"))) await server.actions_with("action stop robot 2"); // or while it emptied
  check("a stop that finds it full comes when there is room", true);
  for (let i = 0; i < 400; i++) page.send({ do: "drive", robot: 1, forward: 0, turn: 0, dead_man: false, shown: 0.1 });
  page.send({ do: "dance" });
  await until("the refusal", () => page.refused.at(-1).includes("dance"));
  check("keys let go that nobody held are held back", (await server.actions()).length < 400);
  page.send(JSON.stringify({ do: "stop", pad: "x".repeat(600) }));
  await until("the end", () => page.closed !== null);
  same("a message too long ends the connection", page.closed, 1009);
  const long = await new Page(server, { deflate: false }).settled();
  long.send("x".repeat(100000));
  await until("the end", () => long.closed !== null);
  check("however long", long.closed === 1009 || long.closed === 1006, String(long.closed));
  const binary = await new Page(server).settled();
  binary.socket.send(Buffer.from([1, 2, 3]));
  await until("the end", () => binary.closed !== null);
  same("so do bytes that are not text", binary.closed, 1003);
  same("and nothing of it arrived", await server.actions(), []);
  await server.quit();
}

async function driving() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const hold = { do: "drive", robot: 2, forward: 1, turn: 0, dead_man: true, shown: 0.1 };
  const let_go = "action drive robot 2 mode 0 to 0 0 stick 0 0 dead_man 0 shown 0.1 guards 0";
  const gone = async (leave, name) => {
    const page = await new Page(server).settled();
    await until("hello", () => page.hello);
    page.send({ do: "drive", robot: 1, forward: 1, turn: 0, dead_man: true, shown: 0.1 });
    page.send({ do: "drive", robot: 1, forward: 0, turn: 0, dead_man: false, shown: 0.1 });
    page.send(hold);
    const got = [];
    while (got.length < 3) got.push(...(await server.actions()));
    leave(page);
    while (got.length < 4) got.push(...(await server.actions()));
    same(name, got.slice(3), [let_go]);
  };
  await gone((page) => page.socket.close(), "a driver who leaves lets go");
  await gone((page) => page.socket.terminate(), "a driver who is cut off lets go");
  await gone((page) => page.send("x".repeat(600)), "a driver who is thrown out lets go");
  const page = await new Page(server).settled();
  await until("hello", () => page.hello);
  page.send(hold);
  const got = [];
  while (got.length < 1) got.push(...(await server.actions()));
  same("the server's end lets go too", (await server.quit()).slice(0, 1), [let_go]);
}

// As the stick's key: whoever held guards switched off, and is gone, holds them no longer.
async function overriding() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const of = (guards) => `action override robot 2 mode 0 to 0 0 stick 0 0 dead_man 0 shown 0.1 guards ${guards}`;
  const page = await new Page(server).settled();
  await until("hello", () => page.hello);
  page.send({ do: "override", robot: 2, guards: ["nonsense"], shown: 0.1 });
  await until("a refusal", () => page.refused.length > 0);
  check("a guard that there is not is refused", page.refused[0].includes("names of guards"), page.refused[0]);
  page.send({ do: "override", robot: 2, guards: ["tilt"], shown: 0.1 });
  const got = [];
  while (!got.includes(of(2))) got.push(...(await server.actions()));
  page.socket.close();
  while (!got.includes(of(0))) got.push(...(await server.actions()));
  same("who held guards switched off and leaves lets go, once", got.filter((line) => line === of(0)).length, 1);
  await server.quit();
}

async function strangers() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const refused = async (name, status, options) => same(name, (await new Page(server, options).settled()).status, status);
  await refused("a page from elsewhere is refused", 403, { origin: "http://evil.example" });
  await refused("so is one from another port", 403, { origin: "http://127.0.0.1:1" });
  await refused("and one that hides where it is from", 403, { origin: null });
  await refused("and one from a file", 403, { origin: "null" });
  await refused("a foreign name that points here is refused", 403, { host: `evil.example:${server.port}` });
  await refused("a name that only begins like ours as well", 403, { host: `localhost.evil.example:${server.port}` });
  await refused("another place is not there", 404, { path: "/other" });
  await refused("another protocol is refused", 400, { protocols: ["cairn.2"] });
  await refused("and none", 400, { protocols: [] });
  check("this machine by its name is welcome", (await new Page(server, { host: `localhost:${server.port}` }).settled()).open);
  const pages = [];
  for (let i = 0; i < 15; i++) pages.push(await new Page(server).settled());
  check("sixteen pages are", pages.every((page) => page.open));
  await refused("one more is too many", 503, {});
  pages[3].socket.close();
  await until("goodbye", () => pages[3].closed !== null);
  let status = 503;
  while (status === 503) ({ status } = await new Page(server).settled());
  same("until one leaves", status, null);

  // Garbage, half a request, and silence: none of it may end the server.
  for (const bytes of ["\0\u0001\u0002\r\n\r\n", "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", "GET / HT", `GET /${"a".repeat(9000)} HTTP/1.1\r\n\r\n`]) {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("error", () => {});
    socket.setTimeout(100, () => socket.destroy());
    await new Promise((resume) => socket.on("close", resume));
  }
  same("the server outlives garbage", (await server.get("/")).status, 200);
  await server.quit();
}

const TOKEN = "0123456789abcdef0123456789abcdef";
const FAR = "station.example"; // a name that the server was told: as if through a proxy, so by another machine

// Where others can reach the server, they must have said the token; this machine must not.
async function far_away() {
  const server = await new Server(program, "0", "made", "0.0.0.0", `${FAR} camp.local`, TOKEN).ready();
  server.tell("tick 100");
  const far = { host: `${FAR}:${server.port}` };
  const refused = async (name, status, options) => same(name, (await new Page(server, options).settled()).status, status);
  const enter = (headers, from) => server.get("/enter", { headers: { host: far.host, ...headers }, from });
  await refused("a foreign name that points here is refused, wherever it is served", 403, { host: `evil.example:${server.port}` });
  same("also for files", (await server.get("/", { headers: { host: `evil.example:${server.port}` } })).status, 403);
  same("by a name that it was told the page is there", (await server.get("/", { headers: { host: far.host } })).status, 200);
  await refused("but the station behind it wants the token", 401, far);
  check("this machine to itself does not", (await new Page(server).settled()).open);
  same("nor its /enter", (await server.get("/enter")).status, 200);
  const unknown = await enter({});
  check("who has none is told what it is", unknown.status === 401 && unknown.body.toString().includes("token that cairn printed"), unknown.body.toString());
  const wrong = await enter({ authorization: `Bearer ${TOKEN.slice(1)}0` });
  check("who has a wrong one, too", wrong.status === 401 && wrong.body.toString().includes("not the token"), wrong.body.toString());
  const right = await enter({ authorization: `Bearer ${TOKEN}` });
  const cookie = right.headers["set-cookie"]?.[0] ?? "";
  same("the right one is welcome", right.status, 200);
  check("with a cookie for this site alone, that no script reads", cookie.includes("HttpOnly") && cookie.includes("SameSite=Strict"), cookie);
  const known = { ...far, cookie: `other=1; ${cookie.split(";")[0]}` };
  check("and with it the page comes in", (await new Page(server, known).settled()).open);
  await refused("not so with another's origin", 403, { ...known, origin: "http://evil.example" });
  await refused("nor with a part of it", 401, { ...far, cookie: cookie.split(";")[0].slice(0, -1) });
  await refused("nor with none", 401, { ...far, cookie: cookie.split("=")[0] + "=" });

  const pages = [];
  for (let i = 0; i < 5; i++) pages.push(await new Page(server, known).settled());
  check("six pages of one address have a place", pages.every((page) => page.open));
  await refused("a seventh has not", 503, known);
  for (let i = 0; i < 6; i++) pages.push(await new Page(server, { ...known, from: "127.0.0.2" }).settled());
  check("another address has its own", pages.every((page) => page.open));
  await refused("but twelve are all", 503, { ...known, from: "127.0.0.3" });
  const own = [];
  for (let i = 0; i < 3; i++) own.push(await new Page(server).settled());
  check("the others are this machine's", own.every((page) => page.open));

  for (let i = 0; i < 20; i++) await enter({ authorization: `Bearer ${String(i).padStart(32, "x")}` });
  const late = await enter({ authorization: `Bearer ${TOKEN}` });
  check("who guesses too often waits, also with the right one", late.status === 429 && late.body.toString().includes("wait"), String(late.status));
  same("another address need not", (await enter({ authorization: `Bearer ${TOKEN}` }, "127.0.0.9")).status, 200);
  check("nor does this machine to itself", (await server.get("/enter")).status === 200);
  await server.quit();
  const near = await new Server(program, "0", "made", "127.0.0.1", FAR, TOKEN).ready();
  same("behind a proxy on this machine it is the same", (await new Page(near, { host: FAR, origin: `https://${FAR}` }).settled()).status, 401);
  await near.quit();
}

// Idle connections push out their own kind, and nobody else. The limit is shorter than the time after which the server
// gives a silent connection up by itself.
const SOON_MS = 4000;
async function idlers() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const idle = [];
  for (let i = 0; i < 500; i++) {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    idle.push(socket);
    await new Promise((resume) => socket.once("connect", resume));
  }
  const start_ms = Date.now();
  const page = await new Page(server).settled();
  check("500 idle sockets do not keep a page out until they time out", page.open && Date.now() - start_ms < SOON_MS, `${Date.now() - start_ms} ms`);
  same("nor its files", (await server.get("/")).status, 200);
  check("within their time", Date.now() - start_ms < SOON_MS, `${Date.now() - start_ms} ms`);
  for (let i = 0; i < 500; i++) idle.push(connect(server.port, "127.0.0.1").on("error", () => {}));
  await until("hello", () => page.hello);
  server.tell("move 1 7 7", "tick 100");
  await until("news", () => page.robots.get(1)?.x === 7);
  check("and a page that is in stays in", page.closed === null);
  for (const socket of idle) socket.destroy();
  await server.quit();
}

// One page stops reading. The other must get every step, as if it were alone; the station must not notice.
async function stalled() {
  const server = await new Server(program, "0").ready();
  server.tell("tick 100");
  const reader = await new Page(server).settled();
  const sleeper = await new Page(server, { deflate: false }).settled();
  await until("hello", () => reader.hello && sleeper.hello);
  sleeper.socket.pause();
  const STEPS = 60;
  for (let i = 1; i <= STEPS; i++) {
    server.tell(`paint ${i}`, `move 1 ${i} 0`, "tick 100");
    await until(`step ${i}`, () => reader.robots.get(1)?.x === i);
  }
  const steps = (page) => page.messages.filter((message) => message.type === "state" && message.robots).length;
  same("a page beside one that does not read gets every step", steps(reader), STEPS);
  await until("the whole map", () => reader.tiles.size === 400 && reader.tile_messages >= 7);
  sleeper.socket.resume();
  await until("the sleeper to catch up", () => sleeper.known() === reader.known());
  check("which catches up when it reads again", true);
  check("with fewer and newer steps", steps(sleeper) < STEPS / 2, `${steps(sleeper)} of ${STEPS}`);
  await server.quit();
}

for (const part of [files, ports, words, actions, driving, overriding, strangers, far_away, idlers, stalled]) await part();
finish();
