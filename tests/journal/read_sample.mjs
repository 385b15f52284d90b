// read_sample.mjs - reads what write_sample wrote, with the readers that viewers use.
// usage: node read_sample.mjs WRITE_SAMPLE JOURNAL
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { check, decode, finish, MessageWriter, parse, readIndexed, readStreaming } from "./readers.mjs";

const SCANS = 120;
const BEAMS = 1081;

function same(name, got, wanted) {
  const text = (value) =>
    JSON.stringify(value, (_, v) =>
      typeof v === "bigint" ? `${v}n` : ArrayBuffer.isView(v) ? Array.from(v) : Number.isNaN(v) ? "NaN" : v === Infinity ? "Infinity" : v,
    );
  check(name, text(got) === text(wanted), `got ${text(got)}, wanted ${text(wanted)}`.slice(0, 400));
}

const f = Math.fround;
const stamp = (ns) => ({ sec: Math.floor(ns / 1e9), nanosec: ns % 1e9 });
const header = (ns, frame) => ({ stamp: stamp(ns), frame_id: frame });

function scanWanted(k) {
  const ranges = new Float32Array(BEAMS);
  for (let i = 0; i < BEAMS; i++) {
    ranges[i] = f(f(1 + ((k * 131 + i * 17) % 2900)) / 100);
  }
  ranges[7] = Infinity;
  ranges[8] = NaN;
  return {
    header: header(k * 25e6, "emu1/laser"),
    angle_min: -2.5,
    angle_max: 2.5,
    angle_increment: f(0.0046875),
    time_increment: f(0.00001),
    scan_time: f(0.025),
    range_min: f(0.05),
    range_max: 30,
    ranges,
    intensities: new Float32Array([0.25, 0.5, -1].slice(0, k % 4)),
  };
}

const nine = (value) => Float64Array.from({ length: 9 }, (_, i) => value(i));
const wanted = {
  "/emu1/imu": {
    header: header(3999999999, "i"),
    orientation: { x: 0.1, y: -0.2, z: 0.3, w: 0.9 },
    orientation_covariance: nine((i) => i * 0.5),
    angular_velocity: { x: 1e-3, y: -2e-3, z: 3.5 },
    angular_velocity_covariance: nine((i) => 0 - i),
    linear_acceleration: { x: 0, y: 0.5, z: 9.80665 },
    linear_acceleration_covariance: nine((i) => i * i),
  },
  "/emu1/thermal": {
    header: header(4.1e9, "emu1/thermal"),
    height: 60,
    width: 80,
    encoding: "mono8",
    is_bigendian: 0,
    step: 80,
    data: Uint8Array.from({ length: 80 * 60 }, (_, i) => i * 7),
  },
  "/rosout": {
    stamp: { sec: 5, nanosec: 6 },
    level: 30,
    name: "emu1/mind",
    msg: "wheel slips ä bit",
    file: "wheels.c",
    function: "",
    line: 42,
  },
  "/tf": {
    transforms: [
      {
        header: header(1, "map"),
        child_frame_id: "emu1/odom",
        transform: { translation: { x: 1, y: 2, z: 3 }, rotation: { x: 0, y: 0, z: 0.6, w: 0.8 } },
      },
      {
        header: header(2, "emu1/odom"),
        child_frame_id: "b",
        transform: { translation: { x: -1, y: 0, z: 0.5 }, rotation: { x: 0, y: 0, z: 0, w: 1 } },
      },
    ],
  },
  "/map": {
    header: header(6e9, "map"),
    info: {
      map_load_time: { sec: 0, nanosec: 0 },
      resolution: f(0.05),
      width: 64,
      height: 32,
      origin: { position: { x: -1.6, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
    },
    data: Int8Array.from({ length: 64 * 32 }, (_, i) => (i % 102) - 1),
  },
  "/radio/task": {
    robot: 3,
    task: 77,
    floor: -1,
    purpose: 2,
    end_yaw_mrad: -32768,
    via_x_mm: new Int32Array([-1500, -500, 500]),
    via_y_mm: new Int32Array([0, -2000, -4000]),
  },
  "/radio/telemetry": {
    robot: 3,
    mono_ns: 6200000000n,
    x_mm: -123456,
    y_mm: 0,
    yaw_mrad: -3142,
    floor: 0,
    speed_mmps: 0,
    roll_mrad: -32768,
    pitch_mrad: -32768,
    mode: 0,
    guards: 0,
    battery_pct: 255,
    match_pct: 255,
    task: 4294967295,
    task_state: 0,
    release_count: 0,
    order: 4294967295,
    guards_more: 65535,
    health: 255,
    health_reason: 255,
    condition: 255,
    escape: 255,
    overridden: 4294967295,
    areas: 4294967295,
  },
};

const [writer, path] = process.argv.slice(2);
const hash = execFileSync(writer, [path], { encoding: "utf8" }).trim();
const bytes = new Uint8Array(readFileSync(path));
const total = SCANS + Object.keys(wanted).length;

const streamed = readStreaming(bytes);
check("the stream reader reaches the end with all CRCs right", streamed.done);
same("the header names profile and library", [streamed.records[0].profile, streamed.records[0].library.split(" ")[0]],
  ["ros2", "cairn"]);
same("the stream has every message", streamed.messages.length, total);
check("the journal has several chunks", streamed.records.filter((r) => r.type === "ChunkIndex").length > 3);
check(
  "messages of a channel are numbered from 0",
  streamed.messages.filter((m) => streamed.channels.get(m.channelId).topic === "/emu1/scan").every((m, i) => m.sequence === i),
);

let scan = 0;
let scansRight = true;
for (const message of streamed.messages) {
  const [topic, value] = decode(streamed.channels, streamed.schemas, message);
  if (topic !== "/emu1/scan") {
    same(`${topic} decodes to what was written`, value, wanted[topic]);
    continue;
  }
  const right = scanWanted(scan);
  if (scan === 3) same("/emu1/scan decodes to what was written", value, right);
  scansRight &&= [...value.ranges].every((range, i) => Object.is(range, right.ranges[i])) && value.intensities.length === scan % 4;
  scansRight &&= message.publishTime === BigInt(scan) * 25000000n && message.logTime === message.publishTime + 1000n;
  scan += 1;
}
check("every scan has its ranges and its times", scansRight && scan === SCANS);

// The other way round: their writer must produce our bytes. Not for /rosout: it cuts text that is not ASCII.
for (const topic of ["/emu1/scan", ...Object.keys(wanted).filter((name) => name !== "/rosout")]) {
  const channel = [...streamed.channels.values()].find((c) => c.topic === topic);
  const schema = streamed.schemas.get(channel.schemaId);
  const message = streamed.messages.find((m) => m.channelId === channel.id);
  const value = topic === "/emu1/scan" ? scanWanted(0) : wanted[topic];
  const theirs = new MessageWriter(parse(new TextDecoder().decode(schema.data), { ros2: true })).writeMessage(value);
  check(`${topic} has the bytes of another CDR writer`, Buffer.compare(Buffer.from(theirs), Buffer.from(message.data)) === 0);
}

const indexed = await readIndexed(bytes);
same("the indexed reader has every message", indexed.messages.length, total);
check("the indexed reader has them in order of time", indexed.messages.every((m, i, all) => i === 0 || all[i - 1].logTime <= m.logTime));
check(
  "both readers give the same messages",
  Buffer.compare(
    Buffer.concat(indexed.messages.map((m) => Buffer.from(m.data))),
    Buffer.concat([...streamed.messages].sort((a, b) => Number(a.logTime - b.logTime)).map((m) => Buffer.from(m.data))),
  ) === 0,
);
same("the statistics count what is there", [
  indexed.reader.statistics.messageCount,
  indexed.reader.statistics.channelCount,
  indexed.reader.statistics.schemaCount,
  indexed.reader.statistics.messageStartTime,
  indexed.reader.statistics.messageEndTime,
  [...indexed.reader.statistics.channelMessageCounts.values()].reduce((a, b) => a + b, 0n),
], [BigInt(total), 8, 8, 1000n, 6200000000n, BigInt(total)]);
const some = await readIndexed(bytes, { topics: ["/map"], startTime: 5500000000n, endTime: 6050000000n });
same("a topic and a window of time are found by index", some.messages.map((m) => m.logTime), [6000000000n]);
same("the metadata hold the format and the hash", indexed.metadata.map((m) => [m.name, ...m.metadata.entries()].flat()),
  [["cairn", "format", "1"], ["cairn", "hash", hash]]);

// The checks above mean something only if damage is seen.
const damaged = bytes.slice();
damaged[Math.floor(bytes.length / 3)] ^= 1;
let seen = false;
try {
  readStreaming(damaged);
} catch {
  seen = true;
}
check("a flipped bit does not pass the stream reader", seen);
finish();
