// read_mission.mjs - runs a short mission and reads its journal with the readers that viewers use.
// usage: node read_mission.mjs CAIRN MISSION FOLDER
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, decode, finish, readIndexed, readStreaming } from "../journal/readers.mjs";

const SECONDS = 20;
const [cairn, mission, folder] = process.argv.slice(2);
execFileSync(cairn, ["mission", "run", mission, "--physics", "planar", "--duration", `${SECONDS}`, "--json", "--out", folder]);
const bytes = new Uint8Array(readFileSync(join(folder, "journal.mcap")));

const streamed = readStreaming(bytes);
check("the stream reader reaches the end with all CRCs right", streamed.done && streamed.messages.length > 1000);
const indexed = await readIndexed(bytes);
check("the indexed reader has every message", indexed.messages.length === streamed.messages.length);

const byTopic = new Map();
let undecoded = "";
for (const message of streamed.messages) {
  try {
    const [topic, value] = decode(streamed.channels, streamed.schemas, message);
    if (!byTopic.has(topic)) byTopic.set(topic, []);
    byTopic.get(topic).push(value);
  } catch (error) {
    undecoded ||= `${streamed.channels.get(message.channelId).topic}: ${error}`;
  }
}
check("every message of every channel decodes by its schema", undecoded === "", undecoded);

const topics = ["scan", "imu", "thermal", "odom", "truth", "cmd_vel", "radio/telemetry", "radio/terrain_grid", "radio/node"];
const wanted = ["/tf", "/map", "/rosout", ...topics.flatMap((topic) => [`/emu1/${topic}`, `/emu2/${topic}`])];
const missing = wanted.filter((topic) => !byTopic.has(topic));
check("all channels are there", missing.length === 0, missing.join(" "));

const scans = byTopic.get("/emu1/scan") ?? [];
check("scans come ten times a second", Math.abs(scans.length - 10 * SECONDS) <= 2, `${scans.length}`);
check("each scan has 1081 beams over 270 degrees", scans.every((s) => s.ranges.length === 1081 && Math.abs(s.angle_max - s.angle_min - 1.5 * Math.PI) < 1e-3));
// The maze is 10 m wide: nothing is farther away than its diagonal, and few beams drop out.
const good = scans.flatMap((s) => [...s.ranges]).filter((range) => range > 0.06 && range < 14.5).length;
check("ranges fit the arena", good > 0.99 * 1081 * scans.length, `${good} of ${1081 * scans.length}`);

const gravity = (byTopic.get("/emu1/imu") ?? []).map((i) => i.linear_acceleration.z);
const mean = gravity.reduce((sum, z) => sum + z, 0) / gravity.length;
check("the IMU feels gravity", Math.abs(mean - 9.81) < 0.3, `${mean}`);
const image = (byTopic.get("/emu1/thermal") ?? [])[0];
check("a thermal picture is 80 x 60 of 16 bits", image?.width === 80 && image?.height === 60 && image?.data.length === 80 * 60 * 2);
const map = (byTopic.get("/map") ?? []).at(-1);
check("the map has walls, free ground and unknown", [-1, 0, 100].every((value) => map?.data.includes(value)));
finish();
