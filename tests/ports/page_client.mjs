// page_client.mjs - a page without a screen, the server under test, and checks that speak TAP.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, "node_modules", ".package-lock.json"))) {
  execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: here, stdio: ["ignore", 2, 2] });
}
const { WebSocket } = await import("ws");

let count = 0;
export function check(name, passed, detail = "") {
  count += 1;
  console.log(`${passed ? "ok" : "not ok"} ${count} - ${name}${passed || !detail ? "" : ` # ${detail}`}`);
}
export function finish() {
  console.log(`1..${count}`);
}

const PATIENCE_MS = 60000; // nothing here is slow: this only ends a test that hangs
export async function until(what, condition) {
  const end = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resume) => setTimeout(resume, 2));
  }
}

// The program serve.c with a port of its own.
export class Server {
  constructor(program, ...args) {
    this.process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = [];
    this.exited = null;
    createInterface({ input: this.process.stdout }).on("line", (line) => this.lines.push(line));
    this.process.on("close", (code) => (this.exited = code));
  }
  async ready() {
    await until("the server", () => this.lines.length > 0 || this.exited !== null);
    const words = (this.lines.shift() ?? "").split(" ");
    this.port = Number(words[1]);
    this.address = words[2];
    this.file_count = Number(words[4]);
    return this;
  }
  tell(...lines) {
    this.process.stdin.write(lines.join("\n") + "\n");
  }
  async actions() {
    this.tell("actions");
    await until("the actions", () => this.lines.includes("done"));
    const got = this.lines.splice(0, this.lines.indexOf("done") + 1);
    return got.slice(0, -1);
  }
  // Asks until one begins with these words.
  async actions_with(words) {
    const end = Date.now() + PATIENCE_MS;
    while (!(await this.actions()).some((line) => line.startsWith(words))) {
      if (Date.now() > end) throw new Error(`waited in vain for ${words}`);
    }
  }
  async quit() {
    this.tell("quit");
    await until("the end", () => this.exited !== null);
    return this.lines;
  }
  get(path, { method = "GET", headers = {}, from } = {}) {
    return new Promise((resolve, reject) => {
      const asked = http.request({ host: "127.0.0.1", port: this.port, path, method, headers, localAddress: from, agent: false }, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }));
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.end();
    });
  }
}

// Reads the messages of docs/page.md and keeps what they say.
export class Page {
  constructor(server, options = {}) {
    const host = options.host ?? `127.0.0.1:${server.port}`;
    this.messages = [];
    this.t = -1;
    this.robots = new Map();
    this.events = [];
    this.tiles = new Map();
    this.refused = [];
    this.tile_messages = 0;
    this.bytes = 0;
    this.closed = null;
    this.status = null;
    this.open = false;
    this.socket = new WebSocket(`ws://127.0.0.1:${server.port}${options.path ?? "/ws"}`, options.protocols ?? ["cairn.1"], {
      headers: { Host: host, ...(options.cookie ? { Cookie: options.cookie } : {}), ...(options.origin === null ? {} : { Origin: options.origin ?? `http://${host}` }) },
      perMessageDeflate: options.deflate ?? true,
      localAddress: options.from,
    });
    this.socket.on("open", () => (this.open = true));
    this.socket.on("unexpected-response", (_, answer) => {
      this.status = answer.statusCode;
      answer.destroy();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", (code) => (this.closed = code));
    this.socket.on("message", (data, binary) => (binary ? this.read_tiles(data) : this.read(JSON.parse(data.toString()), data)));
  }
  read(message, data) {
    this.bytes += data.length;
    this.messages.push(message);
    if (message.type === "refused") return this.refused.push(message.why);
    if (message.type === "hello") this.hello = message;
    this.t = message.t;
    if (message.type !== "state") return;
    for (const robot of message.robots ?? []) this.robots.set(robot.id, robot);
    this.events.push(...(message.events ?? []));
  }
  read_tiles(data) {
    this.bytes += data.length;
    this.tile_messages += 1;
    for (let at = 4; at < data.length; at += 260) {
      this.tiles.set(`${data.readUInt16LE(at)},${data.readUInt16LE(at + 2)}`, data.subarray(at + 4, at + 260).toString("hex"));
    }
  }
  async settled() {
    await until("an answer", () => this.open || this.status !== null || this.closed !== null);
    return this;
  }
  send(action) {
    this.socket.send(typeof action === "string" ? action : JSON.stringify(action));
  }
  // What a page knows, whichever messages it came in.
  known() {
    return JSON.stringify([[...this.robots.values()].sort((a, b) => a.id - b.id), [...this.tiles].sort()]);
  }
}
