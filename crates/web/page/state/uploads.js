// Uploads under way, whichever view is open; their addresses are kept in the browser, so that they go on after a reload.

import { abandon, begin, offsetOf, upload } from "../lib/tus.js";
import { stored, store } from "../lib/stored.js";
import { signal } from "./signal.js";

const KEY = "larder-uploads";
const AT_ONCE = 3;

/** `{id, bucket, name, size, sent, state: "waiting"|"running"|"paused"|"failed", error, rate}` of each that has not come to its end. */
export const uploads = signal([]);
/** How many files have come to their end: who lists a bucket looks again. */
export const finished = signal(0);

const live = new Map();
let next = 1;

const remembered = () => stored(KEY, {});

function note(key, entry) {
  const all = remembered();
  if (entry) all[key] = entry;
  else delete all[key];
  store(KEY, all);
}

const keyOf = (bucket, file, name) => JSON.stringify([bucket, name, file.size, file.lastModified]);
const change = (id, changes) => (uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...changes } : one)));

/** Uploads that a reload interrupted: the same files have to be given once more. */
export function interrupted(bucket) {
  const running = new Set([...live.values()].map(({ key }) => key));
  return Object.entries(remembered()).filter(([key, one]) => one.bucket === bucket && !running.has(key)).map(([key, one]) => ({ key, ...one }));
}

export async function forgetInterrupted({ key, url }) {
  note(key, null);
  await abandon(url);
  finished.value++;
}

/** Adds files; each begins when one of the places is free. @param {File[]} files */
export function add(bucket, files, prefix = "") {
  for (const file of files) {
    const name = prefix + (file.webkitRelativePath || file.name);
    const id = next++;
    live.set(id, { file, key: keyOf(bucket, file, name) });
    uploads.value = [...uploads.value, { id, bucket, name, size: file.size, sent: 0, state: "waiting" }];
  }
  fill();
}

function fill() {
  const running = uploads.value.filter((one) => one.state === "running").length;
  uploads.value.filter((one) => one.state === "waiting").slice(0, Math.max(0, AT_ONCE - running)).forEach(run);
}

async function run({ id, bucket, name }) {
  const { file, key } = live.get(id);
  const abort = new AbortController();
  live.get(id).abort = abort;
  change(id, { state: "running", error: null });
  try {
    let url = remembered()[key]?.url;
    const known = url ? await offsetOf(url, abort.signal) : null;
    if (known === null) {
      url = await begin(bucket, file, name, abort.signal);
      note(key, { bucket, name, size: file.size, url });
    }
    change(id, { sent: known ?? 0 });
    const begun = performance.now();
    await upload(url, file, (sent, error) => change(id, { sent, error: error?.message ?? null, rate: (1000 * (sent - (known ?? 0))) / (performance.now() - begun) }), abort.signal);
    note(key, null);
    live.delete(id);
    uploads.value = uploads.value.filter((one) => one.id !== id);
    finished.value++;
  } catch (error) {
    if (error.name !== "AbortError") change(id, { state: "failed", error: error.message });
  }
  fill();
}

export function pauseUpload(id) {
  live.get(id)?.abort?.abort();
  change(id, { state: "paused" });
}

export function resumeUpload(id) {
  change(id, { state: "waiting", error: null });
  fill();
}

/** Takes an upload away; what had come of it is dropped by the server. */
export async function cancelUpload(id) {
  const known = live.get(id);
  known?.abort?.abort();
  live.delete(id);
  uploads.value = uploads.value.filter((one) => one.id !== id);
  const entry = known && remembered()[known.key];
  if (entry) {
    note(known.key, null);
    await abandon(entry.url);
  }
  fill();
}
