import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => ([server, browser] = await Promise.all([startServer(), startBrowser()])));
after(() => Promise.all([server?.stop(), browser?.stop()]));

test("a page of another site can neither read nor change anything", async (t) => {
  const elsewhere = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>elsewhere</title>")).listen(0, "localhost");
  t.after(() => { elsewhere.close(); elsewhere.closeAllConnections(); });
  await new Promise((resolve) => elsewhere.once("listening", resolve));
  const page = await browser.open(`http://localhost:${elsewhere.address().port}/`, { isLarder: false });
  const tried = await page.evaluate(async (url) => {
    const read = (path, options) => fetch(url + path, options).then((response) => `read ${response.type}`, () => "refused");
    const command = JSON.stringify({ insert: "stolen", documents: [{}] });
    const frame = Object.assign(document.createElement("iframe"), { src: url });
    const framed = new Promise((resolve) => (frame.onload = () => setTimeout(() => resolve(frame.contentDocument === null), 200)));
    document.body.append(frame);
    const streamed = new Promise((resolve) => Object.assign(new EventSource(`${url}/api/tail?c=a`), { onopen: () => resolve("open"), onerror: () => resolve("refused") }));
    return {
      json: await read("/api/command/default", { method: "POST", headers: { "Content-Type": "application/json" }, body: command }),
      text: await read("/api/command/default", { method: "POST", body: command }),
      blind: await read("/api/command/default", { method: "POST", mode: "no-cors", body: command }),
      get: await read("/api/collections"),
      stream: await streamed,
      isFrameOpaque: await framed,
    };
  }, server.url);
  assert.deepEqual(tried, { json: "refused", text: "refused", blind: "read opaque", get: "refused", stream: "refused", isFrameOpaque: true });
  await page.setContent(`<form method="post" enctype="text/plain" action="${server.url}/api/command/default"><input name='{"insert":"stolen","documents":[{}],"a":"' value='"}'></form>`);
  await page.evaluate(() => document.forms[0].submit());
  await page.getByText("unsupported_media_type").or(page.getByText("forbidden")).waitFor();
  const { collections } = await (await fetch(`${server.url}/api/collections`)).json();
  assert.deepEqual(collections.filter(({ collection }) => collection === "stolen"), []);
  await page.done();
});

test("a name that leads here since a moment ago (DNS rebinding) gives nobody anything", async (t) => {
  const rebound = await startBrowser("chromium", ["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
  t.after(() => rebound.stop());
  const { port } = new URL(server.url);
  const page = await rebound.open(`http://evil.example:${port}/`, { isLarder: false });
  assert.match(await page.locator("body").innerText(), /evil\.example/);
  assert.equal(await page.locator("#app").count(), 0);
  const tried = await page.evaluate(async () => {
    const insert = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ insert: "stolen", documents: [{}] }) };
    const status = async (path, options) => (await fetch(path, options)).status;
    return [await status("/api/command/default", insert), await status("/api/collections"), await status("/api/tail?c=a"), await status("/files/photos"), await status("/metrics")];
  });
  assert.ok(tried.every((status) => status >= 400), JSON.stringify(tried));
  const { collections } = await (await fetch(`${server.url}/api/collections`)).json();
  assert.deepEqual(collections.filter(({ collection }) => collection === "stolen"), []);
  await page.done();
});

test("the first user is made, signs in and out, and a wrong password says so", async () => {
  const page = await browser.open(server.url);
  await page.getByRole("button", { name: "Make the first user" }).click();
  await page.getByLabel("Name").fill("root");
  await page.getByLabel("Password").fill("secret");
  await page.getByRole("button", { name: "Make the administrator" }).click();
  await page.getByRole("button", { name: /^root/ }).click();
  await page.getByRole("dialog", { name: /Sign in/ }).waitFor();
  await page.isWell("sign-in");
  await page.getByLabel("Name").fill("root");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("no user has this name and password").waitFor();
  await page.getByLabel("Password").fill("secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^root/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^root/ }).waitFor();
  const cookies = await page.context().cookies();
  assert.deepEqual(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite]), [[true, "Strict"]]);
  await page.done();
});

test("who may only read sees which role would allow more", async () => {
  const as = (body) => fetch(`${server.url}/api/command/${body.insert ? "default" : "admin"}`, { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Basic ${btoa("root:secret")}` }, body: JSON.stringify(body) });
  assert.equal((await as({ insert: "kept", documents: [{ _id: 1 }] })).status, 200);
  assert.equal((await as({ createUser: "ann", pwd: "pw", roles: [{ role: "read", db: "default" }] })).status, 200);
  const page = await browser.open(`${server.url}/#/docs/default.kept`);
  await page.getByLabel("Name").fill("ann");
  await page.getByLabel("Password").fill("pw");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("1 of 1").waitFor();
  const make = page.getByRole("button", { name: "New", exact: true });
  assert.ok(await make.isDisabled());
  assert.match(await make.getAttribute("title"), /the role readWrite of default allows it/);
  await page.done();
});

test("who signs out leaves nothing on the screen, and the form stays until somebody signs in", async () => {
  const page = await browser.open(`${server.url}/#/docs/default.kept`);
  await page.getByLabel("Name").fill("ann");
  await page.getByLabel("Password").fill("pw");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("1 of 1").waitFor();
  await page.getByRole("button", { name: /^ann/ }).click();
  const form = page.getByRole("dialog", { name: /Sign in/ });
  await form.waitFor();
  await page.locator("tbody").waitFor({ state: "detached" });
  // Chromium closes a dialog by the second Esc, whatever is said to the first.
  for (let n = 0; n < 3; n++) await page.keyboard.press("Escape");
  await form.waitFor();
  assert.equal(await form.getByRole("button", { name: "Close" }).count(), 0);
  await page.getByLabel("Name").fill("root");
  await page.getByLabel("Password").fill("secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("1 of 1").waitFor();
  await page.done();
});

test("what one may not see says so, and does not ask who is signed in to sign in", async () => {
  const page = await browser.open(`${server.url}/#/server/replication`);
  await page.getByLabel("Name").fill("ann");
  await page.getByLabel("Password").fill("pw");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("You are not a server admin.").waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.done();
});

test("after ten wrong passwords the form says when to try again, and others may sign in", async () => {
  const sign = (name, password) => fetch(`${server.url}/api/session`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, password }) });
  for (let n = 0; n < 10; n++) assert.equal((await sign("ann", "wrong")).status, 401);
  const page = await browser.open(server.url);
  await page.getByLabel("Name").fill("ann");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText(/too many logins have failed; try again in \d+ s/).waitFor();
  await page.isWell("sign-in-refused");
  assert.equal((await sign("root", "secret")).status, 200);
  await page.done();
});
