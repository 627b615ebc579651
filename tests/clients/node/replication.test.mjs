// Replication by the server itself, between two Larders, and with PouchDB and express-pouchdb as peers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PouchDB, startPeer } from "./peer.mjs";
import { startServer } from "./server.mjs";

let one, two, peer;
let count = 0;

before(async () => {
  [one, two] = await Promise.all([startServer(), startServer()]);
  peer = await startPeer();
});

after(() => Promise.all([one?.stop(), two?.stop(), peer?.stop()]));

async function ask(server, method, path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.couch + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const replicate = (server, body) => ask(server, "POST", "_replicate", body);

function name() {
  count += 1;
  return `r${count}`;
}

async function leaves(url) {
  const db = new PouchDB(url);
  const { results } = await db.changes({ style: "all_docs" });
  const all = {};
  for (const { id, changes } of results) all[id] = changes.map(({ rev }) => rev).sort();
  return all;
}

async function until(condition) {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, "waited for a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Documents with a conflict, a deletion and an update each.
async function fill(url) {
  const db = new PouchDB(url);
  await db.info();
  await db.bulkDocs(Array.from({ length: 30 }, (_, n) => ({ _id: `d${n}`, n, text: "é\u0000😀", float: 1.0, nested: { a: [n] } })));
  await db.bulkDocs(
    ["a", "b"].map((hash) => ({ _id: "conflict", _rev: `2-${hash.repeat(32)}`, _revisions: { start: 2, ids: [hash.repeat(32), "c".repeat(32)] }, hash })),
    { new_edits: false },
  );
  await db.put({ ...(await db.get("d1")), changed: true });
  await db.remove(await db.get("d2"));
  return db;
}

test("a push and a pull between two servers bring all leaves across", async () => {
  const [source, target] = [name(), name()];
  const db = await fill(one.couch + source);
  const first = await replicate(one, { source, target: two.couch + target, create_target: true });
  assert.equal(first.status, 200);
  assert.deepEqual(await leaves(one.couch + source), await leaves(two.couch + target));
  const { ok, session_id, history, replication_id_version } = first.body;
  assert.ok(ok && replication_id_version === 4 && history.length === 1);
  assert.equal(history[0].session_id, session_id);
  assert.equal(history[0].docs_written, 32);
  assert.equal(history[0].doc_write_failures, 0);
  const again = await replicate(one, { source, target: two.couch + target, create_target: true });
  assert.equal(again.body.no_changes, true);
  await db.put({ _id: "later" });
  const pulled = await replicate(two, { source: one.couch + source, target });
  assert.equal(pulled.body.history[0].docs_written, 1);
  assert.equal(pulled.body.history[0].missing_found, 1);
});

test("two local databases are replicated within the server", async () => {
  const [source, target] = [name(), name()];
  await fill(one.couch + source);
  const { body } = await replicate(one, { source, target, create_target: true });
  assert.ok(body.ok, JSON.stringify(body));
  assert.deepEqual(await leaves(one.couch + source), await leaves(one.couch + target));
});

test("ids and selectors choose what is replicated", async () => {
  const source = name();
  await fill(one.couch + source);
  const [byIds, bySelector] = [name(), name()];
  const ids = await replicate(one, { source, target: byIds, create_target: true, doc_ids: ["d3", "d4", "none"] });
  assert.equal(ids.body.docs_written, 2);
  assert.deepEqual(Object.keys(await leaves(one.couch + byIds)).sort(), ["d3", "d4"]);
  await replicate(one, { source, target: bySelector, create_target: true, selector: { n: { $lt: 5 } } });
  assert.deepEqual(Object.keys(await leaves(one.couch + bySelector)).sort(), ["d0", "d1", "d3", "d4"]);
});

test("a filter with another text begins anew", async () => {
  const [source, target] = [name(), name()];
  const db = await fill(one.couch + source);
  const design = (text) => ({ _id: "_design/f", filters: { some: text } });
  const body = { source, target, create_target: true, filter: "f/some" };
  const missing = await replicate(one, body);
  assert.deepEqual([missing.status, missing.body.error], [404, "not_found"]);
  const { rev } = await db.put(design("function (doc) { return doc.n === 3; }"));
  await replicate(one, body);
  assert.deepEqual(Object.keys(await leaves(one.couch + target)), ["d3"]);
  await db.put({ ...design("function (doc) { return doc.n < 5; }"), _rev: rev });
  await replicate(one, body);
  assert.deepEqual(Object.keys(await leaves(one.couch + target)).sort(), ["d0", "d1", "d3", "d4"]);
});

test("a document of _replicator acts as the account that it names, and waits for its filter", async () => {
  const server = await startServer();
  const as = (user) => async (method, path, body) => {
    const headers = { "content-type": "application/json", authorization: `Basic ${Buffer.from(user).toString("base64")}` };
    const answer = await fetch(server.couch + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  try {
    const [admin, jan] = [as("root:secret"), as("jan:secret")];
    await ask(server, "PUT", "_node/_local/_config/admins/root", "secret");
    await admin("PUT", "_users");
    await admin("PUT", "_users/org.couchdb.user:jan", { _id: "org.couchdb.user:jan", name: "jan", password: "secret", roles: ["some"], type: "user" });
    for (const database of ["from", "to", "_replicator"]) await admin("PUT", database);
    const members = { admins: { names: [], roles: [] }, members: { names: ["jan"], roles: [] } };
    for (const database of ["from", "to", "_replicator"]) await admin("PUT", `${database}/_security`, members);
    await jan("PUT", "from/a", { n: 1 });
    const state = async (id, wanted) => {
      let body;
      await until(async () => {
        ({ body } = await admin("GET", `_replicator/${id}`));
        return body._replication_state === wanted;
      });
      return body._replication_state_reason;
    };
    const context = { name: "jan", roles: ["some"] };
    assert.equal((await jan("PUT", "_replicator/other", { source: "from", target: "to", user_ctx: { name: "root" } })).status, 403);
    assert.equal((await jan("PUT", "_replicator/own", { source: "from", target: "to", user_ctx: context })).status, 201);
    await state("own", "completed");
    assert.equal((await jan("GET", "to/a")).body.n, 1);
    await admin("PUT", "_replicator/role", { source: "from", target: "to", user_ctx: { name: "jan", roles: ["_admin"] } });
    assert.match(await state("role", "failed"), /_admin/);
    await admin("PUT", "_replicator/filtered", { source: "from", target: "to", filter: "f/some", user_ctx: context });
    let waiting;
    await until(async () => {
      ({ body: waiting } = await admin("GET", "_scheduler/docs/_replicator/filtered"));
      return waiting.state === "error";
    });
    assert.match(waiting.info.error, /_design\/f/);
    assert.equal((await admin("GET", "_replicator/filtered")).body._replication_state, undefined);
  } finally {
    await server.stop();
  }
});

test("a continuous replication follows its source until it is cancelled", async () => {
  const [source, target] = [name(), name()];
  const db = await fill(one.couch + source);
  const body = { source, target: two.couch + target, create_target: true, continuous: true };
  const started = await replicate(one, body);
  assert.equal(started.status, 202);
  const id = started.body._local_id;
  assert.match(id, /^[0-9a-f]{32}\+continuous\+create_target$/);
  const copy = new PouchDB(two.couch + target, { skip_setup: true });
  const has = (key) => copy.get(key).then(() => true, () => false);
  await until(() => has("d5"));
  await db.put({ _id: "live" });
  await until(() => has("live"));
  const tasks = await ask(one, "GET", "_active_tasks");
  const task = tasks.body.find((task) => task.replication_id === id);
  assert.equal(task.type, "replication");
  const jobs = await ask(one, "GET", "_scheduler/jobs");
  assert.ok(jobs.body.jobs.some((job) => job.id === id));
  assert.equal((await replicate(one, { ...body, cancel: true })).body.ok, true);
  assert.equal((await replicate(one, { cancel: true, replication_id: id })).status, 404);
});

test("a document of _replicator is run and told what became of it", async () => {
  const [source, target] = [name(), name()];
  await fill(one.couch + source);
  await ask(one, "PUT", "_replicator");
  await ask(one, "PUT", `_replicator/${target}`, { source, target: two.couch + target, create_target: true });
  let body;
  await until(async () => {
    ({ body } = await ask(one, "GET", `_replicator/${target}`));
    return body._replication_state === "completed";
  });
  assert.equal(body._replication_stats.docs_written, 32);
  await until(async () => (await ask(one, "GET", `_scheduler/docs/_replicator/${target}`)).body.state === "completed");
  assert.equal((await ask(one, "PUT", "_replicator/wrong", { source })).status, 403);
  await ask(one, "PUT", "_replicator/retried", { source: name(), target, retries_per_request: 0 });
  await until(async () => (await ask(one, "GET", "_scheduler/docs/_replicator/retried")).body.error_count >= 1);
  // Those that have ended are not listed for long.
  await until(async () => (await ask(one, "GET", "_scheduler/jobs")).body.jobs.length === 1);
  const { _rev } = (await ask(one, "GET", "_replicator/retried")).body;
  await until(async () => {
    const { _rev } = (await ask(one, "GET", "_replicator/retried")).body;
    return (await ask(one, "DELETE", `_replicator/retried?rev=${_rev}`)).status === 200;
  });
  assert.ok(_rev);
  await until(async () => (await ask(one, "GET", "_scheduler/jobs")).body.jobs.length === 0);
});

test("databases that are not there, and wrong requests, are told as CouchDB does", async () => {
  const missing = await replicate(one, { source: name(), target: name() });
  assert.equal(missing.body.error, "db_not_found");
  assert.equal((await replicate(one, { source: "ftp://a/b", target: "c" })).status, 400);
  assert.equal((await replicate(one, { source: "a", target: "b", doc_ids: [], filter: "x" })).status, 400);
  const closed = await replicate(one, { source: "http://127.0.0.1:1/a", target: "b", retries_per_request: 0 });
  assert.equal(closed.status, 500);
});

test("PouchDB goes on from its own checkpoints, both ways at once", async () => {
  const remote = await fill(one.couch + name());
  const local = new PouchDB(name(), { adapter: "memory" });
  await local.put({ _id: "local" });
  const sync = local.sync(remote, { live: true, retry: true });
  await until(async () => (await remote.get("local").catch(() => null)) && (await local.get("d5").catch(() => null)));
  sync.cancel();
  const pull = await local.replicate.from(remote);
  assert.equal(pull.docs_read, 0);
});

test("express-pouchdb is replicated to and from", async () => {
  const [source, target, back] = [name(), name(), name()];
  await fill(one.couch + source);
  const push = await replicate(one, { source, target: peer.url + target, create_target: true });
  assert.ok(push.body.ok, JSON.stringify(push.body));
  assert.equal(push.body.history[0].doc_write_failures, 0);
  assert.deepEqual(await leaves(peer.url + target), await leaves(one.couch + source));
  const pull = await replicate(one, { source: peer.url + target, target: back, create_target: true });
  assert.ok(pull.body.ok, JSON.stringify(pull.body));
  assert.deepEqual(await leaves(one.couch + back), await leaves(one.couch + source));
  const again = await replicate(one, { source: peer.url + target, target: back });
  assert.equal(again.body.no_changes ?? again.body.ok, true);
});
