// readers.mjs - the readers that viewers use, and checks that speak TAP. Installs them when they are missing.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, "node_modules", ".package-lock.json"))) {
  execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: here, stdio: ["ignore", 2, 2] });
}
const { McapIndexedReader, McapStreamReader } = await import("@mcap/core");
export const { parse } = await import("@foxglove/rosmsg");
export const { MessageReader, MessageWriter } = await import("@foxglove/rosmsg2-serialization");
const fzstd = await import("fzstd");

let count = 0;
export function check(name, passed, detail = "") {
  count += 1;
  console.log(`${passed ? "ok" : "not ok"} ${count} - ${name}${passed || !detail ? "" : ` # ${detail}`}`);
}

// Streaming: every record in the order of the file.
export function readStreaming(bytes) {
  const reader = new McapStreamReader({
    decompressHandlers: { zstd: (packed, size) => fzstd.decompress(packed, new Uint8Array(Number(size))) },
    validateCrcs: true,
  });
  const seen = { schemas: new Map(), channels: new Map(), messages: [], records: [] };
  reader.append(bytes);
  for (let record; (record = reader.nextRecord()); ) {
    seen.records.push(record);
    if (record.type === "Schema") seen.schemas.set(record.id, record);
    else if (record.type === "Channel") seen.channels.set(record.id, record);
    else if (record.type === "Message") seen.messages.push(record);
  }
  seen.done = reader.done();
  return seen;
}

export async function readIndexed(bytes, options = {}) {
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
  };
  const reader = await McapIndexedReader.Initialize({
    readable,
    decompressHandlers: { zstd: (packed, size) => fzstd.decompress(packed, new Uint8Array(Number(size))) },
  });
  const messages = [];
  for await (const message of reader.readMessages({ validateCrcs: true, ...options })) messages.push(message);
  const metadata = [];
  for await (const record of reader.readMetadata()) metadata.push(record);
  return { reader, messages, metadata };
}

const readers = new Map();
// Topic and value of a message.
export const decode = (channels, schemas, message) => {
  const channel = channels.get(message.channelId);
  const schema = schemas.get(channel.schemaId);
  if (!readers.has(schema.name)) {
    readers.set(schema.name, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
  }
  return [channel.topic, readers.get(schema.name).readMessage(message.data)];
};

export function finish() {
  console.log(`1..${count}`);
}
