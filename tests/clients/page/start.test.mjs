import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => ([server, browser] = await Promise.all([startServer(), startBrowser()])));
after(() => Promise.all([server?.stop(), browser?.stop()]));

const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const FILES = [
  file("pump.csv", "timestamp,value\n2026-01-01 00:00:00,1\n2026-01-01 00:05:00,2.5\n2026-01-01 00:10:00,3\n2026-01-01 00:15:00,4\nbroken\n"),
  file("app.log", "2026-01-01 00:00:00,123 ERROR [main] a.b.C: failed\n  at line 2\n2026-01-01 00:00:01,000 INFO [main] a.b.C: fine\n"),
  file("zips.json", '{"_id": "1", "big": 9007199254740993, "f": 2.0}\n{"_id": "1"}\nnot json\n'),
  file("list.json", '[{"_id": 1, "s": "a]}\\""}, {"_id": 2, "n": [[1], {"x": 2}]}]'),
  { name: "people.csv.gz", mimeType: "application/gzip", buffer: gzipSync('name,zip\n"Ann, the ""first""",00123\n') },
];

test("an empty server says how to begin, in both themes and at 360 px", async () => {
  const page = await browser.open(server.url);
  await page.getByText("Nothing here yet").waitFor();
  await page.isWell("start-empty");
  await page.done();
  const phone = await browser.open(server.url, PHONE);
  await phone.getByText("Nothing here yet").waitFor();
  await phone.isWell("start-empty-phone");
  await phone.done();
});

test("the page names all files that a view loads, so that a browser asks for them at once, and there are few", async () => {
  for (const view of ["start", "logs", "graphs", "docs", "query", "files", "server"]) {
    const page = await browser.open(`${server.url}/#/${view}`);
    await page.getByRole("main").getByRole("heading").first().waitFor();
    const { named, loaded } = await page.evaluate(() => ({
      named: [...document.querySelectorAll("link[rel=modulepreload]")].map(({ href }) => href),
      loaded: performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => /\.m?js$/.test(name)),
    }));
    assert.deepEqual(loaded.filter((name) => !named.includes(name)), [], view);
    assert.ok(loaded.some((name) => name.endsWith(`/views/${view}.js`)), view);
    assert.ok(loaded.length <= 14, `${view} loads ${loaded.length} files`);
    assert.deepEqual(page.faults, [], view);
    await page.done();
  }
});

test("dropped files are recognised, shown, and imported with their types", async () => {
  const page = await browser.open(server.url);
  await page.getByLabel("Files to import").setInputFiles(FILES);
  await page.getByText("log: Java").waitFor();
  await page.isWell("start-import");
  await page.getByRole("button", { name: "Import all" }).click();
  await page.getByText("10 documents imported, 3 rejected.").waitFor();
  await page.getByRole("region", { name: "Readings so far" }).getByText("4 readings").waitFor();
  await page.getByRole("region", { name: "Lines so far" }).getByText("failed").waitFor();
  const all = async (collection) => (await server.command("default", { find: collection, sort: { _id: 1 } })).cursor.firstBatch.map(({ _id, ...rest }) => rest);
  assert.deepEqual(await all("readings"), [
    { device: "pump", timestamp: { $date: { $numberLong: "1767225600000" } }, value: { $numberInt: "1" } },
    { device: "pump", timestamp: { $date: { $numberLong: "1767225900000" } }, value: { $numberDouble: "2.5" } },
    { device: "pump", timestamp: { $date: { $numberLong: "1767226200000" } }, value: { $numberInt: "3" } },
    { device: "pump", timestamp: { $date: { $numberLong: "1767226500000" } }, value: { $numberInt: "4" } },
  ]);
  assert.deepEqual((await all("logs")).map(({ level, message, file: from }) => [level, message, from]), [["error", "failed\n  at line 2", "app"], ["info", "fine", "app"]]);
  assert.deepEqual(await all("zips"), [{ big: { $numberLong: "9007199254740993" }, f: { $numberDouble: "2.0" } }]);
  assert.deepEqual(await all("list"), [{ s: 'a]}"' }, { n: [[{ $numberInt: "1" }], { x: { $numberInt: "2" } }] }]);
  assert.deepEqual(await all("people"), [{ name: 'Ann, the "first"', zip: "00123" }]);
  await page.isWell("start-imported");
  await page.getByRole("link", { name: "Open documents" }).click();
  await page.waitForURL(/#\/docs\/default\.readings/);
  await page.done();
});

test("what a device sends is noticed", async () => {
  const page = await browser.open(server.url);
  await page.getByText("waiting for a record").waitFor();
  await fetch(`${server.url}/api/elastic/readings/_doc`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"device":"a","celsius":1}' });
  await page.getByText("1 arrived").waitFor();
  await page.done();
});

test("the machine is watched within seconds, and no more when one says so", async () => {
  const page = await browser.open(server.url);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("link", { name: "graph", exact: true }).waitFor({ timeout: 30_000 });
  await page.isWell("start-machine");
  await page.getByRole("link", { name: "graph", exact: true }).click();
  await page.getByLabel("Value").waitFor();
  assert.equal(await page.getByLabel("Value").inputValue(), "cpu_percent");
  await page.goto(`${server.url}/#/start`);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Start", exact: true }).waitFor();
  assert.equal((await server.command("larder", { count: "watched" })).n.$numberInt, "0");
  await page.done();
});

test("an import goes on after a cut, and nothing is there twice", async () => {
  const page = await browser.open(server.url);
  let cuts = 0;
  await page.route("**/api/command/default", async (route) => {
    if (!route.request().postData().startsWith('{"insert":"cut"') || cuts++) return route.continue();
    // The server has it all, and its answer is lost.
    await route.fetch();
    await route.abort();
  });
  const numbers = Array.from({ length: 2500 }, (_, n) => `{"n": ${n}}`);
  await page.getByLabel("Files to import").setInputFiles([file("cut.json", numbers.join("\n"))]);
  await page.getByRole("button", { name: "Import all" }).click();
  await page.getByText("2,500 documents imported.").waitFor();
  assert.equal((await server.command("default", { count: "cut" })).n.$numberInt, "2500");
  await page.done();
});

test("objects of several lines are as good as those of one", async () => {
  const page = await browser.open(server.url);
  const objects = [{ _id: 1, a: { b: "}" } }, { _id: 2, list: [1, { c: 2 }] }].map((one) => JSON.stringify(one, null, 2));
  await page.getByLabel("Files to import").setInputFiles([file("pretty.json", objects.join("\n"))]);
  await page.getByText("JSON objects").waitFor();
  await page.getByRole("button", { name: "Import all" }).click();
  await page.getByText("2 documents imported.").waitFor();
  assert.deepEqual((await server.command("default", { find: "pretty", sort: { _id: 1 } })).cursor.firstBatch.map(({ a, list }) => a?.b ?? list.length), ["}", 2]);
  await page.done();
});

test("what only looks like a date or a number stays text, and cells keep what they have", async () => {
  const page = await browser.open(server.url);
  const table = 'day,hour,big,huge,text\r\n2024-02-30,2026-01-01 24:00:00,18446744073709551615,1e999,"one\r\ntwo"\r\n2024-02-29,2026-01-01 23:00:00,9223372036854775807,1.5,\r\n';
  const log = "Feb 29 10:00:00 host app: leap\nFeb 30 10:00:00 host app: no such day\nFeb 28 10:00:00 host app: later\n";
  await page.getByLabel("Files to import").setInputFiles([file("exact.csv", table), file("leap.log", log)]);
  await page.getByText("log: syslog").waitFor();
  await page.getByLabel("Collection for leap.log").fill("default.leaps");
  await page.getByRole("button", { name: "Import all" }).click();
  await page.getByText("4 documents imported.").waitFor();
  const all = async (collection) => (await server.command("default", { find: collection, sort: { _id: 1 } })).cursor.firstBatch.map(({ _id, ...rest }) => rest);
  const date = (...of) => ({ $date: { $numberLong: String(Date.UTC(...of)) } });
  assert.deepEqual(await all("exact"), [
    { day: "2024-02-30", hour: "2026-01-01 24:00:00", big: "18446744073709551615", huge: "1e999", text: "one\r\ntwo" },
    { day: date(2024, 1, 29), hour: date(2026, 0, 1, 23), big: { $numberLong: "9223372036854775807" }, huge: { $numberDouble: "1.5" } },
  ]);
  const leaps = (await all("leaps")).map(({ time, message }) => [new Date(Number(time.$date.$numberLong)).toISOString().slice(5, 10), message]);
  assert.deepEqual(leaps, [["02-29", "leap\nFeb 30 10:00:00 host app: no such day"], ["02-28", "later"]]);
  await page.done();
});

test("a document has each field once, its own _id where a column has it, and may have none besides", async () => {
  const page = await browser.open(server.url);
  await page.getByLabel("Files to import").setInputFiles([
    file("own.csv", "_id,n,n,x\na,1,,2\nb,,3,4\nc,1,2,3\n,5,,\n"),
    file("devices.csv", "time,device,value\n2026-01-01 00:00:00,pump,1\n"),
    file("blank.json", '{ }\n{"a":1}\n'),
  ]);
  await page.getByText("CSV: 4 columns").waitFor();
  await page.getByLabel("Collection for devices.csv").fill("default.devices");
  await page.getByRole("button", { name: "Import all" }).click();
  await page.getByText("6 documents imported, 1 rejected.").waitFor();
  // As texts, in which a field that is there twice would stand twice.
  const text = async (collection) => (await fetch(`${server.url}/api/export/default.${collection}`)).text();
  const own = (await text("own")).trim().split("\n");
  assert.deepEqual(own.slice(0, 2), ['{"_id":"a","n":1,"x":2}', '{"_id":"b","n":3,"x":4}']);
  assert.match(own[2], /^\{"_id":\{"\$oid":"[0-9a-f]{24}"\},"n":5\}$/);
  assert.match(await text("devices"), /^\{"_id":\{"\$oid":"[0-9a-f]{24}"\},"time":\{"\$date":"2026-01-01T00:00:00Z"\},"device":"pump","value":1\}\n$/);
  assert.match(await text("blank"), /^\{"_id":\{"\$oid":"[0-9a-f]{24}"\}\}\n\{"_id":\{"\$oid":"[0-9a-f]{24}"\},"a":1\}\n$/);
  await page.done();
});

test("on a phone, too, times are shown in UTC where one says so", async () => {
  const page = await browser.open(server.url, PHONE);
  await page.getByRole("button", { name: "Keys and times" }).click();
  await page.getByLabel(/Times in UTC/).check();
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem("larder-settings")).utc), true);
  await page.isWell("keys-phone");
  await page.done();
});
