import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  const zips = Array.from({ length: 120 }, (_, n) => ({ _id: String(10000 + n), city: `CITY ${n}`, pop: 100 * n, loc: [n, 0.5], state: n % 2 ? "CA" : "NY" }));
  await server.command("default", { insert: "zips", documents: zips });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

const EVERY_TYPE = {
  _id: "all", double: { $numberDouble: "2.0" }, string: "tëxt", object: { a: { $numberInt: "1" } }, array: [{ $numberInt: "1" }, "b"],
  binary: { $binary: { base64: "AQID", subType: "00" } }, uuid: { $binary: { base64: "AAAAAAAAAAAAAAAAAAAAAA==", subType: "04" } },
  id: { $oid: "0123456789abcdef01234567" }, bool: true, date: { $date: { $numberLong: "1767225600123" } }, nothing: null,
  regex: { $regularExpression: { pattern: "^a/b", options: "i" } }, code: { $code: "return 1" }, int: { $numberInt: "7" },
  timestamp: { $timestamp: { t: 5, i: 2 } }, long: { $numberLong: "9007199254740993" }, decimal: { $numberDecimal: "0.10" },
  least: { $minKey: 1 }, most: { $maxKey: 1 },
};

test("collections are listed with their counts, and opened", async () => {
  const page = await browser.open(`${server.url}/#/docs`);
  await page.getByRole("link", { name: "zips", exact: true }).click();
  await page.getByRole("heading", { name: "default.zips" }).waitFor();
  await page.getByText("50 of 120").waitFor();
  await page.isWell("documents");
  await page.done();
});

test("filter, sort and fields narrow what is shown, and stand in the address", async () => {
  const page = await browser.open(`${server.url}/#/docs/default.zips`);
  await page.getByLabel("Filter").fill("{ state: 'CA', pop: { $gt: 10000 } }");
  await page.getByLabel("Sort").fill("-pop");
  await page.getByLabel("Fields").fill("city, pop");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("10 of 10").waitFor();
  assert.deepEqual(await page.locator("tbody tr").first().locator("td").allInnerTexts(), ["10119", "CITY 119", "11900"]);
  await page.reload();
  await page.getByText("10 of 10").waitFor();
  await page.goBack();
  await page.getByText("50 of 120").waitFor();
  await page.goForward();
  await page.getByText("10 of 10").waitFor();
  await page.getByLabel("Filter").fill("{ state: ");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("a value is missing at the end").waitFor();
  await page.done();
});

test("more documents come by a button, and JSON shows them whole", async () => {
  const page = await browser.open(`${server.url}/#/docs/default.zips?as=json`);
  await page.getByRole("button", { name: "50 more" }).click();
  await page.getByText("100 of 120").waitFor();
  assert.equal(await page.locator(".json-list li").count(), 100);
  await page.isWell("documents-json");
  await page.done();
});

test("a list that is left, or asked anew, leaves no cursor behind", async () => {
  const openCursors = async () => Number(Object.values((await server.command("admin", { serverStatus: 1 })).metrics.cursor.open.total)[0]);
  // The page of another test may still let go of its own.
  let before;
  for (let now; (now = await openCursors()) !== before; before = now) await new Promise((resolve) => setTimeout(resolve, 1000));
  const page = await browser.open(`${server.url}/#/docs/default.zips`);
  await page.getByText("50 of 120").waitFor();
  assert.equal(await openCursors(), before + 1);
  await page.getByRole("button", { name: "50 more" }).click();
  await page.getByText("100 of 120").waitFor();
  await page.getByLabel("Sort").fill("-pop");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("50 of 120").waitFor();
  await page.goto(`${server.url}/#/logs`);
  await page.getByRole("heading", { name: "Logs" }).waitFor();
  for (let round = 0; round < 1200 && (await openCursors()) > before; round++) await page.waitForTimeout(50);
  assert.equal(await openCursors(), before);
  await page.done();
});

test("a value that is too long for a list says how long it is, where a cell shows only its beginning", async () => {
  const documents = [{ _id: 1, name: "short", value: "x" }, { _id: 2, name: "long", value: "y".repeat(3_000_000) }, { _id: 3, name: "octets", value: { $binary: { base64: Buffer.alloc(2_000_000).toString("base64"), subType: "00" } } }, { _id: 4, name: "list", value: Array(20_000).fill({ a: "b" }) }];
  await server.command("default", { insert: "long", documents });
  const page = await browser.open(`${server.url}/#/docs/default.long`);
  await page.getByText("4 of 4").waitFor();
  const shown = await page.locator("tbody td:last-child").allInnerTexts();
  assert.match(shown[1], /^3 MB string: yyy/);
  assert.match(shown[2], /^2 MB binData: 000/);
  assert.ok(shown.every((text) => text.length < 120));
  assert.match(shown[3], /^\[\{ a: "b" \}, \{ a: .*…$/);
  await page.getByText("string | binData | array").waitFor();
  await page.isWell("documents-long");
  await page.done();
});

test("a value of every type survives that another field is edited, and is edited itself", async () => {
  await server.command("default", { insert: "types", documents: [EVERY_TYPE] });
  const page = await browser.open(`${server.url}/#/docs/default.types/${encodeURIComponent('"all"')}`);
  await page.getByLabel("Value of int").fill("8");
  await page.getByLabel("Value of long").fill("9007199254740995");
  await page.getByLabel("Value of decimal").fill("0.20");
  await page.getByLabel("Value of date").fill("2026-01-01T00:00:00.124Z");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: long, decimal, date, int").or(page.getByText(/Saved: /)).waitFor();
  const kept = async () => (await server.command("default", { find: "types", filter: { _id: "all" } })).cursor.firstBatch[0];
  const edited = { ...EVERY_TYPE, int: { $numberInt: "8" }, long: { $numberLong: "9007199254740995" }, decimal: { $numberDecimal: "0.20" }, date: { $date: { $numberLong: "1767225600124" } } };
  assert.deepEqual(await kept(), edited);
  await page.isWell("document");
  // The whole as JSON, read by the page's own parser: nothing changes but what was typed.
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const text = await page.getByLabel("The document").inputValue();
  await page.getByLabel("The document").fill(text.replace('"tëxt"', '"text"'));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: string.").waitFor();
  assert.deepEqual(await kept(), { ...edited, string: "text" });
  await page.getByLabel("The document").fill("{ _id: 'all', x: }");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("a value is expected, not '}'").waitFor();
  await page.done();
});

test("what was changed elsewhere is not overwritten unasked", async () => {
  await server.command("default", { insert: "shared", documents: [{ _id: "a", n: 1, m: 1 }] });
  const page = await browser.open(`${server.url}/#/docs/default.shared/${encodeURIComponent('"a"')}`);
  await page.getByLabel("Value of n").fill("2");
  await server.command("default", { update: "shared", updates: [{ q: { _id: "a" }, u: { $set: { n: 3, m: 9 } } }] });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changed meanwhile").waitFor();
  await page.isWell("document-changed-meanwhile");
  const kept = async () => {
    const [{ n, m }] = (await server.command("default", { find: "shared" })).cursor.firstBatch;
    return [n.$numberInt, m.$numberInt];
  };
  assert.deepEqual(await kept(), ["3", "9"]);
  // What only they have changed stays as they have it.
  assert.ok(await page.getByLabel("m: theirs").isChecked());
  assert.ok(await page.getByLabel("n: mine").isChecked());
  await page.getByRole("button", { name: "Save merged" }).click();
  await page.getByText("Saved: n.").waitFor();
  assert.deepEqual(await kept(), ["2", "9"]);
  await page.done();
});

test("documents are inserted, refused by a validator, and deleted", async () => {
  await server.command("default", { create: "strict", validator: { n: { $gt: 0 } } });
  const page = await browser.open(`${server.url}/#/docs/default.strict`);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByLabel("The document").fill("{ _id: 1, n: -1 }");
  await page.getByRole("button", { name: "Insert" }).click();
  await page.getByText("Document failed validation").waitFor();
  await page.getByLabel("The document").fill("{ _id: 1, n: 1 }");
  // The dialog's deed, not that of the view behind it.
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The collection is empty").waitFor();
  assert.deepEqual(page.faults, []);
  await page.done();
});

test("an index is made and dropped", async () => {
  const page = await browser.open(`${server.url}/#/docs/default.zips?tab=indexes`);
  await page.getByLabel("Key", { exact: true }).fill("state, -pop");
  await page.getByRole("button", { name: "Create index" }).click();
  await page.getByText("state_1_pop_-1").waitFor();
  await page.isWell("indexes");
  await page.getByRole("button", { name: "Drop state_1_pop_-1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await page.getByRole("cell", { name: "state_1_pop_-1", exact: true }).waitFor({ state: "detached" });
  await page.done();
});

test("a collection is exported as NDJSON and as CSV", async () => {
  const ndjson = await (await fetch(`${server.url}/api/export/default.zips`)).text();
  assert.equal(ndjson.trim().split("\n").length, 120);
  const csv = await (await fetch(`${server.url}/api/export/default.zips?format=csv&fields=city,pop&filter=${encodeURIComponent('{"pop":{"$lt":200}}')}`)).text();
  assert.equal(csv, "city,pop\r\nCITY 0,0\r\nCITY 1,100\r\n");
});

test("at 360 px nothing is cut off, and the keyboard reaches all", async () => {
  const page = await browser.open(`${server.url}/#/docs/default.zips`, PHONE);
  await page.getByText("50 of 120").waitFor();
  await page.isWell("documents-phone");
  await page.locator("tbody a").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByLabel("Value of city").waitFor();
  assert.equal(await page.getByLabel("Value of city").inputValue(), "CITY 1");
  await page.isWell("document-phone");
  await page.done();
});

test("a conflict is shown side by side and settled by merging; the history tells what changed", async () => {
  const couch = async (method, path, body) => (await fetch(`${server.url}/api/couch/${path}`, { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) })).json();
  await couch("PUT", "shared-docs");
  const { rev } = await couch("PUT", "shared-docs/a", { city: "Ulm", pop: 1, note: "x" });
  const start = rev.slice(2);
  const branch = (mark, fields) => ({ _id: "a", _rev: `2-${mark}`, _revisions: { start: 2, ids: [mark, start] }, city: "Ulm", ...fields });
  await couch("POST", "shared-docs/_bulk_docs", { new_edits: false, docs: [branch("aaaa", { pop: 2, note: "x" }), branch("bbbb", { pop: 1, note: "y" })] });
  const page = await browser.open(`${server.url}/#/docs/default.shared-docs/${encodeURIComponent('"a"')}?tab=history`);
  await page.getByText('"x"→ "y"').or(page.locator("ins", { hasText: '"y"' })).first().waitFor();
  await page.isWell("document-history");
  await page.getByRole("button", { name: "Conflicts" }).click();
  await page.getByRole("radio", { name: "pop: Theirs" }).check();
  await page.isWell("document-conflicts");
  await page.getByRole("button", { name: "Save merged" }).click();
  await page.getByText("No conflict: there is one revision").waitFor();
  const kept = await couch("GET", "shared-docs/a?conflicts=true");
  assert.deepEqual([kept.city, kept.pop, kept.note, kept._conflicts], ["Ulm", 2, "y", undefined]);
  await page.done();
});

test("fields have any names: those that all objects of JavaScript have too, and an _id without characters", async () => {
  await server.command("default", { insert: "odd", documents: [{ _id: "", constructor: 1 }, { _id: "b", toString: "t" }] });
  const page = await browser.open(`${server.url}/#/docs/default.odd?sort=_id`);
  await page.getByText("2 of 2").waitFor();
  assert.deepEqual(await page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText))), [['""', "1", ""], ["b", "", "t"]]);
  await page.getByRole("link", { name: "b", exact: true }).click();
  await page.getByLabel("Name of a new field").fill("constructor");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("Value of constructor").fill("new");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: constructor.").waitFor();
  await page.getByRole("button", { name: "Remove toString" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: toString.").waitFor();
  assert.deepEqual((await server.command("default", { find: "odd", filter: { _id: "b" } })).cursor.firstBatch, [{ _id: "b", constructor: "new" }]);
  await page.getByRole("link", { name: "default.odd" }).click();
  await page.waitForURL(/sort=_id/);
  await page.getByRole("link", { name: '""' }).click();
  await page.getByLabel("Value of constructor").waitFor();
  assert.deepEqual(page.faults, []);
  await page.done();
});

test("a value that is none yet is not saved as it was on the way, and two clicks save once", async () => {
  await server.command("default", { insert: "typed", documents: [{ _id: "a", n: 1, big: { $numberLong: "9007199254740993" } }] });
  const kept = async () => (await server.command("default", { find: "typed" })).cursor.firstBatch[0];
  const page = await browser.open(`${server.url}/#/docs/default.typed/${encodeURIComponent('"a"')}`);
  await page.getByLabel("Value of n").press("End");
  await page.getByLabel("Value of n").pressSequentially("2x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("'12x' is not a value of type int").waitFor();
  assert.equal((await kept()).n.$numberInt, "1");
  await page.getByLabel("Value of n").fill("12");
  await page.getByLabel("Type of big").selectOption("decimal");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.getByText(/^Saved: /).waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.getByText("Changed meanwhile").count(), 0);
  assert.deepEqual(await kept(), { _id: "a", n: { $numberInt: "12" }, big: { $numberDecimal: "9007199254740993" } });
  await page.done();
});

test("a number that becomes a date is its milliseconds", async () => {
  await server.command("default", { insert: "moments", documents: [{ _id: "a", few: 5, part: { $numberDouble: "1700000000000.5" } }] });
  const page = await browser.open(`${server.url}/#/docs/default.moments/${encodeURIComponent('"a"')}`);
  await page.getByLabel("Type of few").selectOption("date");
  await page.getByLabel("Type of part").selectOption("date");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^Saved: /).waitFor();
  const [{ few, part }] = (await server.command("default", { find: "moments" })).cursor.firstBatch;
  assert.deepEqual([few, part], ["5", "1700000000000"].map((ms) => ({ $date: { $numberLong: ms } })));
  await page.done();
});

test("a conflict is settled with all digits of long numbers", async () => {
  const put = (path, body) => fetch(`${server.url}/api/couch/${path}`, { method: body ? "POST" : "PUT", headers: { "Content-Type": "application/json" }, body });
  await put("long-docs");
  const branch = (mark, serial) => `{"_id":"a","_rev":"1-${mark}","_revisions":{"start":1,"ids":["${mark}"]},"serial":${serial},"n":1}`;
  await put("long-docs/_bulk_docs", `{"new_edits":false,"docs":[${branch("aaaa", "9007199254740993")},${branch("bbbb", "9007199254740995")}]}`);
  const page = await browser.open(`${server.url}/#/docs/default.long-docs/${encodeURIComponent('"a"')}?tab=conflicts`);
  await page.getByText("9007199254740993").first().waitFor();
  await page.getByRole("button", { name: "Keep ours" }).click();
  await page.getByText("No conflict: there is one revision").waitFor();
  const [{ serial }] = (await server.command("default", { find: "long-docs", filter: { _id: "a" } })).cursor.firstBatch;
  assert.equal(serial.$numberLong, "9007199254740995");
  await page.done();
});

test("while the server does not answer the page says so, and asks again when it does", async () => {
  const page = await browser.open(`${server.url}/#/docs`);
  await page.getByRole("link", { name: "zips", exact: true }).waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.getByRole("link", { name: "zips", exact: true }).click();
  await page.getByText("The server does not answer (no connection)").waitFor();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  await page.unroute("**/api/**");
  await page.getByText("50 of 120").waitFor();
  await page.waitForFunction(() => !document.body.innerText.includes("The server does not answer"));
  await page.done();
});

test("of many collections the first are listed, and the others found by name", async () => {
  const collections = Array.from({ length: 2000 }, (_, n) => ({ name: `default.c${n}`, database: "default", collection: `c${n}`, documents: n, bytes: 0, storage_bytes: 0, indexes: [] }));
  const page = await browser.open(server.url);
  await page.route("**/api/collections", (route) => route.fulfill({ json: { collections } }));
  await page.goto(`${server.url}/#/docs`);
  await page.getByText("1,700 more: find them by name.").waitFor();
  await page.getByLabel("Find a collection").fill("c1999");
  await page.getByRole("link", { name: "c1999", exact: true }).waitFor();
  await page.goto(`${server.url}/#/logs`);
  await page.getByText("The largest 300 of 1,999").waitFor();
  assert.equal(await page.locator("a.tile").count(), 300);
  await page.done();
});

test("what was edited is not left without a word, by a link of the page either", async () => {
  await server.command("default", { insert: "left", documents: [{ _id: "a", n: 1 }] });
  const page = await browser.open(`${server.url}/#/docs/default.left/${encodeURIComponent('"a"')}`);
  await page.getByLabel("Value of n").fill("2");
  let asked = "";
  page.once("dialog", (dialog) => {
    asked = dialog.message();
    dialog.dismiss();
  });
  await page.getByRole("link", { name: "Graphs" }).click();
  for (let round = 0; round < 600 && !asked; round++) await page.waitForTimeout(100);
  assert.match(asked, /not saved/);
  assert.equal(await page.getByLabel("Value of n").inputValue(), "2");
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("link", { name: "Graphs" }).click();
  await page.getByRole("heading", { name: "Graphs" }).waitFor();
  await page.done();
});
