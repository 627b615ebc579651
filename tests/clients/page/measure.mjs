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

/** Milliseconds that pass from the address to what `wait` waits for, in a tab of its own. */
async function visit(browser, address, waits, slowed = 1) {
  const page = await browser.open("about:blank", { isLarder: false, viewport: { width: 1280, height: 800 } });
  if (slowed > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowed });
  }
  const begin = performance.now();
  await page.goto(address);
  const passed = [];
  for (const wait of waits) {
    await wait(page);
    passed.push(performance.now() - begin);
  }
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  await page.done();
  return [paint, ...passed];
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
  const rows = (page) => page.locator(".line .message").first().waitFor();
  const rough = (page) => page.locator(".graph p[role=status]").waitFor();
  const whole = (page) => page.getByText(new RegExp(`^${readings.toLocaleString("en")} readings`)).waitFor();
  const logs = `${server.url}/#/logs/fleet.logs`;
  await measure("logs", ["painted", "first lines"], () => visit(browser, logs, [rows]));
  await measure("logs, processor slowed 4 times", ["painted", "first lines"], () => visit(browser, logs, [rows], 4));
  const graph = `${server.url}/#/graphs/fleet.readings`;
  await measure("graph", ["painted", "a sample", "all readings"], () => visit(browser, graph, [rough, whole]));
} finally {
  await Promise.all([server.stop(), browser.stop()]);
}
