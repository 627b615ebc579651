import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Decimal128, Long, MongoClient } from "mongodb";
import { startServer } from "./server.mjs";

let server, client, things;

before(async () => {
  server = await startServer();
  client = await MongoClient.connect(server.uri);
  things = client.db("node").collection("things");
});

after(async () => {
  await client?.close();
  await server?.stop();
});

test("documents are written, found, changed and removed", async () => {
  await things.insertMany([{ _id: 1, n: Long.fromNumber(5) }, { _id: 2, price: Decimal128.fromString("1.10") }]);
  await things.updateOne({ _id: 1 }, { $inc: { n: 1 } });
  assert.deepEqual(await things.findOne({ _id: 1 }), { _id: 1, n: 6 });
  assert.equal((await things.findOne({ _id: 2 })).price.toString(), "1.10");
  assert.equal((await things.deleteMany({})).deletedCount, 2);
});

test("a cursor streams many batches", async () => {
  const documents = Array.from({ length: 5000 }, (_, i) => ({ _id: i, x: i % 7 }));
  await things.insertMany(documents);
  let count = 0;
  for await (const document of things.find({ x: 3 }).batchSize(100)) count += document.x === 3 ? 1 : 0;
  assert.equal(count, documents.filter((d) => d.x === 3).length);
});

test("an aggregation groups", async () => {
  const groups = await things.aggregate([{ $group: { _id: "$x", n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray();
  assert.deepEqual(groups.map((g) => g._id), [0, 1, 2, 3, 4, 5, 6]);
});

test("a bulk write reports what it did", async () => {
  const result = await client.db("node").collection("bulk").bulkWrite([
    { insertOne: { document: { _id: "a" } } },
    { updateOne: { filter: { _id: "b" }, update: { $set: { x: 1 } }, upsert: true } },
    { deleteOne: { filter: { _id: "a" } } },
  ]);
  assert.equal(result.insertedCount, 1);
  assert.deepEqual(result.upsertedIds, { 1: "b" });
  assert.equal(result.deletedCount, 1);
});
