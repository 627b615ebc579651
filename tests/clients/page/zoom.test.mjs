// Enlarged four times, a screen of 1280 by 800 pixels is one of 320 by 200: all is there below each other, and no bar covers it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, startServer } from "./browser.mjs";

const ENLARGED = { viewport: { width: 320, height: 200 }, colorScheme: "dark" };
const BEGIN = Date.UTC(2026, 0, 1);
let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  const documents = Array.from({ length: 500 }, (_, n) => ({ _id: n, time: { $date: new Date(BEGIN + n * 60_000).toISOString() }, level: n % 9 ? "info" : "error", device: `pump-${n % 3}`, value: 20 + (n % 7), message: `line ${n}` }));
  await server.command("default", { insert: "logs", documents });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

const VIEWS = {
  start: "start",
  logs: "logs/default.logs",
  graphs: "graphs/default.logs",
  documents: "docs/default.logs",
  document: "docs/default.logs/7",
  queries: "query/mongo",
  files: "files",
  server: "server/now",
};

for (const [name, path] of Object.entries(VIEWS)) {
  test(`${name} enlarged four times`, async () => {
    const page = await browser.open(`${server.url}/#/${path}`, ENLARGED);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.isWell(`enlarged-${name}`);
    await page.evaluate(() => scrollTo(0, 400));
    const covering = await page.evaluate(() => [...document.querySelectorAll("header, nav")].filter((one) => ["fixed", "sticky"].includes(getComputedStyle(one).position)).map(({ className, tagName }) => className || tagName));
    assert.deepEqual(covering, []);
    await page.done();
  });
}
