import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer({ couch: "127.0.0.1:0" }), startBrowser()]);
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

test("slow queries lead to their plans, replications tell how far they are, users are made", async () => {
  const page = await browser.open(`${server.url}/#/server/slow?db=default`);
  await page.getByLabel("slower than, in ms").fill("0");
  await page.getByRole("button", { name: "Record slow queries" }).click();
  await page.getByText("recorded into default.system.profile").waitFor();
  await server.command("default", { find: "many", filter: { n: { $gt: 190 } } });
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByRole("link", { name: "Explain, and an index" }).first().waitFor();
  await page.isWell("server-slow");
  await page.getByRole("row", { name: /190/ }).getByRole("link").click();
  await page.getByRole("heading", { name: /No race/ }).waitFor();
  await page.goto(`${server.url}/#/server/replication`);
  await page.getByLabel("From", { exact: true }).fill("many");
  await page.getByLabel("To", { exact: true }).fill("copy");
  await page.getByLabel("make the target").check();
  await page.getByRole("button", { name: "Begin a replication" }).click();
  await page.getByRole("row", { name: /many.*copy.*(completed|running)/ }).waitFor();
  await page.isWell("server-replication");
  await page.goto(`${server.url}/#/server/users`);
  await page.getByText("There are no users").waitFor();
  await page.getByRole("button", { name: "New user" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("root");
  await page.getByRole("dialog").getByLabel("Password").fill("secret");
  await page.getByRole("button", { name: "Add the role" }).click();
  await page.getByText("may do everything", { exact: true }).waitFor();
  await page.isWell("server-user-new");
  await page.getByRole("button", { name: "Save" }).click();
  // From now on one has to sign in, by the form that comes over the view.
  const form = page.getByRole("dialog", { name: /Sign in/ });
  await form.getByLabel("Name").fill("root");
  await form.getByLabel("Password").fill("secret");
  await form.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("cell", { name: "may do everything" }).waitFor();
  await page.isWell("server-users");
  await page.done();
});
