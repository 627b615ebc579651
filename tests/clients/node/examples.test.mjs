// The examples in JavaScript do what they say. `tests/run` puts them beside this file, where they find the driver.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "./server.mjs";

let server;

before(async () => {
  server = await startServer();
});

after(async () => {
  assert.equal(await server?.stop(), 0);
});

async function linesOf(name, address) {
  const program = fileURLToPath(new URL(`examples/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, address], { timeout: 60_000 });
  return stdout.trimEnd().split("\n");
}

test("a queue gives each job to one worker", async () => {
  assert.deepEqual(await linesOf("queue.mjs", server.uri), [
    "jobs done: 20 twice: 0",
    "sum of the results: 2470",
    "still waiting: 0",
  ]);
});

test("two people edit notes", async () => {
  const [written, ...rest] = await linesOf("notes.mjs", server.couch);
  assert.match(written, /^written: 1-[0-9a-f]{32}$/);
  assert.deepEqual(rest, [
    "second writer: 409 conflict",
    "list: milk, bread, eggs",
    "to do: todo-3",
    "sums: false=4 true=6",
    "changed: shopping, todo-1, todo-2, todo-3, todo-4, _design/indexes, _design/sums",
  ]);
});
