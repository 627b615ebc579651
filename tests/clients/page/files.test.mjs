import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, startBrowser, startServer } from "./browser.mjs";

let server, browser;
before(async () => ([server, browser] = await Promise.all([startServer(), startBrowser()])));
after(() => Promise.all([server?.stop(), browser?.stop()]));

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const file = (name, mimeType, buffer) => ({ name, mimeType, buffer: Buffer.from(buffer) });

test("files are uploaded, shown, versioned and deleted; nothing in them runs", async () => {
  const page = await browser.open(`${server.url}/#/files`);
  await page.getByLabel("Name of a bucket").fill("photos");
  await page.keyboard.press("Enter");
  await page.getByText("Drop files anywhere here").waitFor();
  const script = "<script>document.title = 'ran'</script>";
  await page.getByLabel("Files to upload").setInputFiles([file("a.png", "image/png", PNG), file("note.txt", "text/plain", "first"), file("evil.html", "TEXT/HTML", `${script}<b>shown</b>`), file("evil.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${script}</svg>`)]);
  await page.getByText("4 files").waitFor();
  await page.locator("ul.uploads").waitFor({ state: "detached" });
  await page.isWell("files");
  await page.getByLabel("Files to upload").setInputFiles([file("note.txt", "text/plain", "second one")]);
  await page.getByText("v2").waitFor();
  await page.getByRole("button", { name: /note.txt/ }).click();
  await page.getByText("second one").waitFor();
  await page.isWell("file");
  await page.getByRole("button", { name: /^v1/ }).click();
  await page.getByText("first", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete this version" }).click();
  await page.getByRole("dialog", { name: "Delete" }).getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: /^v2/ }).waitFor({ state: "detached" });
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: /evil.html/ }).click();
  await page.getByText("<b>shown</b>").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: /evil.svg/ }).click();
  await page.locator("img.look").waitFor();
  assert.notEqual(await page.title(), "ran");
  assert.deepEqual(page.faults, []);
  await page.done();
});

test("an upload that a reload cuts goes on where it was", async () => {
  const page = await browser.open(`${server.url}/#/files/films`);
  const bytes = Buffer.alloc(25 << 20, "larder ");
  let pieces = 0;
  await page.route("**/uploads/**", async (route) => {
    if (route.request().method() === "PATCH" && ++pieces === 2) return; // Never answered: the reload comes meanwhile.
    await route.continue();
  });
  const give = () => page.getByLabel("Files to upload").setInputFiles({ name: "film.bin", mimeType: "application/octet-stream", buffer: bytes });
  // The date belongs to what a file is known by, and the test's own files have none.
  await page.addInitScript(() => Object.defineProperty(File.prototype, "lastModified", { get: () => 1 }));
  await page.reload();
  await give();
  await page.getByText(/^32\.\d % of/).or(page.getByText(/^3\d\.\d % of/)).first().waitFor();
  await page.isWell("files-uploading");
  await page.unroute("**/uploads/**");
  const offsets = [];
  page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));
  await page.reload();
  await page.getByText("1 upload was interrupted").waitFor();
  await give();
  await page.getByText("1 files").waitFor();
  assert.ok(offsets[0] > 0, `began again at ${offsets[0]}`);
  const kept = Buffer.from(await (await fetch(`${server.url}/files/films/film.bin`)).arrayBuffer());
  assert.ok(kept.equals(bytes));
  await page.done();
});

test("on a phone it is all there", async () => {
  const page = await browser.open(`${server.url}/#/files/photos?as=list`, PHONE);
  await page.getByRole("button", { name: "a.png" }).waitFor();
  await page.isWell("files-phone");
  await page.done();
});

test("a bucket whose name has a dot is opened where it is", async () => {
  await server.command("default", { insert: "zips.attachments.files", documents: [{ _id: 1, filename: "dotted.bin", length: { $numberLong: "0" }, chunkSize: 261120, uploadDate: { $date: { $numberLong: "0" } } }] });
  const page = await browser.open(`${server.url}/#/files`);
  await page.getByRole("link", { name: /zips\.attachments/ }).click();
  await page.getByText("dotted.bin").waitFor();
  await page.done();
});

test("files without a name are each their own", async () => {
  const nameless = (id) => ({ _id: { $oid: `00000000000000000000000${id}` }, length: { $numberLong: "0" }, chunkSize: 261120, uploadDate: { $date: { $numberLong: "0" } } });
  await server.command("default", { insert: "nameless.files", documents: [nameless(1), nameless(2)] });
  const page = await browser.open(`${server.url}/#/files/nameless`);
  await page.getByText("2 files").waitFor();
  await page.getByRole("button", { name: /without a name, 0*1$/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog", { name: "Delete" }).getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("1 files").waitFor();
  await page.done();
});
