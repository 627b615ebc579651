// GridFSBucket streams files in and out; the server's memory does not follow their length.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GridFSBucket, MongoClient } from "mongodb";
import { startServer } from "./server.mjs";

const FILE_MB = Number(process.env.LARDER_TEST_FILE_MB ?? "64");
const MEMORY_MB = 64;
// Code, stacks and what a driver's connection takes come on top of the budget.
const RESIDENT_MB_MAX = MEMORY_MB * 2 + 64;

let server, client;

before(async () => {
  server = await startServer();
  client = await MongoClient.connect(server.uri);
});

after(async () => {
  await client?.close();
  assert.equal(await server?.stop(), 0);
});

async function residentMb() {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) / 1024;
}

// Megabytes that no compression makes small, and the digest of all of them.
function megabytes(count, digest) {
  return Readable.from((function* () {
    const block = Buffer.alloc(1 << 20);
    for (let number = 0, x = 1; number < count; number++) {
      for (let at = 0; at < block.length; at += 4) {
        x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
        block.writeInt32LE(x | 0, at);
      }
      digest.update(block);
      yield Buffer.from(block);
    }
  })());
}

function into(digest) {
  return new Writable({ write: (chunk, _, done) => { digest.update(chunk); done(); } });
}

test(`a file of ${FILE_MB} MB goes in and out with flat memory`, { timeout: 600_000 }, async () => {
  const bucket = new GridFSBucket(client.db("default"), { bucketName: "large" });
  let peak = 0;
  const watch = setInterval(async () => { peak = Math.max(peak, await residentMb()); }, 100);
  const [written, read, fetched] = ["sha256", "sha256", "sha256"].map((kind) => createHash(kind));
  const seconds = async (work) => {
    const started = performance.now();
    await work();
    return ((performance.now() - started) / 1000).toFixed(1);
  };
  const up = await seconds(() => pipeline(megabytes(FILE_MB, written), bucket.openUploadStream("movie")));
  const down = await seconds(() => pipeline(bucket.openDownloadStreamByName("movie"), into(read)));
  const answer = await fetch(`${server.url}/files/large/movie`);
  const http = await seconds(() => pipeline(Readable.fromWeb(answer.body), into(fetched)));
  clearInterval(watch);
  console.log(`${FILE_MB} MB: up ${up} s, down ${down} s, over HTTP ${http} s; at most ${peak.toFixed(0)} MB resident`);
  const expected = written.digest("hex");
  assert.equal(read.digest("hex"), expected);
  assert.equal(fetched.digest("hex"), expected);
  assert.ok(peak < RESIDENT_MB_MAX, `${peak} MB resident`);
});

test("revisions, ids and deletion are those that HTTP knows", async () => {
  const bucket = new GridFSBucket(client.db("default"), { bucketName: "small" });
  const put = (text) => pipeline(Readable.from([text]), bucket.openUploadStream("note", { metadata: { contentType: "text/plain" } }));
  await put("one");
  await put("two");
  const read = async (path) => {
    const answer = await fetch(server.url + path);
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await read("/files/small/note"), [200, "two"]);
  assert.deepEqual(await read("/files/small/note?version=0"), [200, "one"]);
  const put2 = await fetch(`${server.url}/files/small/note`, { method: "PUT", body: "three" });
  const { id } = await put2.json();
  const [newest] = await bucket.find({ filename: "note" }).sort({ uploadDate: -1 }).limit(1).toArray();
  assert.equal(newest._id.toHexString(), id);
  await bucket.delete(newest._id);
  assert.deepEqual(await read("/files/small/note"), [200, "two"]);
});
