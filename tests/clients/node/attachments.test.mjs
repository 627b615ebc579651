// Attachments through unmodified clients, and by the server's own replication, which sends them piece by piece.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer, request } from "node:http";
import { after, before, test } from "node:test";
import Nano from "nano";
import { PouchDB, startPeer } from "./peer.mjs";
import { startServer } from "./server.mjs";

const text = "compressible, ".repeat(2000);
const binary = randomBytes(300_000);

let one, two, peer;
let count = 0;

before(async () => {
  [one, two] = await Promise.all([startServer(), startServer()]);
  peer = await startPeer();
});

after(() => Promise.all([one?.stop(), two?.stop(), peer?.stop()]));

function name() {
  count += 1;
  return `a${count}`;
}

async function replicate(server, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${server.couch}_replicate`, { method: "POST", headers, body: JSON.stringify(body) });
  return answer.json();
}

// A document with two attachments, an update that keeps one of them, and a conflict with another.
async function fill(url) {
  const db = new PouchDB(url);
  await db.info();
  const attachments = {
    "text.txt": { content_type: "text/plain", data: Buffer.from(text) },
    "dir/binary": { content_type: "application/octet-stream", data: binary },
  };
  const { rev } = await db.put({ _id: "both", _attachments: attachments });
  await db.put({ _id: "plain" });
  const { rev: later } = await db.putAttachment("both", "later", rev, Buffer.from("later"), "image/x");
  await db.bulkDocs(
    [{ _id: "both", _rev: `2-${"f".repeat(32)}`, _revisions: { start: 2, ids: ["f".repeat(32), rev.slice(2)] },
      _attachments: { other: { content_type: "text/plain", data: Buffer.from("other").toString("base64") } } }],
    { new_edits: false },
  );
  return { db, first: rev, later };
}

async function check(url, later) {
  const db = new PouchDB(url, { skip_setup: true });
  const bytes = async (name, rev) => Buffer.from(await db.getAttachment("both", name, { rev }));
  assert.equal((await bytes("text.txt", later)).toString(), text);
  assert.ok((await bytes("dir/binary", later)).equals(binary));
  assert.equal((await bytes("later", later)).toString(), "later");
  assert.equal((await bytes("other", `2-${"f".repeat(32)}`)).toString(), "other");
}

async function checkGenerations(url, later) {
  const db = new PouchDB(url, { skip_setup: true });
  const { _attachments } = await db.get("both", { rev: later });
  const revpos = Object.fromEntries(Object.entries(_attachments).map(([name, { revpos }]) => [name, revpos]));
  assert.deepEqual(revpos, { "text.txt": 1, "dir/binary": 1, later: 2 });
}

test("PouchDB writes attachments, reads them and takes them home", async () => {
  const { db, later } = await fill(one.couch + name());
  await check(db.name, later);
  const local = new PouchDB(name(), { adapter: "memory" });
  const { doc_write_failures } = await local.replicate.from(db);
  assert.equal(doc_write_failures, 0);
  assert.equal((await local.getAttachment("both", "text.txt", { rev: later })).toString(), text);
  const back = one.couch + name();
  await local.replicate.to(back);
  await check(back, later);
  const { _attachments } = await db.get("both", { attachments: true, rev: later });
  assert.equal(Buffer.from(_attachments["text.txt"].data, "base64").toString(), text);
});

test("nano inserts documents with parts and reads them in parts", async () => {
  const nano = Nano(one.couch);
  const database = name();
  await nano.db.create(database);
  const db = nano.use(database);
  const files = [
    { name: "one.txt", data: text, content_type: "text/plain" },
    { name: "two", data: binary, content_type: "application/octet-stream" },
  ];
  const { rev } = await db.multipart.insert({ n: 1 }, files, "m");
  assert.equal((await db.attachment.get("m", "one.txt")).toString(), text);
  assert.ok((await db.attachment.get("m", "two")).equals(binary));
  const whole = await db.multipart.get("m");
  assert.ok(whole.includes(binary));
  await db.attachment.insert("m", "three", Buffer.from("3"), "image/x", { rev });
  assert.deepEqual(Object.keys((await db.get("m"))._attachments).sort(), ["one.txt", "three", "two"]);
});

test("a replication between two servers brings attachments of all leaves across, pushed or pulled", async () => {
  const { db, later } = await fill(one.couch + name());
  const [pushed, pulled, local] = [name(), name(), name()];
  const push = await replicate(one, { source: db.name.slice(one.couch.length), target: two.couch + pushed, create_target: true });
  assert.equal(push.history[0].doc_write_failures, 0);
  await check(two.couch + pushed, later);
  await checkGenerations(two.couch + pushed, later);
  await replicate(two, { source: db.name, target: pulled, create_target: true });
  await check(two.couch + pulled, later);
  await checkGenerations(two.couch + pulled, later);
  await replicate(one, { source: db.name.slice(one.couch.length), target: local, create_target: true });
  await check(one.couch + local, later);
  const digests = async (url) => {
    const { _attachments } = await new PouchDB(url, { skip_setup: true }).get("both", { rev: later });
    return Object.entries(_attachments).map(([name, { digest, length }]) => [name, digest, length]).sort();
  };
  assert.deepEqual(await digests(two.couch + pushed), await digests(db.name));
});

test("what a server asks and sends is what CouchDB's replicator does", async () => {
  const { db, first, later } = await fill(one.couch + name());
  const target = two.couch + name();
  const source = db.name.slice(one.couch.length);
  const asked = [];
  // Between the two stands something that writes down what passes.
  const between = createServer((incoming, outgoing) => {
    asked.push({ method: incoming.method, url: decodeURIComponent(incoming.url), headers: incoming.headers });
    const passed = request(new URL(incoming.url, incoming.url.includes(source) ? one.couch : two.couch), { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise((resolve) => between.listen(0, "127.0.0.1", resolve));
  try {
    const base = `http://127.0.0.1:${between.address().port}/`;
    // The target has the first revision, so what came with it need not be sent again.
    await replicate(one, { source, target, create_target: true, doc_ids: ["none"] });
    const known = await (await fetch(`${db.name}/both?attachments=true&revs=true&rev=${first}`, { headers: { accept: "application/json" } })).json();
    await fetch(`${target}/both?new_edits=false`, { method: "PUT", body: JSON.stringify(known) });
    await replicate(one, { source: base + source, target: base + target.slice(two.couch.length) });
    const get = asked.filter(({ method, url }) => method === "GET" && url.includes("/both?")).map(({ url, headers }) => [url.split("?")[1], headers.accept]);
    assert.equal(get.length, 1, JSON.stringify(asked));
    assert.match(get[0][0], /^revs=true&open_revs=\["2-[0-9a-f]+","2-[0-9a-f]+"\]&latest=true&atts_since=\["1-[0-9a-f]+"\]$/);
    assert.equal(get[0][1], "multipart/mixed");
    const puts = asked.filter(({ method, url }) => method === "PUT" && url.includes("/both?"));
    assert.equal(puts.length, 2);
    for (const { url, headers } of puts) {
      assert.ok(url.endsWith("/both?new_edits=false"));
      assert.match(headers["content-type"], /^multipart\/related; boundary="[0-9a-f]{32}"$/);
      assert.ok(Number(headers["content-length"]) < 2000, "what the target has is not sent");
    }
    await check(target, later);
  } finally {
    between.closeAllConnections();
    await new Promise((resolve) => between.close(resolve));
  }
});

test("express-pouchdb takes attachments and gives them", async () => {
  const { db, later } = await fill(one.couch + name());
  const [target, back] = [name(), name()];
  const push = await replicate(one, { source: db.name.slice(one.couch.length), target: peer.url + target, create_target: true });
  assert.equal(push.history?.[0].doc_write_failures, 0, JSON.stringify(push));
  const copy = new PouchDB(peer.url + target);
  assert.ok(Buffer.from(await copy.getAttachment("both", "dir/binary", { rev: later })).equals(binary));
  assert.equal((await copy.getAttachment("both", "text.txt", { rev: later })).toString(), text);
  const pull = await replicate(one, { source: peer.url + target, target: back, create_target: true });
  assert.ok(pull.ok, JSON.stringify(pull));
  assert.ok(Buffer.from(await new PouchDB(one.couch + back).getAttachment("both", "dir/binary", { rev: later })).equals(binary));
});

test("a digest is that of the bytes as they are stored", async () => {
  const { db, later } = await fill(one.couch + name());
  const { _attachments } = await db.get("both", { rev: later });
  const digest = createHash("md5").update(binary).digest("base64");
  assert.equal(_attachments["dir/binary"].digest, `md5-${digest}`);
});
