import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

const LINES = 3000;
const BEGIN = Date.UTC(2026, 0, 1);
const LEVELS = ["info", "info", "info", "info", "info", "info", "debug", "warn", "warn", "error"];
let server, browser;
const line = (n, more = {}) => ({ _id: n, time: { $date: { $numberLong: String(BEGIN + n * 1000) } }, level: LEVELS[(n * 7) % 10], device: `pump-${n % 3}`, message: `line ${n}: ${n % 10 === 7 ? "connect: timed out" : "pressure is fine"}`, ...more });
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  for (let n = 0; n < LINES; n += 1000) await server.command("default", { insert: "logs", documents: Array.from({ length: 1000 }, (_, k) => line(n + k)) });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

const first = (page) => page.locator(".line .message").first();

test("lines come newest first, with a histogram by level", async () => {
  const page = await browser.open(`${server.url}/#/logs`);
  await page.getByRole("link", { name: /default.logs/ }).click();
  await page.getByText("3,000 lines", { exact: true }).waitFor();
  assert.match(await first(page).innerText(), /^line 2999:/);
  await page.isWell("logs");
  await page.done();
});

test("a query in Lucene's syntax, filters and a dragged range narrow the lines, and Back widens them", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  await page.getByText("3,000 lines", { exact: true }).waitFor();
  await page.getByLabel("Query").fill('level:error AND "timed out"');
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("300 lines", { exact: true }).waitFor();
  await page.getByText("line 2997").click();
  await page.getByRole("button", { name: "Only device pump-0" }).click();
  await page.getByText("100 lines", { exact: true }).waitFor();
  const canvas = page.locator(".histogram canvas");
  const { width } = await canvas.boundingBox();
  await canvas.dragTo(canvas, { sourcePosition: { x: width * 0.5, y: 40 }, targetPosition: { x: width * 0.75, y: 40 } });
  await page.waitForURL(/from=/);
  await page.getByText(/^2\d lines$/).waitFor();
  await page.isWell("logs-narrowed");
  await page.goBack();
  await page.getByText("100 lines", { exact: true }).waitFor();
  await page.goBack();
  await page.getByText("300 lines", { exact: true }).waitFor();
  await page.done();
});

test("until all lines are counted, bars come from a sample, and say so", async () => {
  const page = await browser.open(`${server.url}/#/logs`);
  let count;
  const counted = new Promise((resolve) => (count = resolve));
  // As if the index were being built.
  await page.route(/_search/, async (route) => {
    if (route.request().postData()?.includes("date_histogram")) await counted;
    // Who asked may have left.
    await route.continue().catch(() => {});
  });
  await page.goto(`${server.url}/#/logs/default.logs`);
  await page.getByText("≈ 3,000 lines; bars from a sample of 3,000 until all are counted").waitFor();
  await page.getByRole("img", { name: /^About 3,000 lines from / }).waitFor();
  await page.isWell("logs-rough");
  await page.getByRole("button", { name: "error", exact: true }).click();
  await page.getByText(/^≈ [\d,]+ ± [\d,]+ lines; bars from a sample/).waitFor();
  count();
  await page.getByText(/^[\d,]+ lines$/).waitFor();
  await page.done();
});

test("scrolling to the oldest line and back shows each line once, with a bounded window", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  const list = page.getByRole("grid");
  await first(page).waitFor();
  const seen = new Set();
  const look = async () => (await page.locator(".line .message").allInnerTexts()).forEach((text) => seen.add(Number(/\d+/.exec(text)[0])));
  const to = async (where, wanted) => {
    for (let n = 0; n < 2500; n++) {
      await look();
      if (seen.has(wanted)) return;
      await list.evaluate((element, by) => (element.scrollTop += by * element.clientHeight), where);
      await page.waitForTimeout(20);
    }
    assert.fail(`line ${wanted} was not reached`);
  };
  await to(1, 0);
  assert.equal(seen.size, LINES);
  assert.ok((await page.locator(".line").count()) < 120);
  seen.clear();
  await to(-1, LINES - 1);
  assert.equal(seen.size, LINES);
  await page.done();
});

test("the rail beside the lines leads to any time, by dragging and by keys, and says which", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  await page.getByText("3,000 lines", { exact: true }).waitFor();
  const rail = page.getByRole("slider", { name: "Time of the lines" });
  const { width, height } = await rail.boundingBox();
  await rail.dragTo(rail, { sourcePosition: { x: width / 2, y: 10 }, targetPosition: { x: width / 2, y: height / 2 } });
  await page.waitForFunction(() => /^line 1[45]\d\d:/.test(document.querySelector(".line.focused .message")?.textContent ?? ""));
  assert.match(await rail.getAttribute("aria-valuetext"), /00:2[45]/);
  await rail.press("End");
  await page.getByText(/^line 0:/).waitFor();
  await rail.press("Home");
  await page.getByText(/^line 2999:/).waitFor();
  // Both ways from the middle, each line once.
  await rail.press("PageDown");
  await page.waitForFunction(() => /^line 2\d\d\d:/.test(document.querySelector(".line.focused .message")?.textContent ?? "") && !document.querySelector(".line.focused .message").textContent.startsWith("line 2999"));
  const list = page.getByRole("grid");
  await list.press("PageUp");
  await list.press("PageUp");
  const shown = (await page.locator(".line .message").allInnerTexts()).map((text) => Number(/\d+/.exec(text)[0]));
  assert.deepEqual(shown, shown.map((_, k) => shown[0] - k));
  await page.isWell("logs-rail");
  await page.done();
});

test("lines of a query are scrolled both ways from the oldest one, each once, also those of one time", async () => {
  await server.command("default", { insert: "twos", documents: Array.from({ length: 1200 }, (_, n) => ({ ...line(n - (n % 2)), _id: n, message: `line ${n}: ${n % 3 ? "wanted" : "other"}` })) });
  const page = await browser.open(`${server.url}/#/logs/default.twos?q=wanted`);
  await page.getByText("800 lines", { exact: true }).waitFor();
  const rail = page.getByRole("slider", { name: "Time of the lines" });
  await rail.press("End");
  await page.getByText(/^line 1:/).waitFor();
  const list = page.getByRole("grid");
  const seen = new Set();
  for (let n = 0; n < 3000 && seen.size < 800; n++) {
    (await page.locator(".line .message").allInnerTexts()).forEach((text) => seen.add(text));
    await list.press("PageUp");
    await page.waitForTimeout(20);
  }
  assert.equal(seen.size, 800);
  await page.done();
});

test("values of a field are counted, and one filters; the keyboard goes from error to error", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  await first(page).waitFor();
  await page.getByRole("button", { name: "Fields" }).click();
  // What lines are usually told apart by is open and counted, the rest when it is opened.
  await page.getByText("33.3 %").first().waitFor();
  await page.getByText("60.0 %").first().waitFor();
  await page.isWell("logs-fields");
  await page.getByRole("heading").first().click();
  await page.keyboard.press("e");
  await page.locator(".line.focused .level.error").waitFor();
  const before = await page.locator(".line.focused .message").innerText();
  await page.keyboard.press("e");
  await page.waitForFunction((text) => document.querySelector(".line.focused .message").innerText !== text, before);
  await page.locator(".line.focused .level.error").waitFor();
  await page.done();
});

test("a key goes on from the line that is seen, however late the browser paints", async () => {
  const page = await browser.open(server.url);
  await page.addInitScript(() => {
    const [frame, timer] = [requestAnimationFrame.bind(globalThis), setTimeout.bind(globalThis)];
    globalThis.requestAnimationFrame = (call) => frame(() => timer(() => call(performance.now()), 500));
    globalThis.setTimeout = (call, ms, ...more) => timer(call, ms > 20 && ms < 200 ? ms + 500 : ms, ...more);
  });
  await page.goto("about:blank");
  await page.goto(`${server.url}/#/logs/default.logs`);
  await first(page).waitFor();
  await page.getByRole("heading").first().click();
  await page.keyboard.press("e");
  await page.locator(".line.focused", { hasText: "line 2997:" }).waitFor();
  await page.keyboard.press("e");
  await page.locator(".line.focused", { hasText: "line 2987:" }).waitFor();
  await page.done();
});

test("a field that not every line has is counted, and never by what reads every line", async () => {
  const some = Array.from({ length: 1200 }, (_, n) => ({ _id: n, time: line(n).time, level: "info", message: `line ${n}`, ...(n % 2 && { device: `pump-${n % 3}` }) }));
  await server.command("default", { insert: "some", documents: some });
  const page = await browser.open(`${server.url}/#/logs/default.some`);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/_search") && asked.push(request.postDataJSON()));
  await page.getByText("1,200 lines", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Fields" }).click();
  await page.getByText("in 50.0 % of 1,200 lines").waitFor();
  // Columns say which values there are, the index says which lines have a field; as an aggregation the latter takes minutes of ten million lines.
  const aggregations = asked.filter(({ aggs }) => aggs).map(({ aggs }) => JSON.stringify(aggs));
  assert.ok(aggregations.some((text) => text.includes('"device.keyword"')));
  assert.ok(!aggregations.some((text) => text.includes('"exists"')));
  await page.done();
});

test("a field of more values than can be counted says so", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  const error = { type: "too_many_buckets_exception", reason: "Trying to create too many buckets." };
  await page.route("**/_search", (route) => (route.request().postData().includes('"message.keyword"') ? route.fulfill({ status: 400, json: { error, status: 400 } }) : route.continue()));
  await page.getByText(/^3,00\d lines$/).waitFor();
  await page.getByRole("button", { name: "Fields" }).click();
  await page.locator("summary", { hasText: "message" }).click();
  await page.getByText("more different values than can be counted").waitFor();
  await page.done();
});

test("live lines come as they are written, if they match", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs?live=1&q=level:error`);
  await page.getByText("300 lines", { exact: true }).waitFor();
  await page.waitForTimeout(300);
  await server.command("default", { insert: "logs", documents: [line(LINES, { level: "error", message: "now" }), line(LINES + 1, { level: "info", message: "not this" })] });
  await page.getByText("now", { exact: true }).waitFor();
  assert.equal(await first(page).innerText(), "now");
  await page.isWell("logs-live");
  await page.done();
});

test("lines that were left out are told, and loaded in their place; nothing moves while a text is marked", async () => {
  const insert = (from, to) => server.command("default", { insert: "gaps", documents: Array.from({ length: to - from }, (_, n) => line(from + n)) });
  await insert(0, 300);
  const page = await browser.open(`${server.url}/#/logs/default.gaps`);
  await page.getByText("line 299:").waitFor();
  await insert(300, 551);
  // As from a server that could not wait: the newest line, behind 250 that are left out. What follows comes from the real one.
  const newest = { _id: "550", _seq_no: 550, document: { ...line(550), time: { $date: new Date(BEGIN + 550_000).toISOString() } } };
  const events = `event: gap\ndata: ${JSON.stringify({ count: 250 })}\n\nevent: lines\ndata: ${JSON.stringify({ lines: [newest] })}\n\n`;
  await page.route(/api\/tail/, (route) => route.fulfill({ contentType: "text/event-stream", body: events }), { times: 1 });
  let tails = 0;
  page.on("response", (response) => (tails += /api\/tail/.test(response.url())));
  await page.getByRole("button", { name: "Live" }).click();
  const gap = page.locator(".line.gap");
  await gap.getByText("250 lines skipped here").waitFor();
  assert.match(await first(page).innerText(), /^line 550:/);
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.getByRole("grid").press(key);
  await page.getByText("line 549:").waitFor();
  await page.waitForFunction(() => !document.querySelector(".line.gap"));
  const shown = (await page.locator(".line .message").allInnerTexts()).map((text) => Number(/\d+/.exec(text)[0]));
  assert.deepEqual(shown.slice(0, 20), Array.from({ length: 20 }, (_, k) => 550 - k));
  await page.locator(".line .message").first().selectText();
  for (let round = 0; round < 600 && tails < 2; round++) await page.waitForTimeout(100);
  assert.ok(tails >= 2, "the page does not ask again");
  await insert(551, 560);
  await page.getByRole("button", { name: /new lines/ }).waitFor();
  assert.match(await first(page).innerText(), /^line 550:/);
  await page.keyboard.press("End");
  await page.getByText("line 559:").waitFor();
  await page.isWell("logs-gap");
  await page.done();
});

test("a level is chosen by the legend, also of live lines", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs?live=1`);
  await page.getByRole("button", { name: "warn", exact: true }).click();
  await page.waitForURL(/level=warn/);
  await page.getByText("600 lines", { exact: true }).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll(".line .level")].every((one) => one.textContent === "W"));
  await page.getByRole("button", { name: "warn", exact: true }).click();
  await page.getByText(/^3,00\d lines$/).waitFor();
  await page.done();
});

test("at 360 px it is all there", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`, PHONE);
  await first(page).waitFor();
  await page.isWell("logs-phone");
  await page.done();
});

test("lines around one are shown without query, and Esc leads back to the same row; a search is kept, and downloaded", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs?q=level:error`);
  await page.getByText(/^30\d lines$/).waitFor();
  await page.getByText("line 2907:").click();
  await page.getByRole("button", { name: "Lines around" }).click();
  await page.getByText("line 2908:").waitFor();
  await page.getByText("Lines around one, without query").waitFor();
  await page.locator(".line.focused .message", { hasText: /^line 2907:/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("line 2908:").waitFor({ state: "detached" });
  await page.locator(".line.focused .message", { hasText: /^line 2907:/ }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("errors");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.goto(`${server.url}/#/logs/default.logs`);
  await page.getByRole("button", { name: "Saved" }).click();
  await page.getByRole("link", { name: "errors" }).click();
  await page.getByText(/^30\d lines$/).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "NDJSON" }).click()]);
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n").map((text) => JSON.parse(text));
  assert.ok(lines.length >= 300 && lines.every(({ level }) => level === "error"));
  await page.isWell("logs-saved");
  await page.done();
});

test("three hundred lines of one time are all there, and a long one is cut", async () => {
  await server.command("default", { insert: "same", documents: Array.from({ length: 300 }, (_, n) => ({ _id: n, time: { $date: { $numberLong: String(BEGIN) } }, level: "info", message: n === 7 ? "x".repeat(1_000_000) : `equal ${n}` })) });
  const page = await browser.open(`${server.url}/#/logs/default.same`);
  const list = page.getByRole("grid");
  await first(page).waitFor();
  const seen = new Set();
  for (let n = 0; n < 1200 && seen.size < 300; n++) {
    for (const text of await page.locator(".line .message").allInnerTexts()) seen.add(text.slice(0, 30));
    await list.evaluate((element) => (element.scrollTop += element.clientHeight / 2));
    await page.waitForTimeout(50);
  }
  assert.equal(seen.size, 300);
  await page.done();
});

test("levels are told apart without colours: by letters in lines, by their lightness in bars", async () => {
  for (const colorScheme of ["dark", "light"]) {
    const page = await browser.open(`${server.url}/#/logs/default.logs`, { viewport: { width: 1280, height: 800 }, colorScheme });
    await first(page).waitFor();
    const colours = await page.evaluate(() => ["error", "warn", "info", "other"].map((level) => getComputedStyle(document.documentElement).getPropertyValue(`--${level}-bar`).trim()));
    const lightness = colours.map(lightnessOf).sort((a, b) => a - b);
    for (const [at, one] of lightness.slice(1).entries()) assert.ok(one - lightness[at] > 8, `${colorScheme}: ${colours.join(" ")} have the lightness ${lightness.join(", ")}`);
    await page.done();
  }
});

/** How light a colour is to the eye, of 100: L* of CIELAB. */
function lightnessOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 116 * Math.cbrt(0.2126 * red + 0.7152 * green + 0.0722 * blue) - 16;
}

test("an answer to what is not asked any more is nobody's", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  await first(page).waitFor();
  let answer;
  const late = new Promise((resolve) => (answer = resolve));
  await page.route("**/api/command/default*", async (route) => {
    if (route.request().postDataJSON().limit === 1 && route.request().postData().includes("FATAL")) await late;
    await route.continue().catch(() => {});
  });
  await page.getByRole("heading").first().click();
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "warn", exact: true }).click();
  await page.getByText("600 lines", { exact: true }).waitFor();
  answer();
  await page.waitForTimeout(500);
  assert.ok((await page.locator(".line .level").allInnerTexts()).every((letter) => letter === "W"));
  await page.done();
});

test("a query's lines are downloaded each once and whole, also where many have one time", async () => {
  const documents = Array.from({ length: 2500 }, (_, n) => ({ _id: n, time: line(n - (n % 40)).time, message: `piece ${n} ${"x".repeat(n === 7 ? 5000 : 1)}`, serial: { $numberLong: "9007199254740993" } }));
  await server.command("default", { insert: "pieces", documents });
  const page = await browser.open(`${server.url}/#/logs/default.pieces?q=piece`);
  await page.getByText("2,500 lines", { exact: true }).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "NDJSON" }).click()]);
  const messages = (await readFile(await download.path(), "utf8")).trim().split("\n").map((text) => JSON.parse(text).message);
  assert.equal(messages.length, 2500);
  assert.equal(new Set(messages).size, 2500);
  assert.ok(Math.max(...messages.map(({ length }) => length)) > 5000);
  await page.locator(".line").first().click();
  await page.getByRole("dialog").getByText("9007199254740993").waitFor();
  await page.getByRole("button", { name: "Only serial 9007199254740993" }).click();
  await page.getByText("2,500 lines", { exact: true }).waitFor();
  await page.done();
});

test("an address that says nothing sensible shows what there is", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs?f=5&level=constructor&from=x`);
  await page.getByText(/^3,00\d lines$/).waitFor();
  await page.goto(`${server.url}/#/logs/logs?f=%5Bnull,%7B%22field%22:7%7D%5D`);
  await page.getByText(/^3,00\d lines$/).waitFor();
  await page.goto(`${server.url}/#/100%`);
  await page.getByText("There is no view called 100%").waitFor();
  assert.deepEqual(page.faults, []);
  await page.done();
});

test("lines thousands of years apart have no more marks below their bars than there is room for", async () => {
  await server.command("default", { insert: "far", documents: [line(0), line(1, { time: { $date: { $numberLong: String(Date.UTC(9999, 0)) } } })] });
  const page = await browser.open(`${server.url}/#/logs/default.far`);
  await page.addInitScript(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.texts = 0;
    CanvasRenderingContext2D.prototype.fillText = function (...given) {
      globalThis.texts++;
      fillText.apply(this, given);
    };
  });
  await page.reload();
  await page.getByText("2 lines", { exact: true }).waitFor();
  await page.waitForFunction(() => globalThis.texts > 0);
  const texts = await page.evaluate(() => globalThis.texts);
  assert.ok(texts < 500, `${texts} texts`);
  await page.done();
});

test("times of years that have more than four digits are shown whole, and can be asked for again", async () => {
  await server.command("default", { insert: "later", documents: [line(0, { time: { $date: { $numberLong: String(Date.UTC(12_000, 0, 2, 3, 4, 5)) } } })] });
  const page = await browser.open(`${server.url}/#/logs/default.later`);
  await page.locator(".line .at").first().waitFor();
  assert.equal(await page.locator(".line .at").first().textContent(), "+012000-01-02 03:04:05.000");
  await page.waitForFunction(() => document.querySelector("input[name=from]").value === "+012000-01-02 03:04:05");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("1 lines", { exact: true }).waitFor();
  assert.doesNotMatch(page.url(), /NaN/);
  await page.done();
});

test("lines whose _id is a number of 64 bits are found by a query as well", async () => {
  const ids = ["1234567890123456789", "9223372036854775807", "7", "-9007199254740993"];
  await server.command("default", { insert: "snow", documents: ids.map((id, n) => line(n, { _id: { $numberLong: id }, message: `flake ${id}` })) });
  const page = await browser.open(`${server.url}/#/logs/default.snow?q=flake`);
  await page.getByText("4 lines", { exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".line .message").length === 4);
  assert.deepEqual(await page.locator(".line .message").allInnerTexts(), ids.map((id) => `flake ${id}`).toReversed());
  await page.done();
});

test("lines so long that a reply holds few of them fill the list", async () => {
  const long = (n) => ({ _id: n, time: line(n).time, message: n % 10 ? `short ${n}` : "z".repeat(9 << 20) });
  for (let n = 0; n < 30; n += 10) await server.command("default", { insert: "few", documents: Array.from({ length: 10 }, (_, k) => long(n + k)) });
  const page = await browser.open(`${server.url}/#/logs/default.few`);
  await page.waitForFunction(() => document.querySelectorAll(".line").length === 30);
  await page.getByText(/^zzz.* … \+9,437,184 B$/).first().waitFor();
  await page.done();
});
