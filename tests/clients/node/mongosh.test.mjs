import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "./server.mjs";

let server;

before(async () => {
  server = await startServer();
});

after(async () => {
  await server?.stop();
});

/** Runs a script in the shell and gives what it prints. */
async function shell(script) {
  const shellOptions = ["mongosh", "--quiet", "--norc", server.uri + "shell", "--eval", script];
  const { stdout } = await promisify(execFile)("npx", ["--no-install", ...shellOptions], { timeout: 120_000 });
  return stdout.trim();
}

test("the shell writes, finds, explains and shows", async () => {
  const script = `
    db.things.insertMany([{_id: 1, x: 1}, {_id: 2, x: 2}]);
    db.things.createIndex({x: 1});
    print(EJSON.stringify({
      found: db.things.find({x: {$gt: 1}}).toArray(),
      plan: db.things.find({x: 2}).explain().queryPlanner.winningPlan.inputStage.indexName,
      names: db.getCollectionNames(),
      stats: db.runCommand({collStats: "things"}).count,
      version: typeof db.version(),
    }));`;
  const printed = JSON.parse((await shell(script)).split("\n").at(-1));
  assert.deepEqual(printed, { found: [{ _id: 2, x: 2 }], plan: "x_1", names: ["things"], stats: 2, version: "string" });
});
