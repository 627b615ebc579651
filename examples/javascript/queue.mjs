// A queue of jobs that several workers share, over MongoDB's protocol.
//
//     npm install mongodb
//     node queue.mjs [mongodb://127.0.0.1:27017]

import { MongoClient } from "mongodb";

const client = new MongoClient(process.argv[2] ?? "mongodb://127.0.0.1:27017");
const jobs = client.db("examples").collection("jobs");
await jobs.drop();

// Waiting jobs alone are in this index, so it stays small however many are done.
await jobs.createIndex({ priority: -1, _id: 1 }, { partialFilterExpression: { state: "waiting" } });
await jobs.insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: n, priority: n % 3, state: "waiting" })));

// Finding a job and taking it is one step, so that no two workers get the same one.
const take = (worker) =>
  jobs.findOneAndUpdate(
    { state: "waiting" },
    { $set: { state: "taken", worker, at: new Date() } },
    { sort: { priority: -1, _id: 1 }, returnDocument: "after" },
  );

async function work(worker) {
  const done = [];
  for (let job = await take(worker); job; job = await take(worker)) {
    await jobs.updateOne({ _id: job._id }, { $set: { state: "done" }, $push: { log: { worker, result: job._id ** 2 } } });
    done.push(job._id);
  }
  return done;
}

const done = (await Promise.all(["ann", "bob", "cay"].map(work))).flat();
console.log("jobs done:", done.length, "twice:", done.length - new Set(done).size);

const [sum] = await jobs.aggregate([{ $unwind: "$log" }, { $group: { _id: null, sum: { $sum: "$log.result" } } }]).toArray();
console.log("sum of the results:", sum.sum);
console.log("still waiting:", await jobs.countDocuments({ state: "waiting" }));
await client.close();
