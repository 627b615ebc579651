// How quick the page is in a real Chromium, for docs/page.md: the first lines of logs with an index on their time, as it is and
// with a slowed processor, and a graph of many readings.
//   LARDER_BINARY=target/release/larder node measure.mjs [READINGS] [LINES]
import { startBrowser, startServer } from "./browser.mjs";

const [readings = 1_000_000, lines = 200_000] = process.argv.slice(2).map(Number);
const ROUNDS = 7;
const BATCH = 10_000;
const BEGIN = Date.UTC(2026, 0, 1);

const time = (n, step) => ({ $date: { $numberLong: String(BEGIN + n * step) } });
const reading = (n) => ({ device: `pump-${n % 10}`, time: time(n, 1_000), celsius: 20 + (n % 10) + 6 * Math.sin(n / 300), bar: 2 + Math.cos(n / 700) });
const line = (n) => ({ time: time(n, 1_000), level: n % 10 ? "info" : "error", device: `pump-${n % 500}`, message: `line ${n}: ${n % 4 ? "pressure is fine" : "connect: timed out"}` });

async function fill(server, collection, count, make) {
  for (let n = 0; n < count; n += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, count - n) }, (_, k) => make(n + k));
    await server.command("fleet", { insert: collection, documents });
  }
}

/** Notes in a page when each of these texts was first painted, by the clock that starts when the address is opened. */
function notePaints(texts) {
  const painted = (globalThis.painted = {});
  const look = () => {
    for (const [name, selector, pattern] of texts) {
      const isThere = () => [...document.querySelectorAll(selector)].some((element) => new RegExp(pattern).test(element.textContent));
      if (name in painted || !isThere()) continue;
      painted[name] = null;
      // After the next frame.
      requestAnimationFrame(() => setTimeout(() => (painted[name] = performance.now())));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
}

/** Milliseconds from the address to the first paint, and to that of each of the texts, in a tab of its own. */
async function visit(browser, address, texts, slowed = 1) {
  const page = await browser.open("about:blank", { isLarder: false, viewport: { width: 1280, height: 800 } });
  if (slowed > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowed });
  }
  await page.addInitScript(notePaints, texts);
  await page.goto(address);
  const names = texts.map(([name]) => name);
  await page.waitForFunction((names) => names.every((name) => globalThis.painted[name]), names, { polling: 50 });
  const painted = await page.evaluate(() => ({ painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ...globalThis.painted }));
  await page.done();
  return ["painted", ...names].map((name) => painted[name]);
}

/** Prints the median and the largest of each column. */
async function measure(name, columns, once) {
  const rounds = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await once());
  for (const [at, column] of columns.entries()) {
    const sorted = rounds.map((round) => round[at]).sort((a, b) => a - b);
    console.log(`${name}: ${column} median ${Math.round(sorted[sorted.length >> 1])} ms, at most ${Math.round(sorted.at(-1))} ms (first ${Math.round(rounds[0][at])} ms)`);
  }
}

const [server, browser] = await Promise.all([startServer({ memory: "512m" }), startBrowser()]);
try {
  await server.command("fleet", { createIndexes: "logs", indexes: [{ key: { time: -1 }, name: "time_-1" }] });
  await fill(server, "logs", lines, line);
  await fill(server, "readings", readings, reading);
  const rows = [["first lines", ".line .message", "line"]];
  const logs = `${server.url}/#/logs/fleet.logs`;
  await measure("logs", ["painted", "first lines"], () => visit(browser, logs, rows));
  await measure("logs, processor slowed 4 times", ["painted", "first lines"], () => visit(browser, logs, rows, 4));
  const graph = `${server.url}/#/graphs/fleet.readings`;
  const status = ".graph p[role=status]";
  const drawn = [["a sample", status, "reading"], ["all readings", status, `^${readings.toLocaleString("en")} readings`]];
  await measure("graph", ["painted", "a sample", "all readings"], () => visit(browser, graph, drawn));
} finally {
  await Promise.all([server.stop(), browser.stop()]);
}
