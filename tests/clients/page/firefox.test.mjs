// Firefox as Debian has it: each view is opened and used once; what the others test in Chromium is not all repeated.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, startServer } from "./browser.mjs";

const BEGIN = Date.UTC(2026, 0, 1);
let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser("firefox")]);
  const line = (n) => ({ _id: n, time: { $date: { $numberLong: String(BEGIN + n * 60_000) } }, level: n % 10 ? "info" : "error", device: `pump-${n % 3}`, celsius: 20 + (n % 7), message: `line ${n}` });
  await server.command("default", { insert: "logs", documents: Array.from({ length: 500 }, (_, n) => line(n)) });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

test("Firefox shows logs and documents, and edits one", async () => {
  const page = await browser.open(`${server.url}/#/logs/default.logs`);
  await page.getByText("500 lines", { exact: true }).waitFor();
  assert.equal(await page.locator(".line .message").first().innerText(), "line 499");
  await page.isWell("firefox-logs");
  await page.getByRole("link", { name: "Documents" }).click();
  await page.getByRole("link", { name: "logs", exact: true }).click();
  await page.getByText("50 of 500").waitFor();
  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.getByLabel("Value of message").fill("edited");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: message.").waitFor();
  await page.isWell("firefox-document");
  await page.done();
});

test("Firefox draws graphs, explains queries, shows the server", async () => {
  const page = await browser.open(`${server.url}/#/graphs/default.logs`);
  await page.getByText("500 readings").waitFor();
  await page.isWell("firefox-graphs");
  await page.getByRole("link", { name: "Queries" }).click();
  await page.getByLabel("Command").fill('db.logs.find({ device: "pump-1" })');
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: /No race/ }).waitFor();
  await page.isWell("firefox-query");
  await page.getByRole("link", { name: "Server" }).click();
  await page.getByRole("link", { name: "default.logs" }).waitFor();
  await page.isWell("firefox-server");
  await page.done();
});
