// Basho's own client, over protocol buffers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Riak from "basho-riak-client";
import { startServer } from "./server.mjs";

let server, client;

before(async () => {
  server = await startServer({ riak: true });
  client = await new Promise((resolve, reject) => {
    new Riak.Client([server.riakBuffers], (error, made) => (error ? reject(error) : resolve(made)));
  });
});

after(async () => {
  await new Promise((resolve) => client.stop(resolve));
  await server?.stop();
});

function ask(command, options) {
  return new Promise((resolve, reject) => {
    client[command](options, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

test("objects are stored, fetched and deleted", async () => {
  const value = new Riak.Commands.KV.RiakObject();
  value.setContentType("application/json");
  value.setValue({ name: "one", n: 1 });
  value.addToIndex("n_int", 1);
  value.setUserMeta([{ key: "colour", value: "red" }]);
  await ask("storeValue", { bucket: "js", key: "k", value });
  const { values } = await ask("fetchValue", { bucket: "js", key: "k", convertToJs: true });
  assert.deepEqual(values[0].value, { name: "one", n: 1 });
  assert.deepEqual(values[0].getUserMeta()[0], { key: "colour", value: "red" });
  await ask("deleteValue", { bucket: "js", key: "k" });
  assert.equal((await ask("fetchValue", { bucket: "js", key: "k" })).isNotFound, true);
});

test("siblings are resolved by a value that has seen them", async () => {
  await ask("storeBucketProps", { bucket: "jsm", allowMult: true });
  for (const value of ["a", "b"]) await ask("storeValue", { bucket: "jsm", key: "k", value });
  const both = await ask("fetchValue", { bucket: "jsm", key: "k" });
  assert.deepEqual(both.values.map((one) => one.value.toString()).sort(), ["a", "b"]);
  const resolved = both.values[0];
  resolved.setValue("c");
  await ask("storeValue", { value: resolved });
  const one = await ask("fetchValue", { bucket: "jsm", key: "k" });
  assert.deepEqual(one.values.map((sibling) => sibling.value.toString()), ["c"]);
});

test("terms find keys, and keys are listed", async () => {
  for (let n = 0; n < 5; n++) {
    const value = new Riak.Commands.KV.RiakObject();
    value.setContentType("text/plain");
    value.setValue(`v${n}`);
    value.addToIndex("n_int", n);
    await ask("storeValue", { bucket: "jsi", key: `k${n}`, value });
  }
  const found = await ask("secondaryIndexQuery", { bucket: "jsi", indexName: "n_int", rangeStart: 2, rangeEnd: 3, stream: false });
  assert.deepEqual(found.values.map((one) => one.objectKey).sort(), ["k2", "k3"]);
  const { keys } = await ask("listKeys", { bucket: "jsi", stream: false });
  assert.equal(keys.length, 5);
});

test("data types are changed and read", async () => {
  await ask("updateCounter", { bucketType: "counters", bucket: "jsd", key: "c", increment: 3 });
  assert.equal((await ask("fetchCounter", { bucketType: "counters", bucket: "jsd", key: "c" })).counterValue.toString(), "3");
  await ask("updateSet", { bucketType: "sets", bucket: "jsd", key: "s", additions: ["a", "b"] });
  const set = await ask("fetchSet", { bucketType: "sets", bucket: "jsd", key: "s", setsAsBuffers: false });
  assert.deepEqual(set.values.sort(), ["a", "b"]);
});

test("map/reduce gives the results of its phases", async () => {
  for (let n = 1; n <= 3; n++) {
    const value = new Riak.Commands.KV.RiakObject();
    value.setContentType("application/json");
    value.setValue({ n });
    await ask("storeValue", { bucket: "jsr", key: `k${n}`, value });
  }
  const query = JSON.stringify({
    inputs: "jsr",
    query: [
      { map: { language: "javascript", source: "function (v) { return [JSON.parse(v.values[0].data).n]; }" } },
      { reduce: { language: "javascript", name: "Riak.reduceSum" } },
    ],
  });
  const results = await new Promise((resolve, reject) => {
    const done = (error, result) => (error ? reject(error) : resolve(result));
    client.execute(new Riak.Commands.MR.MapReduce(query, done, false));
  });
  assert.deepEqual(results.phase_1, [6]);
});
