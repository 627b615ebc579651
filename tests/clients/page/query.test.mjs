import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  for (let from = 0; from < 10_000; from += 5000) await server.command("default", { insert: "points", documents: Array.from({ length: 5000 }, (_, n) => ({ _id: from + n, x: from + n, y: ((from + n) * 7919) % 10_007, kind: n % 2 ? "odd" : "even" })) });
  await server.command("default", { createIndexes: "points", indexes: [{ key: { y: 1, x: 1 }, name: "y_1_x_1" }, { key: { x: 1, y: 1 }, name: "x_1_y_1" }] });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

test("a command as a document and a call of the shell are run, kept in the history and under a name", async () => {
  const page = await browser.open(`${server.url}/#/query`);
  await page.getByLabel("Command").fill('{ count: "points", query: { kind: "odd" } }');
  await page.keyboard.press("Control+Enter");
  await page.getByRole("cell", { name: "5000" }).waitFor();
  await page.getByLabel("Command").fill("db.points.find({ y: { $lt: 3 } }, { _id: 0 }).sort({ y: 1 }).limit(2)");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^2 documents/).waitFor();
  assert.deepEqual(await page.locator(".results tbody tr").first().locator("td").allInnerTexts(), ["0", "0", "even"]);
  await page.isWell("query");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("least y");
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("button", { name: /count: "points"/ }).click();
  await page.waitForFunction(() => document.querySelector("textarea").value.includes('count: "points"'));
  await page.getByRole("button", { name: "Saved" }).click();
  await page.getByRole("button", { name: /least y/ }).first().click();
  await page.waitForFunction(() => document.querySelector("textarea").value.includes("sort"));
  await page.getByLabel("Command").fill("db.points.find({ y: }");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("line 1, column 21: a value is expected, not '}'").waitFor();
  await page.done();
});

test("a call that lacks its filter does nothing, and texts have the escapes of JavaScript", async () => {
  const page = await browser.open(`${server.url}/#/query/mongo?db=default`);
  const run = async (text) => {
    await page.getByLabel("Command").fill(text);
    await page.getByRole("button", { name: "Run" }).click();
  };
  await run("db.points.deleteMany()");
  await page.getByText("deleteMany() needs an argument; as a filter, {} is all documents").waitFor();
  await run("db.points.updateMany({ x: 1 })");
  await page.getByText("updateMany() needs 2 arguments").waitFor();
  await run("db.points.countDocuments({})");
  await page.getByRole("cell", { name: "10000" }).waitFor();
  await run(String.raw`db.points.countDocuments({ kind: '\u006fd\x64' })`);
  await page.getByRole("cell", { name: "5000" }).waitFor();
  await page.done();
});

test("what is copied as curl asks the same, whatever the database is called", async () => {
  const page = await browser.open(server.url);
  await page.addInitScript(() => (navigator.clipboard.writeText = async (text) => (globalThis.copied = text)));
  await page.goto(`${server.url}/#/query/mongo?${new URLSearchParams({ db: "50%#", x: "db.a.find({})" })}`);
  await page.reload();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => globalThis.copied), /api\/command\/50%25%23'/);
  await page.done();
});

test("a pipeline is written stage by stage, each with a preview, and run as one", async () => {
  const page = await browser.open(`${server.url}/#/query/mongo?${new URLSearchParams({ db: "default", mode: "stages", x: "db.points.aggregate([{ $match: { x: { $lt: 100 } } }])" })}`);
  await page.getByText(/after 1: the first 20 documents/).waitFor();
  await page.getByLabel("Add a stage").selectOption("$group");
  await page.getByLabel("Stage 2", { exact: true }).fill('{ _id: "$kind", n: { $sum: 1 } }');
  await page.getByText(/after 2: 2 documents, from at most 10,000/).waitFor();
  await page.getByLabel("Add a stage").selectOption("$out");
  await page.getByText("A stage that writes is not run for a preview.").waitFor();
  await page.getByRole("button", { name: "Remove stage 3" }).click();
  await page.isWell("query-stages");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^2 documents · /).waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  assert.match(await page.getByLabel("Command").inputValue(), /\$group: \{/);
  await page.done();
});

test("the race of plans is drawn with explain's numbers, and an index that helps is made and wins", async () => {
  const page = await browser.open(`${server.url}/#/query/mongo?${new URLSearchParams({ db: "default", x: "db.points.find({ y: { $gt: 9000 } }).sort({ x: 1 }).limit(500)" })}`);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: /2 plans raced; x_1_y_1 won/ }).waitFor();
  const told = await server.command("default", { explain: { find: "points", filter: { y: { $gt: 9000 } }, sort: { x: 1 }, limit: 500 }, verbosity: "allPlansExecution" });
  const keys = Number(told.executionStats.totalKeysExamined.$numberInt).toLocaleString("en-GB");
  await page.getByRole("row", { name: /✔ x_1_y_1/ }).getByRole("cell", { name: keys, exact: true }).waitFor();
  await page.getByText("must read all that matches before it can sort").waitFor();
  await page.getByText("neither the filter nor the sort names its first field, _id").waitFor();
  await page.isWell("query-explain");
  await page.getByLabel("Command").fill('db.points.find({ kind: "odd", x: { $gt: 9990 } })');
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: /No race/ }).waitFor();
  await page.getByLabel("Command").fill('db.points.find({ kind: "odd" })');
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("button", { name: "Make this index" }).click();
  await page.getByRole("heading", { name: /only kind_1 fits/ }).waitFor();
  await page.getByText("None: an index serves this query already").waitFor();
  await page.done();
});

test("Mango and Elasticsearch's requests are run; Mango says which index it chose", async () => {
  const page = await browser.open(`${server.url}/#/query/mango?${new URLSearchParams({ db: "points" })}`);
  await page.getByLabel("Mango query").fill('{ "selector": { "x": { "$lt": 3 } }, "fields": ["x", "kind"] }');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^3 documents/).waitFor();
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("No index: all documents are read").waitFor();
  await page.isWell("query-mango");
  await page.getByRole("button", { name: "Elasticsearch" }).click();
  await page.getByLabel("Path").fill("/points/_search");
  await page.getByLabel("Body").fill('{ "query": { "term": { "x": 7 } }, "aggs": { "most": { "max": { "field": "x" } } } }');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^1 of 1 hits/).waitFor();
  await page.isWell("query-elastic");
  await page.done();
});

test("on a phone it is all there", async () => {
  const page = await browser.open(`${server.url}/#/query/mongo?${new URLSearchParams({ x: "db.points.find({ y: 5 })" })}`, PHONE);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: /No race/ }).waitFor();
  await page.isWell("query-phone");
  await page.done();
});

test("a password that is given in a command stays in no history and no address", async () => {
  const page = await browser.open(`${server.url}/#/query`);
  await page.getByLabel("Command").fill('db.runCommand({ updateUser: "nobody", pwd: "hush" })');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("alert").waitFor();
  assert.ok(!page.url().includes("hush"));
  assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes("hush"));
  await page.done();
});

test("long numbers keep their digits on the way to other protocols and back, and answers that are text are shown", async () => {
  await server.command("default", { insert: "longs", documents: [{ _id: "a", n: { $numberLong: "9007199254740993" } }, { _id: "b", n: { $numberLong: "9007199254740992" } }] });
  const page = await browser.open(`${server.url}/#/query/mango?${new URLSearchParams({ db: "longs" })}`);
  await page.getByLabel("Mango query").fill('{ "selector": { "n": 9007199254740993 } }');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^1 documents/).waitFor();
  await page.getByRole("cell", { name: "9007199254740993" }).waitFor();
  await page.getByRole("button", { name: "Elasticsearch" }).click();
  await page.getByLabel("Path").fill("/longs/_search?q=n:9007199254740993");
  await page.getByLabel("Body").fill("");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("cell", { name: "9007199254740993" }).waitFor();
  await page.getByLabel("Method").selectOption("GET");
  await page.getByLabel("Path").fill("/_cat/indices/longs?h=index");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("region", { name: "The answer" }).getByText("longs").waitFor();
  await page.done();
});

test("a pipeline from the history takes the place of the stages that are shown", async () => {
  const at = (stages) => `${server.url}/#/query/mongo?${new URLSearchParams({ db: "default", mode: "stages", x: `db.points.aggregate([${stages}])` })}`;
  const page = await browser.open(at("{ $match: { x: 1 } }"));
  await page.getByText(/after 1: 1 document/).waitFor();
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^1 documents/).waitFor();
  await page.goto(at("{ $match: { x: { $lt: 5 } } }, { $count: 'n' }"));
  await page.getByText(/after 2: 1 document/).waitFor();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("button", { name: /x: 1 \}/ }).click();
  await page.waitForFunction(() => document.querySelectorAll(".stage").length === 1);
  await page.done();
});
