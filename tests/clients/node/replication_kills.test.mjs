// A replication whose servers are killed on the way comes to its end, and both have the same.
// LARDER_REPLICATE_DOCUMENTS and LARDER_REPLICATE_KILLS say how much; the bar is 100,000 and 20.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { startServer } from "./server.mjs";

const documents = Number(process.env.LARDER_REPLICATE_DOCUMENTS ?? 2000);
const kills = Number(process.env.LARDER_REPLICATE_KILLS ?? 4);
const conflicts = Math.ceil(documents / 100);
const attachments = Math.ceil(documents / 200);

async function ask(server, method, path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.couch + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

async function bulk(server, docs, options = {}) {
  const { status, body } = await ask(server, "POST", "db/_bulk_docs", { docs, ...options });
  assert.equal(status, 201);
  assert.deepEqual(body.filter((one) => one.error), []);
}

async function fill(server) {
  await ask(server, "PUT", "db");
  for (let start = 0; start < documents; start += 1000) {
    const size = Math.min(1000, documents - start);
    await bulk(server, Array.from({ length: size }, (_, n) => ({ _id: `d${start + n}`, n: start + n, text: "x".repeat(100) })));
  }
  const hash = (text) => createHash("md5").update(text).digest("hex");
  const conflict = (_, n) => ({ _id: `d${n * 100}`, _rev: `1-${hash(`conflict${n}`)}`, other: n });
  await bulk(server, Array.from({ length: conflicts }, conflict), { new_edits: false });
  for (let n = 0; n < attachments; n += 1) {
    const data = randomBytes(100_000).toString("base64");
    await bulk(server, [{ _id: `a${n}`, _attachments: { blob: { content_type: "application/octet-stream", data } } }]);
  }
}

// All leaves, and the digests of all attachments.
async function state(server) {
  const { body } = await ask(server, "GET", "db/_changes?style=all_docs&include_docs=true");
  const row = ({ id, changes, doc }) => [id, changes.map(({ rev }) => rev).sort(), doc._attachments?.blob.digest];
  return body.results.map(row).sort(([a], [b]) => (a < b ? -1 : 1));
}

test("whoever is killed, a replication goes on and both sides come to be the same", { timeout: 3_600_000 }, async () => {
  const servers = { source: await startServer(), target: await startServer() };
  try {
    await fill(servers.source);
    await ask(servers.source, "PUT", "_replicator");
    const request = { source: "db", target: `${servers.target.couch}db`, create_target: true, worker_batch_size: 100, checkpoint_interval: 500 };
    assert.equal((await ask(servers.source, "PUT", "_replicator/job", request)).status, 201);
    const count = async () => (await ask(servers.target, "GET", "db")).body.doc_count ?? 0;
    for (let kill = 0; kill < kills; kill += 1) {
      // Each kill waits for the copy to have come a bit further.
      const wanted = (documents * (kill + 1)) / (kills + 2);
      while ((await count()) < wanted) await new Promise((resolve) => setTimeout(resolve, 5));
      const side = kill % 2 ? "source" : "target";
      const { folder, address } = servers[side];
      await servers[side].kill();
      servers[side] = await startServer({ folder, couch: address });
    }
    for (;;) {
      const { body } = await ask(servers.source, "GET", "_replicator/job");
      if (body._replication_state === "completed") break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const [source, target] = [await state(servers.source), await state(servers.target)];
    assert.equal(source.length, documents + attachments);
    assert.deepEqual(target, source);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
});
