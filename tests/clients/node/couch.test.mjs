import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MongoClient } from "mongodb";
import Nano from "nano";
import PouchDB from "pouchdb-core";
import http from "pouchdb-adapter-http";
import memory from "pouchdb-adapter-memory";
import replication from "pouchdb-replication";
import { startServer } from "./server.mjs";

PouchDB.plugin(http).plugin(memory).plugin(replication);

let server, mongo;
let count = 0;

before(async () => {
  server = await startServer();
  mongo = await MongoClient.connect(server.uri);
});

after(async () => {
  await mongo?.close();
  await server?.stop();
});

function remote() {
  count += 1;
  return new PouchDB(`${server.couch}couch${count}`);
}

function local() {
  return new PouchDB(`local${count}`, { adapter: "memory" });
}

test("PouchDB writes, reads, updates and deletes", async () => {
  const db = remote();
  const first = await db.put({ _id: "a", n: 1, nested: { z: [1, 2.5, null], $odd: true } });
  assert.deepEqual(await db.get("a"), { _id: "a", _rev: first.rev, n: 1, nested: { z: [1, 2.5, null], $odd: true } });
  const second = await db.put({ _id: "a", _rev: first.rev, n: 2 });
  assert.match(second.rev, /^2-/);
  await assert.rejects(db.put({ _id: "a", _rev: first.rev, n: 3 }), { status: 409, name: "conflict" });
  await db.remove("a", second.rev);
  await assert.rejects(db.get("a"), { status: 404, reason: "deleted" });
});

test("a conflict is the same on both sides of a sync", async () => {
  const db = remote();
  const copy = local();
  await copy.put({ _id: "a", v: 0 });
  await copy.sync(db);
  await copy.put({ ...(await copy.get("a")), v: "local" });
  await db.put({ ...(await db.get("a")), v: "remote" });
  await copy.sync(db);
  const here = await copy.get("a", { conflicts: true });
  const there = await db.get("a", { conflicts: true });
  assert.equal(here._conflicts.length, 1);
  assert.deepEqual({ ...here }, { ...there });
});

test("live changes come as they are made", async () => {
  const db = remote();
  await db.info();
  const feed = db.changes({ live: true, since: "now", include_docs: true });
  const change = new Promise((resolve, reject) => feed.on("change", resolve).on("error", reject));
  // The feed may start on either side of the write; until it has seen one, more are made.
  let seen = false;
  change.then(() => (seen = true));
  for (let n = 0; !seen; n += 1) await db.put({ _id: `d${n}`, n });
  const { doc } = await change;
  assert.equal(doc._id, `d${doc.n}`);
  feed.cancel();
});

test("nano lists, bulk-writes and follows documents", async () => {
  const nano = Nano(server.couch);
  await nano.db.create("nano");
  const db = nano.use("nano");
  const written = await db.bulk({ docs: [{ _id: "a" }, { _id: "b", n: 1 }] });
  assert.ok(written.every((one) => one.ok));
  const { rows, total_rows } = await db.list({ include_docs: true });
  assert.equal(total_rows, 2);
  assert.equal(rows[1].doc.n, 1);
  const changes = await db.changes({ since: 0 });
  assert.deepEqual(changes.results.map((change) => change.id), ["a", "b"]);
  assert.ok((await nano.db.list()).includes("nano"));
  await nano.db.destroy("nano");
  await assert.rejects(nano.db.get("nano"), { statusCode: 404 });
});

test("documents are those of the MongoDB protocol, with their types", async () => {
  const things = mongo.db("default").collection("shared");
  const date = new Date("2020-01-02T03:04:05Z");
  await things.insertOne({ _id: "m", date, n: 5 });
  const db = new PouchDB(`${server.couch}shared`);
  const seen = await db.get("m");
  assert.deepEqual(seen.date, { $date: "2020-01-02T03:04:05Z" });
  await db.put({ ...seen, n: 6 });
  await db.put({ _id: "p", list: [1, "two"] });
  assert.deepEqual(await things.findOne({ _id: "m" }), { _id: "m", date, n: 6 });
  assert.deepEqual(await things.findOne({ _id: "p" }), { _id: "p", list: [1, "two"] });
  await things.updateOne({ _id: "p" }, { $set: { n: 1 } });
  assert.match((await db.get("p"))._rev, /^2-/);
});
