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
