import assert from "node:assert/strict";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import couchbackup from "@cloudant/couchbackup";
import Nano from "nano";
import { startServer } from "./server.mjs";

const DOCUMENTS = 5000;

let server, folder;

before(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "couchbackup-"));
});

after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
});

// Calls one of couchbackup's functions, which end by a callback.
function done(run) {
  return new Promise((resolve, reject) => run((error, result) => (error ? reject(error) : resolve(result))));
}

test("couchbackup backs up a database and restores it", async () => {
  const nano = Nano(server.couch.replace(/\/$/, ""));
  for (const name of ["source", "target"]) await nano.db.create(name);
  const docs = Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: `d${String(n).padStart(6, "0")}`, n, text: "x".repeat(200) }));
  await nano.use("source").bulk({ docs });
  const file = join(folder, "backup");
  const options = { bufferSize: 500, parallelism: 4 };
  const saved = await done((end) => couchbackup.backup(`${server.couch}source`, createWriteStream(file), options, end));
  assert.equal(saved.total, DOCUMENTS);
  const restored = await done((end) => couchbackup.restore(createReadStream(file), `${server.couch}target`, options, end));
  assert.equal(restored.total, DOCUMENTS);
  const all = (name) => nano.use(name).list({ include_docs: true });
  assert.deepEqual((await all("target")).rows, (await all("source")).rows);
});
