import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
  await server.command("default", { insert: "many", documents: Array.from({ length: 200 }, (_, n) => ({ n })) });
});
after(() => Promise.all([server?.stop(), browser?.stop()]));

test("the server's state is shown, and an operation is ended", async () => {
  const page = await browser.open(`${server.url}/#/server`);
  await page.getByRole("link", { name: "default.many" }).waitFor();
  const slow = fetch(`${server.url}/api/command/default`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ find: "many", filter: { $where: "while (true) {}" } }),
  });
  await page.getByRole("button", { name: /End operation/ }).click();
  await page.isWell("server");
  await page.getByRole("button", { name: "End it" }).click();
  const answer = await (await slow).json();
  assert.equal(answer.codeName, "Interrupted");
  await page.getByText("Nothing runs now.").waitFor();
  await page.done();
});

test("on a phone it is all there", async () => {
  const page = await browser.open(`${server.url}/#/server`, PHONE);
  await page.getByRole("link", { name: "default.many" }).waitFor();
  await page.isWell("server-phone");
  await page.done();
});
