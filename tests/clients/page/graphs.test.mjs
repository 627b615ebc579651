import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

const BEGIN = Date.UTC(2026, 0, 1);
let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  const reading = (n) => ({ device: `pump-${n % 3}`, time: { $date: { $numberLong: String(BEGIN + n * 60_000) } }, celsius: 20 + 10 * (n % 3) + 6 * Math.sin(n / 300) + (n === 1500 ? 40 : Math.random()) });
  await server.command("fleet", { insert: "readings", documents: Array.from({ length: 3000 }, (_, n) => reading(n)) });
  await server.command("fleet", { insert: "names", documents: [{ name: "a" }] });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

test("a numeric field is drawn over time by a text field, and zoomed by a drag", async () => {
  const page = await browser.open(`${server.url}/#/graphs`);
  await page.getByRole("link", { name: /fleet.readings/ }).click();
  await page.getByText("3,000 readings").waitFor();
  await page.getByRole("button", { name: /pump-2/ }).waitFor();
  await page.isWell("graphs");
  await page.getByRole("button", { name: "As table" }).click();
  await page.getByRole("cell", { name: "1,000" }).first().waitFor();
  const canvas = page.locator("canvas");
  const { width } = await canvas.boundingBox();
  await canvas.dragTo(canvas, { sourcePosition: { x: width * 0.4, y: 100 }, targetPosition: { x: width * 0.6, y: 100 } });
  await page.waitForURL(/from=\d+&to=\d+/);
  await page.getByText(/^6\d\d readings/).waitFor();
  await page.getByRole("button", { name: "All time" }).click();
  await page.getByText("3,000 readings").waitFor();
  await page.done();
});

test("a collection without numbers says so", async () => {
  const page = await browser.open(`${server.url}/#/graphs/fleet.names`);
  await page.getByText("A graph needs a field with dates").waitFor();
  await page.isWell();
  await page.done();
});

test("at 360 px it is all there", async () => {
  const page = await browser.open(`${server.url}/#/graphs/fleet.readings`, PHONE);
  await page.getByText("3,000 readings").waitFor();
  await page.isWell("graphs-phone");
  await page.done();
});

test("a graph goes on a board; a board that was kept elsewhere meanwhile is not overwritten unasked", async () => {
  const page = await browser.open(`${server.url}/#/graphs/fleet.readings?stat=p95`);
  await page.getByText("3,000 readings").waitFor();
  await page.getByRole("button", { name: "Add to a board" }).click();
  await page.getByRole("dialog").getByLabel("Board").fill("Pumps");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("heading", { name: "Graphs / Pumps" }).waitFor();
  await page.goto(`${server.url}/#/graphs/fleet.readings?by=none`);
  await page.getByRole("button", { name: "Add to a board" }).click();
  await page.getByRole("dialog").getByLabel("Board").fill("Pumps");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByText("3,000 readings").nth(1).waitFor();
  await page.isWell("board");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).first().click()]);
  assert.match(await readFile(await download.path(), "utf8"), /^time,series,min,value,max\r\n2026-01-01T/);
  const [picture] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PNG" }).first().click()]);
  assert.equal((await readFile(await picture.path())).subarray(1, 4).toString(), "PNG");
  await page.getByRole("button", { name: "Remove celsius" }).first().click();
  await server.command("larder", { update: "boards", updates: [{ q: { _id: "Pumps" }, u: { $inc: { version: 1 } } }] });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changed meanwhile").waitFor();
  await page.getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("3,000 readings").nth(1).waitFor();
  await page.done();
});

test("series are told apart without colours: each has a shape, in its line and beside its name", async () => {
  const page = await browser.open(`${server.url}/#/graphs`);
  await page.addInitScript(() => {
    globalThis.drawn = new Set();
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
      globalThis.drawn.add(text);
      return fillText.call(this, text, ...at);
    };
  });
  await page.reload();
  await page.goto(`${server.url}/#/graphs/fleet.readings`);
  await page.getByText("3,000 readings").waitFor();
  const shapes = await page.locator(".series-mark").allInnerTexts();
  assert.equal(new Set(shapes).size, 3, shapes.join(" "));
  await page.waitForFunction((wanted) => wanted.every((shape) => globalThis.drawn.has(shape)), shapes);
  await page.isWell("graphs-shapes");
  // One series is told from none.
  await page.goto(`${server.url}/#/graphs/fleet.readings?by=none`);
  await page.waitForFunction(() => document.querySelector(".series-mark")?.innerText === "");
  await page.done();
});

test("the largest of many series are drawn, and numbers of any size", async () => {
  const many = Array.from({ length: 400 }, (_, n) => ({ device: `d${n % 40}`, time: { $date: { $numberLong: String(BEGIN + n * 1000) } }, serial: { $numberLong: String(1_700_000_000_000_000_000n + 256n * BigInt(n % 2)) } }));
  await server.command("fleet", { insert: "many", documents: many });
  const page = await browser.open(`${server.url}/#/graphs/fleet.many`);
  await page.getByText("120 readings").waitFor();
  await page.getByText("28 more series are not drawn").waitFor();
  await page.getByText("280 readings of smaller series are not drawn").waitFor();
  assert.equal(await page.locator(".series button").count(), 12);
  await page.done();
});

test("what is live is asked again after its answer, however long that takes", async () => {
  await server.command("fleet", { insert: "slow", documents: [{ time: { $date: { $numberLong: String(BEGIN) } }, celsius: 1 }] });
  const page = await browser.open(`${server.url}/#/graphs`);
  await page.route("**/api/command/fleet*", async (route) => {
    if (route.request().postData().includes("$firstN")) await new Promise((resolve) => setTimeout(resolve, 2500));
    await route.continue().catch(() => {});
  });
  await page.goto(`${server.url}/#/graphs/fleet.slow?live=1`);
  await page.getByText("1 readings").waitFor();
  await server.command("fleet", { insert: "slow", documents: [{ time: { $date: { $numberLong: String(BEGIN + 1000) } }, celsius: 2 }] });
  await page.getByText("2 readings").waitFor();
  await page.done();
});

test("until all readings have been read a sample of them is drawn, and says so", async () => {
  const page = await browser.open(`${server.url}/#/graphs`);
  let read;
  const all = new Promise((resolve) => (read = resolve));
  await page.route("**/api/command/fleet*", async (route) => {
    if (route.request().postData().includes("$firstN")) await all;
    await route.continue().catch(() => {});
  });
  await page.goto(`${server.url}/#/graphs/fleet.readings`);
  await page.getByText("a sample of 3,000 readings until all are read").waitFor();
  await page.getByRole("button", { name: /pump-2/ }).waitFor();
  await page.isWell("graphs-rough");
  read();
  await page.getByText(/^3,000 readings · .* from documents/).waitFor();
  await page.done();
});

test("readings are read once where they came in the order of time, and are all drawn where they did not", async () => {
  const readings = (at) => Array.from({ length: 1000 }, (_, n) => ({ time: { $date: { $numberLong: String(BEGIN + at(n) * 60_000) } }, celsius: n % 10 }));
  await server.command("fleet", { insert: "ordered", documents: readings((n) => n) });
  await server.command("fleet", { insert: "shuffled", documents: readings((n) => (500 + 7 * n) % 1000) });
  const page = await browser.open(`${server.url}/#/graphs`);
  const asked = [];
  page.on("request", (request) => asked.push(request.postData() ?? ""));
  const told = async (name) => {
    asked.length = 0;
    await page.goto(`${server.url}/#/graphs/fleet.${name}?by=none`);
    const status = page.getByText(/^1,000 readings/);
    await status.waitFor();
    const [read, step] = (await status.innerText()).split(" · ");
    return { read, step, times: asked.filter((body) => body.includes("$firstN")).length };
  };
  const ordered = await told("ordered");
  assert.deepEqual(ordered, { read: "1,000 readings", step: ordered.step, times: 1 });
  await page.goto(`${server.url}/#/graphs`);
  assert.deepEqual(await told("shuffled"), { ...ordered, times: 2 });
  await page.done();
});

test("the graphs of a board are asked for when one comes to them", async () => {
  const graph = { coll: "fleet.readings", time: "time", value: "celsius", by: "device", stat: "mean", wide: true, height: 360 };
  const content = JSON.stringify({ graphs: ["mean", "min", "max", "sum", "count", "last", "p50", "p95"].map((stat) => ({ ...graph, stat })) });
  await server.command("larder", { insert: "boards", documents: [{ _id: "Long", version: 1, content }] });
  const page = await browser.open(`${server.url}/#/board/Long`);
  await page.getByText(/^3,000 readings/).first().waitFor();
  await page.waitForTimeout(300);
  assert.ok((await page.locator(".graph").count()) < 5);
  await page.getByRole("heading", { name: /celsius/ }).last().scrollIntoViewIfNeeded();
  await page.locator("article").last().getByText(/^3,000 readings/).waitFor();
  await page.done();
});
