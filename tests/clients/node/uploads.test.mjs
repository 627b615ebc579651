// tus-js-client sends files whole, after interruptions, and in parts side by side.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { Upload } from "tus-js-client";
import { startServer } from "./server.mjs";

const BYTES = randomBytes(3_000_000);
let server;

before(async () => { server = await startServer(); });
after(async () => assert.equal(await server?.stop(), 0));

function uploader(name, options) {
  return new Upload(BYTES, {
    endpoint: `${server.url}/uploads/films`,
    metadata: { filename: name, filetype: "video/mp4" },
    ...options,
  });
}

function upload(name, options) {
  return new Promise((onSuccess, onError) => uploader(name, { onSuccess, onError, ...options }).start());
}

async function assertStored(name) {
  const got = await fetch(`${server.url}/files/films/${name}`);
  assert.deepEqual([got.status, got.headers.get("content-type")], [200, "video/mp4"]);
  assert.ok(BYTES.equals(Buffer.from(await got.arrayBuffer())));
}

test("a file is sent in pieces", async () => {
  await upload("pieces", { chunkSize: 700_000 });
  await assertStored("pieces");
});

test("a file is sent in parts side by side, which become one", async () => {
  await upload("parts", { parallelUploads: 4 });
  await assertStored("parts");
  const { files } = await (await fetch(`${server.url}/files/films`)).json();
  assert.deepEqual(files.map((file) => file.name).sort(), ["parts", "pieces"]);
});

test("a file that is stopped goes on from where it was", async () => {
  const stopped = await new Promise((resolve, reject) => {
    const first = uploader("stopped", {
      chunkSize: 1_000_000,
      onChunkComplete: () => first.abort().then(() => resolve(first.url), reject),
      onError: reject,
    });
    first.start();
  });
  let began;
  await upload("stopped", { uploadUrl: stopped, onProgress: (sent) => { began ??= sent; } });
  assert.ok(began >= 1_000_000, `${began}`);
  await assertStored("stopped");
});
